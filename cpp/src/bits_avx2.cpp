// Bit kernels for AVX2. This file alone is compiled with those instructions, so it calls no inline function of a
// shared header: the linker could keep its copy for machines that lack them.
#include "append_digit.hpp"
#include "arcwise/bits.hpp"

#include <atomic>
#include <immintrin.h>

namespace arcwise::avx2 {
namespace {

constexpr std::size_t vector_words = 4;
// A byte counter takes up to 8 per vector: 31 vectors fit before it must be emptied.
constexpr std::size_t vectors_per_flush = 31;

__m256i load(const std::uint64_t *words) { return _mm256_load_si256(reinterpret_cast<const __m256i *>(words)); }

// Bits set in each byte, by looking up its two halves (W. Muła, N. Kurz, D. Lemire 2018, doi:10.1093/comjnl/bxx046).
__m256i byte_popcounts(__m256i bits) {
    const __m256i of_nibble = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, //
                                               0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(0x0f);
    return _mm256_add_epi8(_mm256_shuffle_epi8(of_nibble, _mm256_and_si256(bits, low)),
                           _mm256_shuffle_epi8(of_nibble, _mm256_and_si256(_mm256_srli_epi16(bits, 4), low)));
}

std::uint64_t sum(__m256i counts) {
    alignas(32) std::uint64_t parts[vector_words];
    _mm256_store_si256(reinterpret_cast<__m256i *>(parts), counts);
    return parts[0] + parts[1] + parts[2] + parts[3];
}

template <int Masks, int Planes>
void tile(const std::uint64_t *masks, std::size_t n_masks, const std::uint64_t *const *planes, std::size_t words,
          std::uint32_t *out) {
    __m256i counts[Planes][Masks];
    for (auto &row : counts) {
        for (auto &count : row) {
            count = _mm256_setzero_si256();
        }
    }
    for (std::size_t begin = 0; begin < words; begin += vectors_per_flush * vector_words) {
        const std::size_t flush = begin + vectors_per_flush * vector_words;
        const std::size_t end = flush < words ? flush : words;
        __m256i bytes[Planes][Masks];
        for (auto &row : bytes) {
            for (auto &byte : row) {
                byte = _mm256_setzero_si256();
            }
        }
        for (std::size_t w = begin; w < end; w += vector_words) {
            for (int p = 0; p < Planes; ++p) {
                const __m256i plane = load(planes[p] + w);
                for (int m = 0; m < Masks; ++m) {
                    const __m256i mask = load(masks + static_cast<std::size_t>(m) * words + w);
                    bytes[p][m] = _mm256_add_epi8(bytes[p][m], byte_popcounts(_mm256_and_si256(mask, plane)));
                }
            }
        }
        for (int p = 0; p < Planes; ++p) {
            for (int m = 0; m < Masks; ++m) {
                counts[p][m] = _mm256_add_epi64(counts[p][m], _mm256_sad_epu8(bytes[p][m], _mm256_setzero_si256()));
            }
        }
    }
    for (int p = 0; p < Planes; ++p) {
        for (int m = 0; m < Masks; ++m) {
            out[static_cast<std::size_t>(p) * n_masks + static_cast<std::size_t>(m)] =
                static_cast<std::uint32_t>(sum(counts[p][m]));
        }
    }
}

void and_popcounts(const std::uint64_t *masks, std::size_t n_masks, const std::uint64_t *const *planes,
                   std::size_t n_planes, std::size_t words, std::uint32_t *out) {
    for (std::size_t p = 0; p < n_planes; ++p) {
        std::size_t m = 0;
        for (; m + 4 <= n_masks; m += 4) {
            tile<4, 1>(masks + m * words, n_masks, planes + p, words, out + p * n_masks + m);
        }
        for (; m < n_masks; ++m) {
            tile<1, 1>(masks + m * words, n_masks, planes + p, words, out + p * n_masks + m);
        }
    }
}

std::uint64_t intersect(const std::uint64_t *a, const std::uint64_t *b, std::uint64_t *out, std::size_t words) {
    __m256i count = _mm256_setzero_si256();
    for (std::size_t w = 0; w < words; w += vector_words) {
        const __m256i both = _mm256_and_si256(load(a + w), load(b + w));
        _mm256_store_si256(reinterpret_cast<__m256i *>(out + w), both);
        count = _mm256_add_epi64(count, _mm256_sad_epu8(byte_popcounts(both), _mm256_setzero_si256()));
    }
    return sum(count);
}

// All ones in byte i where bit i of the 32 is set.
__m256i spread(std::uint32_t bits) {
    const __m256i byte_of_column = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, //
                                                    2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m256i bit_of_column = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201U));
    const __m256i all = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), byte_of_column);
    return _mm256_cmpeq_epi8(_mm256_and_si256(all, bit_of_column), bit_of_column);
}

void count_columns(const std::uint64_t *words, const std::uint32_t *rows, std::size_t n_rows,
                   const std::uint32_t *weights, std::uint32_t *counts) {
    if (weights != nullptr) {
        plain::count_weighted_columns(words, rows, n_rows, weights, counts);
        return;
    }
    constexpr std::size_t rows_per_flush = 255; // what a byte holds
    for (std::size_t begin = 0; begin < n_rows; begin += rows_per_flush) {
        const std::size_t end = n_rows - begin < rows_per_flush ? n_rows : begin + rows_per_flush;
        __m256i low = _mm256_setzero_si256();
        __m256i high = _mm256_setzero_si256();
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint64_t word = words[rows[i]];
            low = _mm256_sub_epi8(low, spread(static_cast<std::uint32_t>(word)));
            high = _mm256_sub_epi8(high, spread(static_cast<std::uint32_t>(word >> 32)));
        }
        alignas(32) std::uint8_t bytes[64];
        _mm256_store_si256(reinterpret_cast<__m256i *>(bytes), low);
        _mm256_store_si256(reinterpret_cast<__m256i *>(bytes + 32), high);
        for (std::size_t column = 0; column < 64; ++column) {
            counts[column] += bytes[column];
        }
    }
}

std::uint64_t dot(const std::uint64_t *a, const std::uint64_t *b, std::size_t words, std::size_t repeats) {
    std::uint64_t count = 0;
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
        const std::uint64_t *planes[1] = {b};
        std::uint32_t once = 0;
        tile<1, 1>(a, 1, planes, words, &once);
        count += once;
        std::atomic_signal_fence(std::memory_order_seq_cst); // keeps the passes apart
    }
    return count;
}

void fill_planes(const std::uint8_t *codes, std::size_t n_rows, std::size_t arity, std::uint64_t *planes,
                 std::size_t words) {
    const std::size_t whole = n_rows / 64;
    for (std::size_t w = 0; w < whole; ++w) {
        const auto *block = reinterpret_cast<const __m256i *>(codes + 64 * w);
        const __m256i low = _mm256_loadu_si256(block);
        const __m256i high = _mm256_loadu_si256(block + 1);
        for (std::size_t state = 0; state < arity; ++state) {
            const __m256i wanted = _mm256_set1_epi8(static_cast<char>(state));
            const auto first = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted)));
            const auto second = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted)));
            planes[state * words + w] = first | (static_cast<std::uint64_t>(second) << 32);
        }
    }
    plain::fill_planes(codes, 64 * whole, n_rows, planes, words);
}

} // namespace

const BitKernels kernels{Instructions::avx2, 5.0,           1.5,          15.0,        and_popcounts,
                         intersect,          count_columns, append_digit, fill_planes, dot};

} // namespace arcwise::avx2
