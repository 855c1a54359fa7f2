// Functions of a count, tabulated: n ln n, ln Γ(n + a) − ln Γ(a), the regret of a multinomial.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace arcwise {

// A function of counts whose values are kept, as doubles or as whole multiples of a unit (std::int64_t), which add up
// without rounding. Thread-safe.
template <class Number> class CountTable {
  public:
    using Function = std::function<double(double)>;

    // The table fills from 0 upwards as far as counts have been asked for: a score may need hundreds of tables, most of
    // them only for small counts. Or only where it is asked: for functions that take long.
    enum class Filling { upwards, on_demand };

    // Counts from here on are computed each time: they are rare, and the tables stay small.
    static constexpr std::size_t max_entries = std::size_t{1} << 16;

    // `step`, where it is given, is function(n + 1) − function(n): it may be much cheaper. Whole numbers are the
    // function's values times `per_one`.
    CountTable(std::size_t largest_count, Function function, Function step = nullptr, double per_one = 1.0,
               Filling filling = Filling::upwards);

    // Lookups without locks. A value is the same whenever it is looked up for counts up to those asked for; above them,
    // what was computed in steps may be rounded in another way.
    class Values {
      public:
        [[nodiscard]] Number operator()(std::uint32_t count) const {
            return count < filled_ ? values_[count] : table_->not_filled(count);
        }

      private:
        friend class CountTable;
        Values(const CountTable &table, std::size_t filled) noexcept
            : values_(table.values_.get()), filled_(filled), table_(&table) {}

        const Number *values_;
        std::size_t filled_;
        const CountTable *table_;
    };

    [[nodiscard]] Values up_to(std::uint32_t count) const {
        std::size_t filled = filled_.load(std::memory_order_acquire);
        if (count >= filled && filled < size_ && values_ != nullptr) {
            filled = fill(count);
        }
        return {*this, filled};
    }

  private:
    std::size_t fill(std::size_t count) const;
    [[nodiscard]] Number not_filled(std::uint32_t count) const;
    [[nodiscard]] Number number(double value) const noexcept;

    Function function_;
    Function step_;
    double per_one_;
    std::size_t size_;
    std::unique_ptr<Number[]> values_;                 // of tables that fill upwards
    std::unique_ptr<std::atomic<Number>[]> on_demand_; // of the others; what nobody has asked for is `unknown`
    mutable std::atomic<std::size_t> filled_{0};
    mutable std::mutex mutex_;
    mutable double last_ = 0.0; // the value up to which the table is filled, and
    mutable double lost_ = 0.0; // what the running sum of the steps has rounded away
};

extern template class CountTable<double>;
extern template class CountTable<std::int64_t>;

// ln Γ(x) for x > 0, without the global sign that makes std::lgamma a data race.
[[nodiscard]] double log_gamma(double x) noexcept;

// ln C(n, k): the logarithm of the normalising sum of the NML distribution of a multinomial with k outcomes and
// n observations (Kontkanen & Myllymäki 2007; the sum for k = 2 in O(√n), Mononen & Myllymäki 2008).
[[nodiscard]] double log_multinomial_regret(double n, double k);

} // namespace arcwise
