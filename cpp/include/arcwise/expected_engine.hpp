// Scores that are made of expected counts: those of a table with gaps, filled by the posterior of a network.
#pragma once

#include "arcwise/gap_posteriors.hpp"
#include "arcwise/score_engine.hpp"

#include <memory>
#include <vector>

namespace arcwise {

// The score of a family is that of the counts that are expected given what is there and the network behind the
// posteriors (Friedman 1997, ICML; 1998, UAI): its expectation over all ways to fill the gaps where a score is a
// likelihood less a penalty with the parameters of greatest expected likelihood, and an approximation of it where it is
// Bayesian. All counts come from one joint distribution of each row, so that a score that equivalent graphs share on
// complete data is also shared here.
//
// What a row adds to a cell is a product over the components of its gaps, in their order, of sums over their entries,
// in their order; rows in which the family has no gap are added up first, and then the others by their number. So a
// count depends on its family alone, to the last bit.
class ExpectedEngine final : public ScoreEngine {
  public:
    // Throws std::invalid_argument where the score is not one for counts that are not whole numbers (`takes`).
    ExpectedEngine(std::shared_ptr<const GapPosteriors> posteriors, ScoreKind kind, double parameter);

    // Likelihoods with a penalty, BDeu and K2.
    [[nodiscard]] static bool takes(ScoreKind kind) noexcept;

    [[nodiscard]] std::size_t n_variables() const noexcept override { return table().n_variables(); }
    [[nodiscard]] double rounding() const noexcept override { return rounding_; }
    [[nodiscard]] bool is_equivalent() const noexcept override { return score_.is_difference(); }
    [[nodiscard]] std::size_t bytes() const noexcept override { return posteriors_->bytes() + table().bytes(); }
    [[nodiscard]] double seconds_per_addition(std::size_t n_parents) const noexcept override;

    [[nodiscard]] double score(const Family &family) const override;
    bool additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                   const Bounds *bounds, const Budget *budget) const override;

    [[nodiscard]] double penalty(const Family &family) const override { return score_.penalty(shape(family)); }
    [[nodiscard]] double least_penalty(const Family &family, std::size_t most_parents) const override {
        return score_.least_penalty(shape(family), most_parents);
    }
    [[nodiscard]] std::uint32_t penalty_class(Variable variable) const noexcept override {
        return static_cast<std::uint32_t>(table().arity(variable));
    }
    // No likelihood is above 0.
    [[nodiscard]] Supersets supersets(const Family &least, std::span<const Variable> candidates,
                                      std::size_t most_parents, const Budget &budget) const override;

  private:
    [[nodiscard]] const GapTable &table() const noexcept { return posteriors_->table(); }
    [[nodiscard]] FamilyShape shape(const Family &family) const;
    // The sum over one configuration of the parents, in whole numbers of a tiny unit.
    [[nodiscard]] std::int64_t units_of(std::span<const double> counts, double alpha_jk, double alpha_j) const;
    template <class Rows> [[nodiscard]] double score_of(const FamilyShape &shape, const Rows &for_each_row) const;

    std::shared_ptr<const GapPosteriors> posteriors_;
    ScoreKind kind_;
    double parameter_;
    Score score_;
    bool is_likelihood_;
    double nats_per_unit_;
    double rounding_;
};

// The expected counts of a family: the first parent varies slowest and the child fastest. Throws std::length_error
// where there are more than `most_cells`.
[[nodiscard]] std::vector<double> expected_counts(const GapPosteriors &posteriors, const Family &family,
                                                  std::size_t most_cells);

} // namespace arcwise
