// Functions of a count, tabulated: n ln n, ln Γ(n + a) − ln Γ(a), the regret of a multinomial.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace arcwise {

// A function of counts whose values are kept once computed. Entries fill on first use: most counts never occur,
// and a score may need hundreds of tables. Two threads may fill an entry at once; both write the same number.
class CountTable {
  public:
    // Counts above this are computed each time: they are rare, and the tables stay small.
    static constexpr std::size_t max_entries = 1 << 16;

    CountTable(std::size_t largest_count, std::function<double(double)> function)
        : function_(std::move(function)), values_(std::min(largest_count + 1, max_entries)) {
        for (auto &value : values_) {
            value.store(std::numeric_limits<double>::quiet_NaN(), std::memory_order_relaxed);
        }
    }

    [[nodiscard]] double operator()(std::uint32_t count) const {
        if (count < values_.size()) [[likely]] {
            const double value = values_[count].load(std::memory_order_relaxed);
            return value == value ? value : fill(count);
        }
        return function_(count);
    }

  private:
    double fill(std::uint32_t count) const;

    std::function<double(double)> function_;
    mutable std::vector<std::atomic<double>> values_;
};

// ln Γ(x) for x > 0, without the global sign that makes std::lgamma a data race.
[[nodiscard]] double log_gamma(double x) noexcept;

// ln C(n, k): the logarithm of the normalising sum of the NML distribution of a multinomial with k outcomes and
// n observations (Kontkanen & Myllymäki 2007; the sum for k = 2 in O(√n), Mononen & Myllymäki 2008).
[[nodiscard]] double log_multinomial_regret(double n, double k);

} // namespace arcwise
