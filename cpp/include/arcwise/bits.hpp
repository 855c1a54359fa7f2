// Bit kernels: AND + popcount over many pairs of bit vectors, in the widest instructions the machine has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <vector>

namespace arcwise {

// Bit vectors are padded to whole blocks of 512 bits and aligned to them; the padding is zero.
inline constexpr std::size_t block_words = 8;
inline constexpr std::size_t block_bytes = 64;

[[nodiscard]] constexpr std::size_t padded_words(std::size_t rows) noexcept {
    return (rows + 64 * block_words - 1) / (64 * block_words) * block_words;
}

template <class T> struct BlockAllocator {
    using value_type = T;
    BlockAllocator() noexcept = default;
    template <class U> explicit BlockAllocator(const BlockAllocator<U> &) noexcept {}
    [[nodiscard]] T *allocate(std::size_t n) {
        return static_cast<T *>(::operator new(n * sizeof(T), std::align_val_t{block_bytes}));
    }
    void deallocate(T *pointer, std::size_t) noexcept { ::operator delete(pointer, std::align_val_t{block_bytes}); }
    friend bool operator==(const BlockAllocator &, const BlockAllocator &) noexcept { return true; }
};

using BitBlocks = std::vector<std::uint64_t, BlockAllocator<std::uint64_t>>;

enum class Instructions { plain, neon, avx2, avx512 };

struct BitKernels {
    Instructions instructions;
    // Words of AND + popcount per nanosecond, and nanoseconds of count_columns per row, without and with weights; for
    // the cost model only.
    double words_per_ns;
    double row_word_ns;
    double weighted_row_word_ns;

    // out[p * n_masks + m] = popcount(masks[m] & planes[p]); masks are contiguous, `words` apart.
    void (*and_popcounts)(const std::uint64_t *masks, std::size_t n_masks, const std::uint64_t *const *planes,
                          std::size_t n_planes, std::size_t words, std::uint32_t *out);

    // out = a & b, and its popcount; all three of `words` words.
    std::uint64_t (*intersect)(const std::uint64_t *a, const std::uint64_t *b, std::uint64_t *out, std::size_t words);

    // counts[c] += how many of the listed rows have bit c of their word set, for the 64 columns c; a row counts as
    // often as its weight says, once where `weights` is null.
    void (*count_columns)(const std::uint64_t *words, const std::uint32_t *rows, std::size_t n_rows,
                          const std::uint32_t *weights, std::uint32_t *counts);

    // ids[i] = ids[i] * states + codes[i]: one more digit of a number in mixed radix, which must stay below 2^16.
    void (*append_digit)(std::uint16_t *ids, const std::uint8_t *codes, std::size_t states, std::size_t n_rows);

    // Sets bit `row` of plane `codes[row]`; the planes are `words` apart and zero before.
    void (*fill_planes)(const std::uint8_t *codes, std::size_t n_rows, std::size_t arity, std::uint64_t *planes,
                        std::size_t words);

    // The bare loop: popcount(a & b), summed over `repeats` passes. Only for measuring the machine.
    std::uint64_t (*dot)(const std::uint64_t *a, const std::uint64_t *b, std::size_t words, std::size_t repeats);
};

// The best kernels this machine runs, or the named ones ("plain", "neon", "avx2", "avx512");
// throws std::invalid_argument where the machine does not have them.
[[nodiscard]] const BitKernels &bit_kernels(std::string_view name = "auto");

namespace plain {
extern const BitKernels kernels;
void fill_planes(const std::uint8_t *codes, std::size_t first_row, std::size_t n_rows, std::uint64_t *planes,
                 std::size_t words);
void count_weighted_columns(const std::uint64_t *words, const std::uint32_t *rows, std::size_t n_rows,
                            const std::uint32_t *weights, std::uint32_t *counts);
} // namespace plain
namespace neon {
const BitKernels &kernels();
}
namespace avx2 {
extern const BitKernels kernels;
}
namespace avx512 {
extern const BitKernels kernels;
}

} // namespace arcwise
