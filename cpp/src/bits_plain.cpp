// Bit kernels in portable C++, and the choice among all sets.
#include "append_digit.hpp"
#include "arcwise/bits.hpp"
#include "processor.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <stdexcept>
#include <string>

namespace arcwise {
namespace plain {

namespace {

void and_popcounts(const std::uint64_t *masks, std::size_t n_masks, const std::uint64_t *const *planes,
                   std::size_t n_planes, std::size_t words, std::uint32_t *out) {
    for (std::size_t p = 0; p < n_planes; ++p) {
        const std::uint64_t *plane = planes[p];
        for (std::size_t m = 0; m < n_masks; ++m) {
            const std::uint64_t *mask = masks + m * words;
            std::uint64_t count = 0;
            for (std::size_t w = 0; w < words; ++w) {
                count += static_cast<std::uint64_t>(std::popcount(mask[w] & plane[w]));
            }
            out[p * n_masks + m] = static_cast<std::uint32_t>(count);
        }
    }
}

std::uint64_t intersect(const std::uint64_t *a, const std::uint64_t *b, std::uint64_t *out, std::size_t words) {
    std::uint64_t count = 0;
    for (std::size_t w = 0; w < words; ++w) {
        out[w] = a[w] & b[w];
        count += static_cast<std::uint64_t>(std::popcount(out[w]));
    }
    return count;
}

// Eight counters of a byte each in one word: byte i of spread[b] is bit i of b.
constexpr std::array<std::uint64_t, 256> spread = [] {
    std::array<std::uint64_t, 256> table{};
    for (std::size_t byte = 0; byte < 256; ++byte) {
        for (std::size_t bit = 0; bit < 8; ++bit) {
            table[byte] |= (byte >> bit & std::uint64_t{1}) << (8 * bit);
        }
    }
    return table;
}();

void count_columns(const std::uint64_t *words, const std::uint32_t *rows, std::size_t n_rows,
                   const std::uint32_t *weights, std::uint32_t *counts) {
    if (weights != nullptr) {
        count_weighted_columns(words, rows, n_rows, weights, counts);
        return;
    }
    constexpr std::size_t rows_per_flush = 255; // what a byte holds
    for (std::size_t begin = 0; begin < n_rows; begin += rows_per_flush) {
        const std::size_t end = std::min(n_rows, begin + rows_per_flush);
        std::array<std::uint64_t, 8> bytes{};
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint64_t word = words[rows[i]];
            for (std::size_t b = 0; b < 8; ++b) {
                bytes[b] += spread[word >> (8 * b) & 0xff];
            }
        }
        for (std::size_t column = 0; column < 64; ++column) {
            counts[column] += static_cast<std::uint32_t>(bytes[column / 8] >> (8 * (column % 8)) & 0xff);
        }
    }
}

std::uint64_t dot(const std::uint64_t *a, const std::uint64_t *b, std::size_t words, std::size_t repeats) {
    std::uint64_t count = 0;
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
        for (std::size_t w = 0; w < words; ++w) {
            count += static_cast<std::uint64_t>(std::popcount(a[w] & b[w]));
        }
        std::atomic_signal_fence(std::memory_order_seq_cst); // keeps the passes apart
    }
    return count;
}

void fill_all_planes(const std::uint8_t *codes, std::size_t n_rows, std::size_t, std::uint64_t *planes,
                     std::size_t words) {
    fill_planes(codes, 0, n_rows, planes, words);
}

} // namespace

void count_weighted_columns(const std::uint64_t *words, const std::uint32_t *rows, std::size_t n_rows,
                            const std::uint32_t *weights, std::uint32_t *counts) {
    for (std::size_t i = 0; i < n_rows; ++i) {
        const std::uint32_t weight = weights[rows[i]];
        for (std::uint64_t bits = words[rows[i]]; bits != 0; bits &= bits - 1) {
            counts[std::countr_zero(bits)] += weight;
        }
    }
}

void fill_planes(const std::uint8_t *codes, std::size_t first_row, std::size_t n_rows, std::uint64_t *planes,
                 std::size_t words) {
    for (std::size_t row = first_row; row < n_rows; ++row) {
        planes[codes[row] * words + row / 64] |= std::uint64_t{1} << (row % 64);
    }
}

const BitKernels kernels{Instructions::plain, 0.7, 3.0, 15.0, and_popcounts, intersect, count_columns, append_digit,
                         fill_all_planes,     dot};

} // namespace plain

namespace {

bool machine_has(Instructions instructions) {
#if defined(ARCWISE_X86_KERNELS)
    switch (instructions) {
    case Instructions::plain:
        return true;
    case Instructions::neon:
        return false;
    case Instructions::avx2:
        return has_avx2();
    case Instructions::avx512:
        return has_avx512();
    }
    return false;
#elif defined(ARCWISE_NEON_KERNELS)
    return instructions == Instructions::plain || instructions == Instructions::neon;
#else
    return instructions == Instructions::plain;
#endif
}

const BitKernels &kernels_for(Instructions instructions) {
#if defined(ARCWISE_X86_KERNELS)
    if (instructions == Instructions::avx512) {
        return avx512::kernels;
    }
    if (instructions == Instructions::avx2) {
        return avx2::kernels;
    }
#elif defined(ARCWISE_NEON_KERNELS)
    if (instructions == Instructions::neon) {
        return neon::kernels();
    }
#else
    static_cast<void>(instructions);
#endif
    return plain::kernels;
}

} // namespace

const BitKernels &bit_kernels(std::string_view name) {
    if (name == "auto") {
        for (const Instructions instructions : {Instructions::avx512, Instructions::avx2, Instructions::neon}) {
            if (machine_has(instructions)) {
                return kernels_for(instructions);
            }
        }
        return plain::kernels;
    }
    const Instructions wanted = name == "avx512" ? Instructions::avx512
                                : name == "avx2" ? Instructions::avx2
                                : name == "neon" ? Instructions::neon
                                                 : Instructions::plain;
    if (wanted == Instructions::plain && name != "plain") {
        throw std::invalid_argument("unknown instruction set '" + std::string(name) +
                                    "'; use auto, plain, neon, avx2 or avx512");
    }
    if (!machine_has(wanted)) {
        throw std::invalid_argument("this machine has no " + std::string(name) + "; use auto");
    }
    return kernels_for(wanted);
}

} // namespace arcwise
