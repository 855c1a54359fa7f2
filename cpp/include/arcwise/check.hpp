// Assertions of the debug build: every number that is kept up incrementally is compared with its recomputation.
#pragma once

#ifdef ARCWISE_DEBUG
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define ARCWISE_ASSERT(condition)                                                                                      \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition);                     \
            std::abort();                                                                                              \
        }                                                                                                              \
    } while (false)

namespace arcwise {
inline constexpr bool has_assertions = true;

// Equal but for rounding; scores of n observations are differences of sums as large as n ln n.
inline bool close(double a, double b, double n) {
    return a == b || std::abs(a - b) <= 1e-9 * (1.0 + std::abs(a) + std::abs(b)) + 1e-12 * n * std::log(n + 1.0);
}
} // namespace arcwise
#else
#define ARCWISE_ASSERT(condition) ((void)0)

namespace arcwise {
inline constexpr bool has_assertions = false;
} // namespace arcwise
#endif
