// Scores that something in Python makes, a whole batch at a time: a card, or machines that share the rows.
#pragma once

#include "arcwise/score_engine.hpp"

#include "counted_score.hpp"

#include <nanobind/nanobind.h>

#include <memory>

namespace arcwise::bindings {

// What is known of scores that come from nowhere else.
struct BatchPromises {
    std::size_t n_variables;
    double rounding;
    bool is_equivalent;
    std::shared_ptr<const CountedScore> penalties; // null where none are known
};

// How long a batch takes: so much whatever its size, and so much for each addition to a family without parents; each
// parent makes the latter so many times as long.
struct BatchCost {
    double seconds_per_batch;
    double seconds_per_addition;
    double growth_per_parent = 2.0;
};

// Asks `answers`, an object in Python, for batches of families. These are arrays: the children, and the parents of all
// one behind the other, those of family i from starts[i] to starts[i + 1].
//
//     scores(children, starts, parents): the score of each family
//     additions(children, starts, parents, candidates): a row for each family, with each candidate as one more parent;
//         NaN where a candidate is in the family
//     improvements(children, starts, parents): the score of each family; and the variables that improve it by more
//         than rounding, and their scores, best first, the smaller variable first among equals, those of family i from
//         the i-th number of a fourth array to the next: (own, scores, variables, ends)
//     found(children, starts, parents), in place of improvements: the score of each family, and the improvements of all
//         in any order, as bytes (found_records.hpp), which are sorted here
//
// Where there is another engine beside it, that has the same scores to the last bit, it answers what is quicker there:
// single families, small batches, and the families of `improvements` that come back with NaN.
//
// Locks are those of PythonEngine: kernels' come before the interpreter's. The object is asked from several threads.
class BatchEngine final : public ScoreEngine {
  public:
    // Whoever has the engine keeps the object alive, and lets the garbage collector see that.
    BatchEngine(nanobind::handle answers, const BatchPromises &promises, const BatchCost &cost);
    BatchEngine(nanobind::handle answers, std::shared_ptr<const ScoreEngine> beside, const BatchCost &cost);

    [[nodiscard]] std::size_t n_variables() const noexcept override { return promises_.n_variables; }
    [[nodiscard]] double rounding() const noexcept override { return promises_.rounding; }
    [[nodiscard]] bool is_equivalent() const noexcept override { return promises_.is_equivalent; }
    [[nodiscard]] std::size_t bytes() const noexcept override { return beside_ ? beside_->bytes() : 0; }
    // Where `answers` are asked, threads would wait for each other.
    [[nodiscard]] double seconds_per_addition(std::size_t n_parents) const noexcept override {
        return is_quicker_beside(n_variables(), n_parents, 1) ? beside_->seconds_per_addition(n_parents) : 0.0;
    }

    [[nodiscard]] double score(const Family &family) const override;
    bool additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                   const Bounds *bounds, const Budget *budget) const override;
    bool improvements(std::span<const Family> batch, std::span<Improvements> answers, Team &team,
                      const Budget *budget) const override;
    void removals(const Family &family, std::span<const std::size_t> chosen, std::span<double> scores) const override;

    // Up to rounding the engine beside it is quick enough.
    bool rough_additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                         const Budget *budget) const override {
        return beside_ ? beside_->rough_additions(family, candidates, scores, budget)
                       : additions(family, candidates, scores, nullptr, budget);
    }
    void rough_removals(const Family &family, std::span<const std::size_t> chosen,
                        std::span<double> scores) const override {
        beside_ ? beside_->rough_removals(family, chosen, scores) : removals(family, chosen, scores);
    }

    [[nodiscard]] double penalty(const Family &family) const override;
    [[nodiscard]] double least_penalty(const Family &family, std::size_t most_parents) const override;
    [[nodiscard]] std::uint32_t penalty_class(Variable variable) const noexcept override;
    [[nodiscard]] Supersets supersets(const Family &least, std::span<const Variable> candidates,
                                      std::size_t most_parents, const Budget &budget) const override;
    [[nodiscard]] double superset_bound(const Family &family, const Observed &observed,
                                        const Supersets &supersets) const override {
        return beside_ ? beside_->superset_bound(family, observed, supersets)
                       : ScoreEngine::superset_bound(family, observed, supersets);
    }
    [[nodiscard]] const SetFunction *set_function() const noexcept override {
        return beside_ ? beside_->set_function() : nullptr;
    }
    [[nodiscard]] const Counter *counter() const noexcept override { return beside_ ? beside_->counter() : nullptr; }

    // The engine that has the same scores; null where there is none.
    [[nodiscard]] const ScoreEngine *beside() const noexcept { return beside_.get(); }

  private:
    [[nodiscard]] bool is_quicker_beside(std::size_t n_additions, std::size_t n_parents,
                                         std::size_t n_workers) const noexcept;
    [[nodiscard]] std::vector<double> scores_of(std::span<const Family> batch) const;
    // Those that come back with NaN stay so.
    void ask(std::span<const Family> batch, std::span<Improvements> answers, Team &team) const;
    void sort(const nanobind::object &answer, std::span<Improvements> answers, Team &team) const;

    nanobind::handle answers_;
    std::shared_ptr<const ScoreEngine> beside_;
    BatchPromises promises_;
    BatchCost cost_;
};

} // namespace arcwise::bindings
