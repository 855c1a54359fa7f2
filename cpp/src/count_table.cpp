#include "arcwise/count_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace arcwise {

CountTable::CountTable(std::size_t largest_count, Function function, Function step)
    : function_(std::move(function)), step_(std::move(step)), size_(std::min(largest_count + 1, max_entries)),
      values_(std::make_unique_for_overwrite<double[]>(size_)) {}

// Fills the table through `count`, or as far as it goes, and returns how many values it has.
std::size_t CountTable::fill(std::size_t count) const {
    const std::scoped_lock lock(mutex_);
    const std::size_t filled = filled_.load(std::memory_order_relaxed);
    // Half as many again, so that slowly growing counts do not come here each time.
    const std::size_t end = std::min(size_, std::max(count + 1, filled + filled / 2));
    for (std::size_t n = filled; n < end; ++n) {
        if (n == 0 || !step_) {
            values_[n] = function_(static_cast<double>(n));
        } else { // compensated summation (Kahan 1965)
            const double step = step_(static_cast<double>(n - 1)) - lost_;
            values_[n] = values_[n - 1] + step;
            lost_ = (values_[n] - values_[n - 1]) - step;
        }
    }
    filled_.store(std::max(filled, end), std::memory_order_release);
    return std::max(filled, end);
}

double log_gamma(double x) noexcept {
#if defined(__unix__) || defined(__APPLE__)
    int sign = 0;
    return ::lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}

namespace {

// Past this many outcomes the recurrence gives way to the approximation; there they differ by less
// than 1e-10 of their value, for 100 to 400,000 observations.
constexpr double max_recurrence = 65536;

// C(n, 2) = Σ_{h=0}^{n} n! / ((n − h)! n^h); the terms fall like exp(−h² / 2n).
double binomial_regret(double n) {
    double sum = 1.0;
    double term = 1.0;
    for (double h = 1.0; h <= n; ++h) {
        term *= (n - h + 1.0) / n;
        sum += term;
        if (term < 1e-18 * sum) {
            break;
        }
    }
    return sum;
}

// Szpankowski & Weinberger (2012), doi:10.1109/TIT.2012.2195769, Theorem 2, for k of the order of n and beyond.
double approximate_log_regret(double n, double k) {
    const double alpha = k / n;
    // C = 1/2 + 1/2 √(1 + 4/α), written so that nothing cancels where α is large.
    const double c_minus_one = 2.0 / alpha / (1.0 + std::sqrt(1.0 + 4.0 / alpha));
    const double c = 1.0 + c_minus_one;
    return n * (std::log(alpha) + (alpha + 2.0) * std::log1p(c_minus_one) - 1.0 / c) - 0.5 * std::log(c + 2.0 / alpha);
}

} // namespace

double log_multinomial_regret(double n, double k) {
    if (n < 1.0 || k <= 1.0) {
        return 0.0;
    }
    if (k > max_recurrence) {
        return approximate_log_regret(n, k);
    }
    // C(n, j + 2) = C(n, j + 1) + (n / j) C(n, j), carried in logarithms: the numbers grow like n^{k/2}.
    double previous = 0.0;
    double current = std::log(binomial_regret(n));
    for (double j = 1.0; j + 2.0 <= k; ++j) {
        const double next = current + std::log1p(n / j * std::exp(previous - current));
        previous = current;
        current = next;
    }
    return current;
}

} // namespace arcwise
