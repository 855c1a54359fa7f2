// Equality but for rounding.
#pragma once

#include <cmath>

namespace testing {

inline bool near(double a, double b, double tolerance = 1e-9) {
    return std::abs(a - b) <= tolerance * (1.0 + std::abs(a) + std::abs(b));
}

} // namespace testing
