// Local scores as searches ask for them: answered by an engine, remembered and counted.
#pragma once

#include "arcwise/score_cache.hpp"
#include "arcwise/score_engine.hpp"

#include <atomic>
#include <memory>
#include <span>

namespace arcwise {

class LocalScore {
  public:
    LocalScore(std::shared_ptr<const ScoreEngine> engine, std::size_t cache_bytes);
    // A score that is counted on a table.
    LocalScore(TableView table, ScoreKind kind, double parameter, const BitKernels &kernels, std::size_t cache_bytes);

    [[nodiscard]] const ScoreEngine &engine() const noexcept { return *engine_; }
    [[nodiscard]] const std::shared_ptr<const ScoreEngine> &shared_engine() const noexcept { return engine_; }
    [[nodiscard]] std::size_t n_variables() const noexcept { return engine_->n_variables(); }
    [[nodiscard]] double rounding() const noexcept { return engine_->rounding(); }
    [[nodiscard]] const SetKeys &keys() const noexcept { return cache_.keys(); }

    // The score of a child with the given parents.
    [[nodiscard]] double local(Variable child, std::span<const Variable> parents, Budget *budget = nullptr) const;

    // scores[i] = the score with candidates[i] as one more parent. Returns false when the budget ended it early;
    // what was not scored is then NaN.
    bool additions(Variable child, std::span<const Variable> parents, std::span<const Variable> candidates,
                   std::span<double> scores, Budget *budget = nullptr) const;

    // The same without the cache, and with bounds where they are wanted: for searches that score each set once and
    // more of them than could be remembered.
    bool new_additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                       const Bounds *bounds, Budget *budget) const;

    // Up to rounding, without the cache; see ScoreEngine.
    bool rough_additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                         Budget *budget) const;
    void rough_removals(const Family &family, std::span<const std::size_t> chosen, std::span<double> scores,
                        Budget *budget) const;

    // What improves each family of a batch, without the cache; see ScoreEngine.
    bool new_improvements(std::span<const Family> batch, std::span<Improvements> answers, Team &team,
                          Budget *budget) const;

    // scores[i] = the score without parents[i].
    void removals(Variable child, std::span<const Variable> parents, std::span<double> scores,
                  Budget *budget = nullptr) const;

    // The score without the cache, charged.
    [[nodiscard]] double new_local(Variable child, std::span<const Variable> parents, Budget *budget) const;

    // Counts evaluations, also of kernels that count something else on the same data.
    void charge(std::uint64_t evaluations, Budget *budget) const noexcept;

    // The counts behind the scores. Throws std::invalid_argument where there are none.
    [[nodiscard]] const Counter &counter() const;

    [[nodiscard]] std::uint64_t evaluations() const noexcept { return evaluations_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t cache_hits() const noexcept { return cache_hits_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::size_t cache_bytes() const noexcept { return cache_.bytes(); }

  private:
    std::shared_ptr<const ScoreEngine> engine_;
    mutable ScoreCache cache_;
    mutable std::atomic<std::uint64_t> evaluations_{0};
    mutable std::atomic<std::uint64_t> cache_hits_{0};
};

} // namespace arcwise
