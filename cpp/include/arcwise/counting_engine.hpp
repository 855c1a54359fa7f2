// Scores that are made of the counts of a discrete table.
#pragma once

#include "arcwise/joint_lattice.hpp"
#include "arcwise/merged_rows.hpp"
#include "arcwise/score_engine.hpp"

#include <memory>
#include <optional>

namespace arcwise {

class CountingEngine final : public ScoreEngine, private SetFunction {
  public:
    CountingEngine(TableView table, ScoreKind kind, double parameter, const BitKernels &kernels);
    // A likelihood with penalties of one's own. The table may be a part of one that has more variables.
    CountingEngine(TableView table, const Penalties &penalties, const BitKernels &kernels);
    // The scores of another engine, for the variables of which its rows were merged.
    CountingEngine(MergedRows rows, const CountingEngine &whole);

    [[nodiscard]] std::size_t n_variables() const noexcept override { return counter_.table().n_variables(); }
    // Scores are differences of sums as large as N ln N.
    [[nodiscard]] double rounding() const noexcept override { return rounding_; }
    // Not where other rows count for each child.
    [[nodiscard]] bool is_equivalent() const noexcept override {
        return score_->is_difference() && counter_.table().masks == nullptr;
    }
    [[nodiscard]] std::size_t bytes() const noexcept override { return counter_.bytes(); }
    [[nodiscard]] double seconds_per_addition(std::size_t n_parents) const noexcept override;

    [[nodiscard]] double score(const Family &family) const override;
    bool additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                   const Bounds *bounds, const Budget *budget) const override;
    // Several families at a time with the same planes, block by block, so that these come from the cache.
    bool improvements(std::span<const Family> batch, std::span<Improvements> answers, Team &team,
                      const Budget *budget) const override;
    // From one table of all parents, where it fits.
    void removals(const Family &family, std::span<const std::size_t> chosen, std::span<double> scores) const override;

    [[nodiscard]] double penalty(const Family &family) const override { return score_->penalty(shape(family)); }
    [[nodiscard]] double least_penalty(const Family &family, std::size_t most_parents) const override {
        return score_->least_penalty(shape(family), most_parents);
    }
    // Its number of states.
    [[nodiscard]] std::uint32_t penalty_class(Variable variable) const noexcept override {
        return counter_.table().arities[variable];
    }
    // With the likelihood of all parents where there is time for it: no family has more.
    [[nodiscard]] Supersets supersets(const Family &least, std::span<const Variable> candidates,
                                      std::size_t most_parents, const Budget &budget) const override;

    bool tails(const Family &family, std::span<const Variable> candidates, const Supersets &known,
               std::span<Supersets> tails) const override;
    [[nodiscard]] double superset_bound(const Family &family, const Observed &observed,
                                        const Supersets &supersets) const override {
        return score_->superset_bound(shape(family), observed, supersets);
    }

    // Rows that are the same in all of these variables are merged, if that leaves at most two thirds of them.
    [[nodiscard]] std::unique_ptr<const ScoreEngine> restricted(std::span<const Variable> variables) const override;

    [[nodiscard]] const SetFunction *set_function() const noexcept override {
        return is_equivalent() && fits_joint_lattice(counter_.table()) ? this : nullptr;
    }
    [[nodiscard]] const Counter *counter() const noexcept override { return &counter_; }

  private:
    friend class PlaneImprovements;
    bool improve_by_planes(std::span<const Family> families, std::span<Improvements *const> answers, Team &team,
                           const Budget *budget) const;

    // The shape of a family, with one more parent of so many states where it is given.
    [[nodiscard]] FamilyShape shape(const Family &family) const;
    [[nodiscard]] FamilyShape shape_with(const Family &family, std::size_t states_of_one_more) const;
    // How many configurations the parents have: the same in whatever order they come.
    [[nodiscard]] double configurations(std::span<const Variable> parents, std::size_t states_of_one_more = 1) const;
    [[nodiscard]] double score_of_sorted_rows(const Family &family) const;
    [[nodiscard]] double log_likelihood(const Family &family) const;

    // Of the set function.
    bool fill(std::span<std::int64_t> values, Budget &budget) const override;
    [[nodiscard]] double score_of(std::int64_t difference, const Family &family) const override {
        return score_->nats(difference) - penalty(family);
    }

    std::optional<MergedRows> own_rows_; // those that the counter looks at, where they are not the caller's
    Counter counter_;
    std::shared_ptr<const Score> score_;
    double rounding_;
};

} // namespace arcwise
