// What scores sum: functions of the counts of a family, as tables of whole numbers.
#pragma once

#include "arcwise/count_table.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>

namespace arcwise {

// Terms are whole numbers of a tiny unit, so that a sum does not depend on the order in which they are added: every way
// of counting a family, from whichever other one, gives the same score to the last bit. Otherwise ties would be decided
// by which of several threads was the first to count a family.
using ScoreTable = CountTable<std::int64_t>;

// score = constant + Σ_{jk} cell(n_jk) + Σ_j row(n_j), over child states k and parent configurations j.
// Both functions are 0 at 0, so that only what was observed needs to be counted.
struct ScoreTerms {
    const ScoreTable *cell;
    const ScoreTable *row;
    double constant;
};

// Σ_{jk} cell(n_jk) + Σ_j row(n_j) over whole rows of r counts. `largest` is the largest row, or more.
[[nodiscard]] std::int64_t sum_of_terms(std::span<const std::uint32_t> counts, std::size_t r, std::uint32_t largest,
                                        const ScoreTerms &terms);

// A function of a count, with one parameter, that is 0 at 0. Functions are told apart by where they are: each is one
// constant.
struct TermFunction {
    double (*value)(double n, double parameter);
    double (*step)(double n, double parameter) = nullptr; // value(n + 1) − value(n), where that is cheaper
    ScoreTable::Filling filling = ScoreTable::Filling::upwards;
};

// The tables that a score has needed so far, for counts that sum to n_observations. They live as long as this does.
// Thread-safe.
class TermTables {
  public:
    explicit TermTables(std::size_t n_observations);

    // n ln n, and −n ln n.
    [[nodiscard]] const ScoreTable &entropy() const noexcept { return entropy_; }
    [[nodiscard]] const ScoreTable &minus_entropy() const noexcept { return minus_entropy_; }

    // Any other function; `spread` is over how many configurations the counts spread.
    [[nodiscard]] const ScoreTable &of(const TermFunction &function, double parameter, double spread) const;

    // What a sum of terms stands for.
    [[nodiscard]] double nats(std::int64_t units) const noexcept { return static_cast<double>(units) * nats_per_unit_; }

    [[nodiscard]] std::size_t n_observations() const noexcept { return n_observations_; }

  private:
    std::size_t n_observations_;
    double nats_per_unit_; // a power of two
    ScoreTable entropy_;
    ScoreTable minus_entropy_;
    mutable std::mutex mutex_;
    mutable std::map<std::tuple<const TermFunction *, double, std::size_t>, std::unique_ptr<ScoreTable>> tables_;
};

// n ln n, and 0 at 0.
[[nodiscard]] double entropy(double n);

} // namespace arcwise
