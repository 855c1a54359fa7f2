// Scores of tables in which some variables are discrete and others continuous.
#pragma once

#include "arcwise/bits.hpp"
#include "arcwise/counting_engine.hpp"
#include "arcwise/group_regressions.hpp"
#include "arcwise/pairwise_engine.hpp"
#include "arcwise/row_groups.hpp"
#include "arcwise/score_engine.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace arcwise {

// Discrete and continuous variables side by side.
struct MixedTable {
    // Of all variables. A continuous one has arity 0, and its codes are not looked at. Rows may be forced for some
    // variables, and values of both kinds may be missing.
    TableView discrete;
    // n_rows × continuous variables, column by column in the order of the variables, all finite, also where they are
    // missing; borrowed.
    std::span<const double> numbers;
};

// The conditional Gaussian score (Lauritzen & Wermuth 1989, Ann. Statist. 17, 31–57; bnlearn's loglik-cg and
// bic-cg). A discrete child has discrete parents only, and is scored as by CountingEngine: with a continuous one its
// score is −∞. A continuous child with discrete parents D, in q configurations, and c continuous ones C is in each
// configuration j a linear regression on C with an intercept and a variance of its own; for N observations and k
// parents of n − 1
//
//   −½ Σ_j n_j (ln(2π σ_j²) + 1) − per_parameter · q (c + 2) − γ ln C(n − 1, k)
//
// where σ_j² is the mean square of the residuals, of n_j observations in m_j rows. The likelihood is the maximum, while
// bnlearn divides by n_j − c − 1 instead and takes the density with that. The parameters are counted as bnlearn does:
// all q configurations, also those that never occur.
//
// No score of a continuous child is infinite, and no parent gains by fitting what too few rows cannot tell:
// - A configuration without rows adds nothing.
// - A column that is constant in a configuration, or whose pivot is at most 1e-10 of its own sum of squares there, says
//   nothing that those before it do not: it is left out of that regression, and the family pays for it all the same.
// - A configuration in which m_j is less than two rows for each of its parameters (the columns that were not left out,
//   the intercept and the variance; so at least 4) is not estimated. Its σ_j² is the variance of the child without
//   parents, as though the parents said nothing there. Fewer rows fit better the fewer they are: with d = m_j − c − 1
//   degrees of freedom left the likelihood rises by more than t with a probability of about exp(−t d / m_j), and with
//   two rows for each that is no worse than exp(−t/2). Rows, not observations: a bootstrap draws one row several times,
//   and a variance of 0 would come of it. For such a configuration bnlearn says −∞ where d ≤ 0, so that one rare state
//   rules a parent out; Tetrad leaves out the rows where there are fewer than 4, which is a gain where they fit badly.
// - σ_j² is at least 1e-10 of the variance of the child without parents and of its variance in the configuration, and
//   for more than 10,000 observations n_j · 1e-14 of the latter: less is rounding, and n_j times its logarithm would be
//   worth an arc. Where a child is a function of its parents that is worth 11.5 nats for each row. bnlearn says −∞.
// - A child that does not vary has likelihood 0 (density 1), whatever its parents.
//
// It is not score-equivalent: an arc from a discrete variable to a continuous one cannot be reversed.
//
// Where values are missing, each family is scored on the rows that have all of it, as Averaging says
// (pairwise_engine.hpp): what is said above of the child without parents is then about the same rows. Candidates no
// longer share what was gathered, and are scored one by one.
//
// Every column is taken relative to its value in the configuration's first row, which makes centring safe: that row is
// one of the configuration, so its squared distance from the mean is at most n_j times the variance. Sums over rows are
// in a fixed order (ProductKernels), columns of a regression ascend, and the sum over configurations is one of whole
// numbers of a tiny unit: a score depends on its family alone to the last bit, whichever instructions are used.
//
// For m rows one more continuous parent takes 2 m (c + 3) flops for its products with 1, C, the child and itself, and
// 2 m to gather it; one more discrete parent takes m (c + 2)(c + 3) for all products in its configurations, and
// 2 m (c + 1) to gather; the regressions take about (c + 1)³/3 in each configuration. Measured with AVX-512 and columns
// in the second cache, in nanoseconds for a row (one bare dot product of numpy takes 0.4): a continuous parent 0.6
// without other parents, 1.3 in 3 configurations with one other, 2.2 in 9 with two; a discrete one 2.7, 3.8 and 5.3, of
// which 1.9 are for sorting the rows.
class ConditionalGaussianEngine final : public ScoreEngine {
  public:
    // Throws std::invalid_argument where these do not belong together or a number is not finite. `for_missing` is the w
    // of Averaging.
    ConditionalGaussianEngine(const MixedTable &table, double per_parameter, double gamma, const BitKernels &kernels,
                              double for_missing = 0.0);

    [[nodiscard]] std::size_t n_variables() const noexcept override { return place_.size(); }
    [[nodiscard]] double rounding() const noexcept override { return rounding_; }
    [[nodiscard]] bool is_equivalent() const noexcept override { return false; }
    [[nodiscard]] std::size_t bytes() const noexcept override;
    [[nodiscard]] double seconds_per_addition(std::size_t n_parents) const noexcept override;

    [[nodiscard]] double score(const Family &family) const override;
    bool additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                   const Bounds *bounds, const Budget *budget) const override;
    bool improvements(std::span<const Family> batch, std::span<Improvements> answers, Team &team,
                      const Budget *budget) const override;
    // Those of continuous parents from the products of one pass.
    void removals(const Family &family, std::span<const std::size_t> chosen, std::span<double> scores) const override;

    [[nodiscard]] double penalty(const Family &family) const override;
    [[nodiscard]] double least_penalty(const Family &family, std::size_t most_parents) const override;
    // Its number of states, and 0 for a continuous one.
    [[nodiscard]] std::uint32_t penalty_class(Variable variable) const noexcept override { return arities_[variable]; }
    // Of a continuous child, what it has if its parents determine it.
    [[nodiscard]] Supersets supersets(const Family &least, std::span<const Variable> candidates,
                                      std::size_t most_parents, const Budget &budget) const override;

  private:
    // What a continuous child is without parents; a sum of squares of 0 where it does not vary.
    struct Own {
        Spread spread;
        double log_likelihood = 0.0;
    };

    // The score of a continuous child on the rows that have the family, and how many observations that is.
    struct Average {
        double score;
        std::uint64_t n;
    };

    void take_discrete(const TableView &table, const Penalties &penalties, const BitKernels &kernels);
    template <class Code> const Code *take_codes(const TableView &table, const Code *first, std::vector<Code> &kept);
    [[nodiscard]] std::shared_ptr<const RowMasks> masks_of_discrete(const TableView &table) const;
    void take_numbers(const MixedTable &table);
    // Keeps a column, or a copy where the squares of its numbers, added up, might be infinite or nothing. The logarithm
    // of what it was divided by.
    double take_column(const double *numbers);
    [[nodiscard]] Own own_of(Variable variable, double log_scale) const;
    [[nodiscard]] Averaging averaging_of(Variable variable) const;

    [[nodiscard]] bool is_continuous(Variable variable) const noexcept { return arities_[variable] == 0; }
    [[nodiscard]] bool has_gaps() const noexcept { return !averaging_.empty(); }
    // A discrete child with no continuous parent.
    [[nodiscard]] bool is_counted(const Family &family) const noexcept;
    // Of those of one kind, ascending.
    [[nodiscard]] std::vector<Variable> places(std::span<const Variable> variables, bool continuous) const;
    [[nodiscard]] RowGroups rows_of(const Family &family) const;
    [[nodiscard]] RowGroups groups_of(const Family &family) const;
    [[nodiscard]] GroupRegressions regressions_of(const Family &family) const;
    [[nodiscard]] FamilyShape shape(const Family &family) const;
    // The score of a continuous child, given what its groups gain over its likelihood without parents.
    [[nodiscard]] double score_of(const Family &family, std::int64_t gain) const;
    [[nodiscard]] Average average_of(const Family &family) const;

    bool counted_additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                           const Bounds *bounds, const Budget *budget) const;
    bool regressed_additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                             const Budget *budget) const;
    bool averaged_additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                            const Bounds *bounds, const Budget *budget) const;

    std::vector<std::uint32_t> arities_;       // 0 for continuous variables
    std::vector<Variable> place_;              // of a variable among those of its kind
    std::vector<Variable> discrete_variables_; // by place

    std::size_t n_rows_;
    std::shared_ptr<const RowMasks> masks_; // by variable; null: every row counts for all

    std::vector<std::uint8_t> narrow_codes_; // of the discrete variables, one behind the other
    std::vector<std::uint16_t> wide_codes_;
    TableView discrete_;                          // of these
    std::unique_ptr<const ScoreEngine> counting_; // null where there are none

    NumberTable numbers_;                     // of the continuous variables
    std::vector<std::vector<double>> scaled_; // copies of some of them
    std::vector<Own> own_;
    double for_missing_;
    std::vector<Averaging> averaging_; // of the continuous variables; empty where no value is missing
    Score score_;                      // for its penalties
    double rounding_ = 0.0;
};

} // namespace arcwise
