// Any score with something added that needs no data: a factor on its penalty, and a prior over graphs.
#pragma once

#include "arcwise/score_engine.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace arcwise {

// What is added to families with one arc.
struct ArcTerm {
    Variable parent;
    Variable child;
    double added;
};

struct Adjustment {
    double penalty_factor = 1.0;
    double per_parent = 0.0;             // added for each parent
    bool has_uniform_in_degrees = false; // −ln C(n − 1, k) for k parents: all their numbers are equally likely
    std::vector<ArcTerm> arcs;           // on top of that, each arc at most once
};

// Nothing is added to the score of the graph without arcs, apart from its penalty. What is adjusted must not have been
// adjusted before.
class AdjustedEngine final : public ScoreEngine, private SetFunction {
  public:
    // Throws std::invalid_argument for arcs that are not among the variables, or are there twice, and for numbers that
    // are not finite.
    AdjustedEngine(std::shared_ptr<const ScoreEngine> inner, const Adjustment &adjustment);

    [[nodiscard]] std::size_t n_variables() const noexcept override { return inner_->n_variables(); }
    [[nodiscard]] double rounding() const noexcept override { return rounding_; }
    // A function of the number of parents is the same in sum for equivalent graphs, which have the same numbers of
    // parents (Chickering 1995); what arcs add is, where it is the same in both directions.
    [[nodiscard]] bool is_equivalent() const noexcept override { return is_symmetric_ && inner_->is_equivalent(); }
    [[nodiscard]] std::size_t bytes() const noexcept override;
    [[nodiscard]] double seconds_per_addition(std::size_t n_parents) const noexcept override {
        return inner_->seconds_per_addition(n_parents);
    }

    [[nodiscard]] double score(const Family &family) const override;
    bool additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                   const Bounds *bounds, const Budget *budget) const override;
    // Those of the score itself, where nothing is added that could improve more.
    bool improvements(std::span<const Family> batch, std::span<Improvements> answers, Team &team,
                      const Budget *budget) const override;
    void removals(const Family &family, std::span<const std::size_t> chosen, std::span<double> scores) const override;
    bool rough_additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                         const Budget *budget) const override;
    void rough_removals(const Family &family, std::span<const std::size_t> chosen,
                        std::span<double> scores) const override;

    // Without what single arcs add, which is the same in every family.
    [[nodiscard]] double penalty(const Family &family) const override;
    [[nodiscard]] double least_penalty(const Family &family, std::size_t most_parents) const override;
    [[nodiscard]] std::uint32_t penalty_class(Variable variable) const noexcept override {
        return inner_->penalty_class(variable);
    }
    [[nodiscard]] Supersets supersets(const Family &least, std::span<const Variable> candidates,
                                      std::size_t most_parents, const Budget &budget) const override;

    [[nodiscard]] const SetFunction *set_function() const noexcept override {
        return inner_->set_function() == nullptr ? nullptr : this;
    }
    [[nodiscard]] const Counter *counter() const noexcept override { return inner_->counter(); }

  private:
    // What the arcs of a family add is summed in whole numbers of a tiny unit: the same in whatever order they come.
    [[nodiscard]] std::int64_t units(Variable child, Variable parent) const noexcept;
    [[nodiscard]] std::int64_t units(const Family &family) const noexcept;
    // Of the arcs to the child from these parents, and the sum of those that add something.
    [[nodiscard]] std::int64_t positive_units(Variable child, std::span<const Variable> parents) const noexcept;
    // All that is added to a family with so many parents and such a penalty.
    [[nodiscard]] double added(std::size_t n_parents, std::int64_t units, double penalty) const noexcept;
    [[nodiscard]] double added(const Family &family) const;
    // The most that is added for the number of parents, from so many to so many.
    [[nodiscard]] double most_for_number(std::size_t least, std::size_t most) const noexcept;
    [[nodiscard]] double nats_of_arcs(std::int64_t units) const noexcept {
        return static_cast<double>(units) * nats_per_unit_;
    }

    void adjust_additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                          const Bounds *bounds) const;
    void adjust_removals(const Family &family, std::span<const std::size_t> chosen, std::span<double> scores) const;
    [[nodiscard]] bool only_takes_away(const Family &family) const;
    void adjust(const Family &family, Improvements &answer) const;

    void take_arcs(std::vector<ArcTerm> arcs);
    [[nodiscard]] bool is_same_both_ways() const noexcept;

    // Of the set function.
    bool fill(std::span<std::int64_t> values, Budget &budget) const override;
    [[nodiscard]] double score_of(std::int64_t difference, const Family &family) const override;

    std::shared_ptr<const ScoreEngine> inner_;
    double factor_;
    std::vector<double> for_number_; // of parents
    double nats_per_unit_ = 1.0;     // a power of two
    std::vector<std::size_t> begin_; // of each child's arcs; empty where no arc has a term of its own
    std::vector<Variable> parents_;  // ascending for each child
    std::vector<std::int64_t> units_;
    std::vector<std::int64_t> positive_; // the sum of each child's positive units
    bool is_symmetric_ = true;
    double rounding_;
};

} // namespace arcwise
