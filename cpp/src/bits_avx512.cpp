// Bit kernels for AVX-512 with VPOPCNTDQ. This file alone is compiled with those instructions, so it calls no inline
// function of a shared header: the linker could keep its copy for machines that lack them.
#include "append_digit.hpp"
#include "arcwise/bits.hpp"

#include <atomic>
#include <immintrin.h>

namespace arcwise::avx512 {
namespace {

// The sums of eight registers of eight counters each, which takes a fourth of the instructions of eight sums.
__m256i sums_of_eight(const __m512i *of) {
    __m512i pairs[4]; // 128 bits of the one beside 128 bits of the other, four times
    for (std::size_t i = 0; i < 4; ++i) {
        pairs[i] = _mm512_add_epi64(_mm512_unpacklo_epi64(of[2 * i], of[2 * i + 1]),
                                    _mm512_unpackhi_epi64(of[2 * i], of[2 * i + 1]));
    }
    const auto halved = [](__m512i a, __m512i b) { // neighbours of 128 bits added up, those of a first
        return _mm512_add_epi64(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xdd));
    };
    return _mm512_cvtepi64_epi32(halved(halved(pairs[0], pairs[1]), halved(pairs[2], pairs[3])));
}

// A tile of Masks × Planes counters stays in registers while both sides stream by, as in a matrix product:
// each loaded block is used several times, so that the loop is bound by popcounts and not by loads.
template <int Masks, int Planes>
void tile(const std::uint64_t *masks, std::size_t n_masks, const std::uint64_t *const *planes, std::size_t words,
          std::uint32_t *out) {
    constexpr int size = (Masks * Planes + 7) / 8 * 8;
    __m512i counts[size];
    for (auto &count : counts) {
        count = _mm512_setzero_si512();
    }
    for (std::size_t w = 0; w < words; w += block_words) {
        __m512i mask[Masks];
        for (int m = 0; m < Masks; ++m) {
            mask[m] = _mm512_load_si512(masks + static_cast<std::size_t>(m) * words + w);
        }
        for (int p = 0; p < Planes; ++p) {
            const __m512i plane = _mm512_load_si512(planes[p] + w);
            for (int m = 0; m < Masks; ++m) {
                __m512i &count = counts[p * Masks + m];
                count = _mm512_add_epi64(count, _mm512_popcnt_epi64(_mm512_and_si512(mask[m], plane)));
            }
        }
    }
    alignas(block_bytes) std::uint32_t sums[size];
    for (int i = 0; i < size; i += 8) {
        _mm256_store_si256(reinterpret_cast<__m256i *>(sums + i), sums_of_eight(counts + i));
    }
    for (int p = 0; p < Planes; ++p) {
        for (int m = 0; m < Masks; ++m) {
            out[static_cast<std::size_t>(p) * n_masks + static_cast<std::size_t>(m)] = sums[p * Masks + m];
        }
    }
}

template <int Planes>
void strip(const std::uint64_t *masks, std::size_t n_masks, const std::uint64_t *const *planes, std::size_t words,
           std::uint32_t *out) {
    std::size_t m = 0;
    for (; m + 4 <= n_masks; m += 4) {
        tile<4, Planes>(masks + m * words, n_masks, planes, words, out + m);
    }
    switch (n_masks - m) {
    case 3:
        return tile<3, Planes>(masks + m * words, n_masks, planes, words, out + m);
    case 2:
        return tile<2, Planes>(masks + m * words, n_masks, planes, words, out + m);
    case 1:
        return tile<1, Planes>(masks + m * words, n_masks, planes, words, out + m);
    default:
        return;
    }
}

void and_popcounts(const std::uint64_t *masks, std::size_t n_masks, const std::uint64_t *const *planes,
                   std::size_t n_planes, std::size_t words, std::uint32_t *out) {
    std::size_t p = 0;
    for (; n_masks == 1 && p + 8 <= n_planes; p += 8) {
        tile<1, 8>(masks, 1, planes + p, words, out + p);
    }
    for (; p + 4 <= n_planes; p += 4) {
        strip<4>(masks, n_masks, planes + p, words, out + p * n_masks);
    }
    for (; p < n_planes; ++p) {
        strip<1>(masks, n_masks, planes + p, words, out + p * n_masks);
    }
}

std::uint64_t intersect(const std::uint64_t *a, const std::uint64_t *b, std::uint64_t *out, std::size_t words) {
    __m512i count = _mm512_setzero_si512();
    for (std::size_t w = 0; w < words; w += block_words) {
        const __m512i both = _mm512_and_si512(_mm512_load_si512(a + w), _mm512_load_si512(b + w));
        _mm512_store_si512(out + w, both);
        count = _mm512_add_epi64(count, _mm512_popcnt_epi64(both));
    }
    return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(count));
}

// 64 counters of 32 bits in four registers; a quarter of a row's word is the mask of a register.
void count_weighted_columns(const std::uint64_t *words, const std::uint32_t *rows, std::size_t n_rows,
                            const std::uint32_t *weights, std::uint32_t *counts) {
    __m512i sums[4];
    for (std::size_t part = 0; part < 4; ++part) {
        sums[part] = _mm512_loadu_si512(counts + 16 * part);
    }
    for (std::size_t i = 0; i < n_rows; ++i) {
        const std::uint64_t word = words[rows[i]];
        const __m512i weight = _mm512_set1_epi32(static_cast<int>(weights[rows[i]]));
        for (std::size_t part = 0; part < 4; ++part) {
            sums[part] =
                _mm512_mask_add_epi32(sums[part], static_cast<__mmask16>(word >> (16 * part)), sums[part], weight);
        }
    }
    for (std::size_t part = 0; part < 4; ++part) {
        _mm512_storeu_si512(counts + 16 * part, sums[part]);
    }
}

// 64 counters of a byte each; a row's word is the mask of those that count it.
void count_columns(const std::uint64_t *words, const std::uint32_t *rows, std::size_t n_rows,
                   const std::uint32_t *weights, std::uint32_t *counts) {
    if (weights != nullptr) {
        count_weighted_columns(words, rows, n_rows, weights, counts);
        return;
    }
    constexpr std::size_t rows_per_flush = std::size_t{2} * 255; // what a byte of each register holds
    const __m512i minus_one = _mm512_set1_epi8(-1);
    for (std::size_t begin = 0; begin < n_rows; begin += rows_per_flush) {
        const std::size_t end = n_rows - begin < rows_per_flush ? n_rows : begin + rows_per_flush;
        __m512i even = _mm512_setzero_si512();
        __m512i odd = _mm512_setzero_si512();
        std::size_t i = begin;
        for (; i + 2 <= end; i += 2) {
            even = _mm512_mask_sub_epi8(even, words[rows[i]], even, minus_one);
            odd = _mm512_mask_sub_epi8(odd, words[rows[i + 1]], odd, minus_one);
        }
        if (i < end) {
            even = _mm512_mask_sub_epi8(even, words[rows[i]], even, minus_one);
        }
        alignas(block_bytes) std::uint8_t bytes[2][64];
        _mm512_store_si512(bytes[0], even);
        _mm512_store_si512(bytes[1], odd);
        for (std::size_t column = 0; column < 64; column += 16) {
            const auto widened = [&](const std::uint8_t *of) {
                return _mm512_cvtepu8_epi32(_mm_load_si128(reinterpret_cast<const __m128i *>(of + column)));
            };
            const __m512i sum = _mm512_add_epi32(widened(bytes[0]), widened(bytes[1]));
            _mm512_storeu_si512(counts + column, _mm512_add_epi32(_mm512_loadu_si512(counts + column), sum));
        }
    }
}

std::uint64_t dot(const std::uint64_t *a, const std::uint64_t *b, std::size_t words, std::size_t repeats) {
    __m512i even = _mm512_setzero_si512();
    __m512i odd = _mm512_setzero_si512();
    const std::size_t pairs = words / (2 * block_words) * (2 * block_words);
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
        for (std::size_t w = 0; w < pairs; w += 2 * block_words) {
            const __m512i first = _mm512_and_si512(_mm512_load_si512(a + w), _mm512_load_si512(b + w));
            const __m512i second =
                _mm512_and_si512(_mm512_load_si512(a + w + block_words), _mm512_load_si512(b + w + block_words));
            even = _mm512_add_epi64(even, _mm512_popcnt_epi64(first));
            odd = _mm512_add_epi64(odd, _mm512_popcnt_epi64(second));
        }
        for (std::size_t w = pairs; w < words; w += block_words) {
            const __m512i both = _mm512_and_si512(_mm512_load_si512(a + w), _mm512_load_si512(b + w));
            even = _mm512_add_epi64(even, _mm512_popcnt_epi64(both));
        }
        std::atomic_signal_fence(std::memory_order_seq_cst); // keeps the passes apart
    }
    return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(_mm512_add_epi64(even, odd)));
}

void fill_planes(const std::uint8_t *codes, std::size_t n_rows, std::size_t arity, std::uint64_t *planes,
                 std::size_t words) {
    const std::size_t whole = n_rows / 64;
    for (std::size_t w = 0; w < whole; ++w) {
        const __m512i block = _mm512_loadu_si512(codes + 64 * w);
        for (std::size_t state = 0; state < arity; ++state) {
            planes[state * words + w] = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(static_cast<char>(state)));
        }
    }
    plain::fill_planes(codes, 64 * whole, n_rows, planes, words);
}

} // namespace

const BitKernels kernels{Instructions::avx512, 17.0,         0.7,         1.5, and_popcounts, intersect,
                         count_columns,        append_digit, fill_planes, dot};

} // namespace arcwise::avx512
