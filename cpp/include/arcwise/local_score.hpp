// A score bound to a table: local scores, one at a time or in batches, remembered.
#pragma once

#include "arcwise/counter.hpp"
#include "arcwise/score.hpp"
#include "arcwise/score_cache.hpp"

#include <atomic>
#include <span>

namespace arcwise {

class LocalScore {
  public:
    LocalScore(TableView table, ScoreKind kind, double parameter, const BitKernels &kernels, std::size_t cache_bytes);

    [[nodiscard]] std::size_t n_variables() const noexcept { return counter_.table().n_variables(); }
    [[nodiscard]] const Counter &counter() const noexcept { return counter_; }
    [[nodiscard]] const Score &score() const noexcept { return score_; }
    // Differences of local scores up to this are rounding: scores are differences of sums as large as N ln N.
    [[nodiscard]] double rounding() const noexcept { return rounding_; }
    [[nodiscard]] const SetKeys &keys() const noexcept { return cache_.keys(); }

    // The score of a child with the given parents.
    [[nodiscard]] double local(Variable child, std::span<const Variable> parents, Budget *budget = nullptr) const;

    // scores[i] = the score with candidates[i] as one more parent. Returns false when the budget ended it early;
    // what was not scored is then NaN.
    bool additions(Variable child, std::span<const Variable> parents, std::span<const Variable> candidates,
                   std::span<double> scores, Budget *budget = nullptr) const;

    // The same without the cache: for searches that score each set once and more of them than could be remembered.
    // Where `bounds` is not empty, bounds[i] is what no family with candidates[i] and further parents can exceed, given
    // what is known of these.
    bool count_additions(Variable child, std::span<const Variable> parents, std::span<const Variable> candidates,
                         std::span<double> scores, std::span<double> bounds, const Supersets &supersets,
                         Budget *budget) const;

    // The log-likelihood of a child with the given parents, whatever the score.
    [[nodiscard]] double log_likelihood(Variable child, std::span<const Variable> parents) const;

    // scores[i] = the score without parents[i].
    void removals(Variable child, std::span<const Variable> parents, std::span<double> scores,
                  Budget *budget = nullptr) const;

    // The score counted anew and charged, without the cache.
    [[nodiscard]] double counted(Variable child, std::span<const Variable> parents, Budget *budget) const;

    // The score counted anew, without the cache and without touching a counter.
    [[nodiscard]] double recounted(Variable child, std::span<const Variable> parents) const;

    // Counts evaluations, also of kernels that count something else on the same table.
    void charge(std::uint64_t evaluations, Budget *budget) const noexcept;

    [[nodiscard]] std::uint64_t evaluations() const noexcept { return evaluations_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t cache_hits() const noexcept { return cache_hits_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::size_t cache_bytes() const noexcept { return cache_.bytes(); }

  private:
    // The shape of a family, with one more parent of so many states where it is given.
    [[nodiscard]] FamilyShape shape(Variable child, std::span<const Variable> parents) const;
    [[nodiscard]] FamilyShape shape_with(Variable child, std::span<const Variable> parents,
                                         std::size_t states_of_one_more) const;
    // How many configurations the parents have: the same in whatever order they come.
    [[nodiscard]] double configurations(std::span<const Variable> parents, std::size_t states_of_one_more = 1) const;
    [[nodiscard]] double score_of(std::span<const std::uint32_t> counts, std::size_t r, const FamilyShape &shape) const;
    [[nodiscard]] double score_of_sorted_rows(Variable child, std::span<const Variable> parents,
                                              const FamilyShape &shape) const;

    Counter counter_;
    Score score_;
    double rounding_;
    mutable ScoreCache cache_;
    mutable std::atomic<std::uint64_t> evaluations_{0};
    mutable std::atomic<std::uint64_t> cache_hits_{0};
};

} // namespace arcwise
