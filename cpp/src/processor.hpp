// What the processor is asked for besides arithmetic. The branches for MSVC have never been compiled.
#pragma once

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace arcwise {

// Tells the processor that this thread only waits for another.
inline void pause_briefly() noexcept {
#if defined(_MSC_VER) && !defined(__clang__) && defined(_M_ARM64)
    __yield();
#elif defined(_MSC_VER) && !defined(__clang__)
    _mm_pause();
#elif defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

#if defined(ARCWISE_X86_KERNELS)
#if defined(_MSC_VER) && !defined(__clang__)

// A bit of what leaf 7 of CPUID answers, where the system keeps these parts of the registers of a thread.
inline bool has_bit(int word, int bit, unsigned long long registers) noexcept {
    int basic[4];
    __cpuid(basic, 1);
    constexpr int osxsave = 27;
    if (((basic[2] >> osxsave) & 1) == 0 || (_xgetbv(0) & registers) != registers) {
        return false;
    }
    int extended[4];
    __cpuidex(extended, 7, 0);
    return ((extended[word] >> bit) & 1) != 0;
}

inline bool has_avx2() noexcept { return has_bit(1, 5, 0x06); }

inline bool has_avx512() noexcept { // F, BW, VL, VPOPCNTDQ
    return has_bit(1, 16, 0xe6) && has_bit(1, 30, 0xe6) && has_bit(1, 31, 0xe6) && has_bit(2, 14, 0xe6);
}

#else

inline bool has_avx2() noexcept { return __builtin_cpu_supports("avx2") != 0; }

inline bool has_avx512() noexcept {
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512vpopcntdq") != 0;
}

#endif
#endif

} // namespace arcwise
