#include "arcwise/count_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace arcwise {

namespace {

template <class Number> constexpr Number unknown = std::numeric_limits<Number>::lowest();

} // namespace

template <class Number>
CountTable<Number>::CountTable(std::size_t largest_count, Function function, Function step, double per_one,
                               Filling filling)
    : function_(std::move(function)), step_(std::move(step)), per_one_(per_one),
      size_(std::min(largest_count + 1, max_entries)) {
    if (filling == Filling::upwards) {
        values_ = std::make_unique_for_overwrite<Number[]>(size_);
        return;
    }
    on_demand_ = std::make_unique_for_overwrite<std::atomic<Number>[]>(size_);
    for (std::size_t n = 0; n < size_; ++n) {
        on_demand_[n].store(unknown<Number>, std::memory_order_relaxed);
    }
}

template <class Number> Number CountTable<Number>::number(double value) const noexcept {
    if constexpr (std::is_integral_v<Number>) {
        constexpr double most = 0x1p62; // beyond, and for NaN, the conversion would be undefined
        const double scaled = value * per_one_;
        return scaled < most ? static_cast<Number>(std::nearbyint(std::max(scaled, -most))) : static_cast<Number>(most);
    } else {
        return value;
    }
}

// Fills the table through `count`, or as far as it goes, and returns how many values it has.
template <class Number> std::size_t CountTable<Number>::fill(std::size_t count) const {
    const std::scoped_lock lock(mutex_);
    const std::size_t filled = filled_.load(std::memory_order_relaxed);
    // Half as many again, so that slowly growing counts do not come here each time.
    const std::size_t end = std::min(size_, std::max(count + 1, filled + filled / 2));
    for (std::size_t n = filled; n < end; ++n) {
        if (n == 0 || !step_) {
            last_ = function_(static_cast<double>(n));
        } else { // compensated summation (Kahan 1965)
            const double step = step_(static_cast<double>(n - 1)) - lost_;
            const double next = last_ + step;
            lost_ = (next - last_) - step;
            last_ = next;
        }
        values_[n] = number(last_);
    }
    filled_.store(std::max(filled, end), std::memory_order_release);
    return std::max(filled, end);
}

template <class Number> Number CountTable<Number>::not_filled(std::uint32_t count) const {
    if (on_demand_ == nullptr || count >= size_) {
        return number(function_(count));
    }
    Number value = on_demand_[count].load(std::memory_order_relaxed);
    if (value == unknown<Number>) { // two threads may compute it at the same time: to the same end
        value = number(function_(count));
        on_demand_[count].store(value, std::memory_order_relaxed);
    }
    return value;
}

template class CountTable<double>;
template class CountTable<std::int64_t>;

double log_gamma(double x) noexcept {
#if defined(__unix__) || defined(__APPLE__)
    int sign = 0;
    return ::lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}

namespace {

// Past so many outcomes and observations the sums give way to the approximation; there they differ by less than 1e-10
// of their value.
constexpr double max_terms = 65536;
// With more outcomes than this, a single term may leave the range of doubles.
constexpr double most_outcomes = 0x1p60;

// C(n, k) = Σ_{h=0}^{n} n^{\underline h} (k − 1)^{\overline h} / (n^h h!) (Mononen & Myllymäki 2008): positive terms
// that rise and then fall, as long as they matter.
double log_sum_over_falls(double n, double k) {
    constexpr double huge = 0x1p500;
    double sum = 1.0;
    double term = 1.0;
    double log_scale = 0.0;
    for (std::int64_t fallen = 0; static_cast<double>(fallen) < n; ++fallen) {
        const auto h = static_cast<double>(fallen);
        const double ratio = (n - h) / n * ((k - 1.0 + h) / (h + 1.0));
        term *= ratio;
        sum += term;
        if (ratio < 1.0 && term < 1e-18 * sum) {
            break;
        }
        if (sum > huge) {
            sum /= huge;
            term /= huge;
            log_scale += std::log(huge);
        }
    }
    return log_scale + std::log(sum);
}

// C(n, j + 2) = C(n, j + 1) + (n / j) C(n, j), carried in logarithms: the numbers grow like n^{k/2}.
double log_regret_by_recurrence(double n, double k) {
    double previous = 0.0;
    double current = log_sum_over_falls(n, 2.0);
    for (std::int64_t outcome = 1; static_cast<double>(outcome) + 2.0 <= k; ++outcome) {
        const auto j = static_cast<double>(outcome);
        const double next = current + std::log1p(n / j * std::exp(previous - current));
        previous = current;
        current = next;
    }
    return current;
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
    if (n <= k && n <= max_terms && k <= most_outcomes) {
        return log_sum_over_falls(n, k);
    }
    return k <= max_terms ? log_regret_by_recurrence(n, k) : approximate_log_regret(n, k);
}

} // namespace arcwise
