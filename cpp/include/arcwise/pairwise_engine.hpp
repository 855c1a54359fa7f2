// Scores of discrete tables with gaps: each family on the rows that have all of it.
#pragma once

#include "arcwise/score_engine.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// A node-average likelihood (Balov 2013, doi:10.1214/13-EJS802; Bodewes & Scutari 2021,
// doi:10.1016/j.ijar.2021.07.015): the mean over the n observations that have all of a family F, child X and parents P,
// times the N in which X was not set by an experimenter.
//
//   N (ℓ_F − ℓ_X|F) / n + N ℓ_X / n_X − max((N / n) penalty, w (1 − n / N) k)
//
// ℓ_F is the likelihood of X with its parents on the rows of F, ℓ_X|F that of X without parents on the same rows, ℓ_X
// that of X on the n_X observations that have X, and k the number of parameters. N ℓ_X|F / n and N ℓ_X / n_X are about
// the same: without them it is the average of Bodewes & Scutari. They take out most of what differs between families
// only because other rows have them, so that a parent is worth what it tells about X in the rows that have both,
// however varied X is in these rows. Otherwise a parent that is missing where X varies seems to explain X; and by
// chance any parent may, since means over different rows differ by about 1 / √n.
//
// What n rows fit by chance counts N / n times as much, and so does the penalty. As N grows, what is left of the
// differences between rows grows as √N, and the penalty of BIC only as ln N: the right graph is found in the end if
// λ_N, the price of a parameter for each observation, goes to 0 more slowly than 1 / √N (Balov's Theorem). Bodewes &
// Scutari recommend λ_N = N^(−1/4) / V for V variables, which is bnlearn's default too. So w = N λ_N, for the part of
// the observations that a family lacks. Where nothing is missing, it is the ordinary score, to the last bit.
struct Averaging {
    double total;        // N
    double own;          // N ℓ_X / n_X
    double for_missing;  // w
    std::uint64_t whole; // N as a whole number

    // Of n observations, in which the parents gain so many nats over the child without parents.
    [[nodiscard]] double score(std::uint64_t n, double gain, double penalty, double n_parameters) const noexcept {
        return own + factor(n) * gain - price(n, penalty, n_parameters);
    }
    [[nodiscard]] double price(std::uint64_t n, double penalty, double n_parameters) const noexcept {
        const double missing = n == whole ? 0.0 : 1.0 - static_cast<double>(n) / total;
        return std::max(factor(n) * penalty, for_missing * missing * n_parameters);
    }
    // A family that no row has is one about which nothing is known: it gains nothing, and pays as though one had it.
    [[nodiscard]] double factor(std::uint64_t n) const noexcept {
        return n == whole ? 1.0 : total / static_cast<double>(std::max<std::uint64_t>(1, n));
    }
};

// The score of likelihoods with a penalty (Penalties); Dirichlet scores of different numbers of rows have no common
// scale. Bounds of larger families by the likelihood do not hold: each has its own rows. What holds is that no gain
// exceeds n ln r, that fewer rows have more variables, and that these pay more.
class PairwiseEngine final : public ScoreEngine {
  public:
    // The table may be a part of one that has more variables. Its gaps are in its masks. `for_missing` is w.
    PairwiseEngine(TableView table, const Penalties &penalties, double for_missing, const BitKernels &kernels);

    [[nodiscard]] std::size_t n_variables() const noexcept override { return counter_.table().n_variables(); }
    [[nodiscard]] double rounding() const noexcept override { return rounding_; }
    // Of an arc and its reversal the same rows count, but the children without parents have others.
    [[nodiscard]] bool is_equivalent() const noexcept override { return false; }
    [[nodiscard]] std::size_t bytes() const noexcept override { return counter_.bytes(); }
    [[nodiscard]] double seconds_per_addition(std::size_t n_parents) const noexcept override;

    [[nodiscard]] double score(const Family &family) const override;
    bool additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                   const Bounds *bounds, const Budget *budget) const override;

    // What is paid where all rows have the family, and no other family pays less.
    [[nodiscard]] double penalty(const Family &family) const override { return score_.penalty(shape(family)); }
    [[nodiscard]] double least_penalty(const Family &family, std::size_t most_parents) const override {
        return score_.least_penalty(shape(family), most_parents);
    }
    [[nodiscard]] std::uint32_t penalty_class(Variable variable) const noexcept override {
        return counter_.table().arities[variable];
    }
    [[nodiscard]] Supersets supersets(const Family &least, std::span<const Variable> candidates,
                                      std::size_t most_parents, const Budget &budget) const override;

  private:
    // The counts of a family, summed up.
    struct Sums {
        std::uint64_t n = 0;         // observations
        std::int64_t likelihood = 0; // in units
        std::int64_t own = 0;        // of the child without parents on the same rows
    };

    [[nodiscard]] FamilyShape shape(const Family &family) const;
    [[nodiscard]] Averaging averaging_of(Variable child, double for_missing) const;
    [[nodiscard]] Sums sums_of(std::span<const std::uint32_t> counts, std::size_t r) const;
    [[nodiscard]] Sums sums_of_sorted_rows(const Family &family) const;
    [[nodiscard]] double score_of(Variable child, const FamilyShape &shape, const Sums &sums) const;

    Counter counter_;
    Score score_;
    double rounding_;
    std::vector<Averaging> averaging_; // of each child
};

} // namespace arcwise
