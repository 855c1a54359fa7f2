// Functions of a count, tabulated: n ln n, ln Γ(n + a) − ln Γ(a), the regret of a multinomial.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace arcwise {

// A function of counts whose values are kept. The table fills from 0 upwards as far as counts have been asked for: a
// score may need hundreds of tables, most of them only for small counts. Thread-safe.
class CountTable {
  public:
    using Function = std::function<double(double)>;

    // Counts from here on are computed each time: they are rare, and the tables stay small.
    static constexpr std::size_t max_entries = std::size_t{1} << 16;

    // `step`, where it is given, is function(n + 1) − function(n): it may be much cheaper.
    CountTable(std::size_t largest_count, Function function, Function step = nullptr);

    // Lookups without locks, for counts that are mostly at most those asked for.
    class Values {
      public:
        [[nodiscard]] double operator()(std::uint32_t count) const {
            return count < filled_ ? values_[count] : table_->function_(count);
        }

      private:
        friend class CountTable;
        Values(const CountTable &table, std::size_t filled) noexcept
            : values_(table.values_.get()), filled_(filled), table_(&table) {}

        const double *values_;
        std::size_t filled_;
        const CountTable *table_;
    };

    [[nodiscard]] Values up_to(std::uint32_t count) const {
        std::size_t filled = filled_.load(std::memory_order_acquire);
        if (count >= filled && filled < size_) {
            filled = fill(count);
        }
        return {*this, filled};
    }

  private:
    std::size_t fill(std::size_t count) const;

    Function function_;
    Function step_;
    std::size_t size_;
    std::unique_ptr<double[]> values_;
    mutable std::atomic<std::size_t> filled_{0};
    mutable std::mutex mutex_;
    mutable double lost_ = 0.0; // what the running sum of the steps has rounded away
};

// ln Γ(x) for x > 0, without the global sign that makes std::lgamma a data race.
[[nodiscard]] double log_gamma(double x) noexcept;

// ln C(n, k): the logarithm of the normalising sum of the NML distribution of a multinomial with k outcomes and
// n observations (Kontkanen & Myllymäki 2007; the sum for k = 2 in O(√n), Mononen & Myllymäki 2008).
[[nodiscard]] double log_multinomial_regret(double n, double k);

} // namespace arcwise
