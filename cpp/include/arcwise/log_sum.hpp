// Sums of numbers that are known by their logarithms.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace arcwise {

// ln(exp(a) + exp(b)); either may be minus infinity.
[[nodiscard]] inline double log_sum(double a, double b) noexcept {
    const double more = std::max(a, b);
    const double less = std::min(a, b);
    constexpr double no_difference = -38.0; // to the larger one, in a double
    return less - more > no_difference ? more + std::log1p(std::exp(less - more)) : more;
}

inline constexpr double log_of_nothing = -std::numeric_limits<double>::infinity();

} // namespace arcwise
