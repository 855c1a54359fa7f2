// Bit kernels in the instructions that every 64-bit ARM processor has; what they do not make faster is the portable
// one.
#include "arcwise/bits.hpp"

#include <algorithm>
#include <arm_neon.h>
#include <atomic>

namespace arcwise::neon {

namespace {

constexpr std::size_t words_per_vector = 2;
// A vector of bytes counts at most 8 in each byte: so many of them fit into bytes before they are widened.
constexpr std::size_t vectors_per_flush = 31;

std::uint64_t popcount_and(const std::uint64_t *a, const std::uint64_t *b, std::size_t words) {
    uint64x2_t total = vdupq_n_u64(0);
    for (std::size_t begin = 0; begin < words;) {
        const std::size_t end = std::min(words, begin + vectors_per_flush * words_per_vector);
        uint8x16_t bytes = vdupq_n_u8(0);
        for (; begin < end; begin += words_per_vector) {
            const uint64x2_t both = vandq_u64(vld1q_u64(a + begin), vld1q_u64(b + begin));
            bytes = vaddq_u8(bytes, vcntq_u8(vreinterpretq_u8_u64(both)));
        }
        total = vpadalq_u32(total, vpaddlq_u16(vpaddlq_u8(bytes)));
    }
    return vaddvq_u64(total);
}

void and_popcounts(const std::uint64_t *masks, std::size_t n_masks, const std::uint64_t *const *planes,
                   std::size_t n_planes, std::size_t words, std::uint32_t *out) {
    for (std::size_t p = 0; p < n_planes; ++p) {
        for (std::size_t m = 0; m < n_masks; ++m) {
            out[p * n_masks + m] = static_cast<std::uint32_t>(popcount_and(masks + m * words, planes[p], words));
        }
    }
}

std::uint64_t intersect(const std::uint64_t *a, const std::uint64_t *b, std::uint64_t *out, std::size_t words) {
    for (std::size_t w = 0; w < words; w += words_per_vector) {
        vst1q_u64(out + w, vandq_u64(vld1q_u64(a + w), vld1q_u64(b + w)));
    }
    return popcount_and(out, out, words);
}

std::uint64_t dot(const std::uint64_t *a, const std::uint64_t *b, std::size_t words, std::size_t repeats) {
    std::uint64_t count = 0;
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
        count += popcount_and(a, b, words);
        std::atomic_signal_fence(std::memory_order_seq_cst); // keeps the passes apart
    }
    return count;
}

} // namespace

const BitKernels &kernels() {
    static const BitKernels found = [] {
        BitKernels made = plain::kernels;
        made.instructions = Instructions::neon;
        made.words_per_ns = 1.5;
        made.and_popcounts = and_popcounts;
        made.intersect = intersect;
        made.dot = dot;
        return made;
    }();
    return found;
}

} // namespace arcwise::neon
