// Scores of continuous data, which are made of the determinants of one symmetric matrix: linear regression with normal
// errors, of a column or of a block of columns.
#pragma once

#include "arcwise/gaussian_kernels.hpp"
#include "arcwise/score_engine.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// A matrix, and which of its columns are whose: those of variable 0 come first, then those of variable 1.
struct GaussianData {
    std::span<const double> gram;      // p × p, symmetric; borrowed
    std::vector<std::uint32_t> widths; // columns of each variable: 1, for a discrete one its states less one, or 0
    std::vector<double> log_scales;    // Σ ln of the standard deviations that a variable's columns were divided by
    double n_observations;             // N
};

// The maximised likelihood of X given P less a penalty. With G the Gram matrix of columns that have mean 0 and standard
// deviation 1 (so that its diagonal is N, or 0 for a constant), S = G / N, w columns of X and b of its k parents:
//
//   −N/2 (ln |S_{X|P}| + w (1 + ln 2π)) − N · log_scale(X) − per_parameter (w b + w (w + 1) / 2 + w) − γ ln C(n − 1, k)
//
// The number of free parameters is that of slopes, covariances and means: of a single column b + 2, as bnlearn's bic-g
// counts; of a block that of the degenerate Gaussian score (Andrews, Ramsey & Cooper 2019, PMLR 104, 4–21), who leave
// out the w means, the same number for all graphs.
struct PenalisedGaussian {
    double per_parameter; // nats: ln N / 2 of BIC, 1 of AIC, ln ln N of HQC, 0 of the likelihood
    double gamma = 0.0;   // of eBIC
};

// The Bayesian Gaussian equivalent score (Geiger & Heckerman 2002, doi:10.1214/aos/1035844981; with the corrections of
// Kuipers, Moffa & Heckerman 2014, doi:10.1214/14-AOS1217) with a normal-Wishart prior whose mean is that of the data
// and whose matrix is T = t I, t = α_μ (α_w − n − 1) / (α_μ + 1). The matrix is R = T + the centred scatter matrix, on
// the columns' own scale, with one column for each variable; log_scales are not used. With l = k + 1 and a = α_w − n:
//
//   ½ ln(α_μ / (N + α_μ)) + ln Γ((N + a + l)/2) − ln Γ((a + l)/2) − N/2 ln π + (a + 2l − 1)/2 ln t
//   − (N + a + l)/2 ln R_{X|P} − ½ ln |R_P|
//
// which is what is left of ln p(X ∪ P) − ln p(P).
struct BayesianGaussian {
    double alpha_mu;
    double alpha_w; // more than n + 1
};

// A family's columns are eliminated one after the other, those of its parents in ascending order and the child's at
// last: so a score depends on its family alone, to the last bit. Of all additions to a family those between the same
// two parents share what is eliminated before them, and are done several at a time (gaussian_kernels.hpp). With f
// columns of parents before the candidate and r after it, one more parent of a child with one column takes
//
//   f² + 2f + (r + 1)(2f + 3) + r (r + 1)(2r + 13)/6
//
// multiplications and subtractions, r + 1 divisions, and 30 more and a division for the logarithm: of three parents 24
// where the candidate comes last, 50 where it comes first.
//
// Constant and collinear columns do no harm. A pivot of at most 1e-10 of its own diagonal is redundant: the column adds
// nothing to the likelihood, and the family pays for it. What is left of a child below 1e-12 of its diagonal is taken
// for that, so that no parent gains by what rounding leaves; a constant child has a residual of 1 whatever its parents.
// A residual of a part ρ of its diagonal is known to about 2e-16 / ρ of itself (the Gram matrix in double precision
// does not say more), and so a score to N times half of that: for more than 1000 observations it is taken for N · 1e-15
// of its diagonal where it is below, which keeps this to a tenth of a nat. Equivalent graphs have the same score to
// rounding as long as no variable is determined by others to within a hundredth of its standard deviation.
class GaussianEngine final : public ScoreEngine {
  public:
    // Throws std::invalid_argument where these do not belong together, the matrix is not symmetric and finite, or the
    // prior is not proper.
    GaussianEngine(GaussianData data, const PenalisedGaussian &score, const GaussianKernels &kernels);
    GaussianEngine(GaussianData data, const BayesianGaussian &score, const GaussianKernels &kernels);

    [[nodiscard]] std::size_t n_variables() const noexcept override { return begin_.size() - 1; }
    // Relative to the largest score of a variable without parents.
    [[nodiscard]] double rounding() const noexcept override { return rounding_; }
    [[nodiscard]] bool is_equivalent() const noexcept override { return true; }
    [[nodiscard]] std::size_t bytes() const noexcept override;
    [[nodiscard]] double seconds_per_addition(std::size_t n_parents) const noexcept override;

    [[nodiscard]] double score(const Family &family) const override;
    bool additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                   const Bounds *bounds, const Budget *budget) const override;
    // Each shares what comes before the parent that is taken away.
    void removals(const Family &family, std::span<const std::size_t> chosen, std::span<double> scores) const override;

    // All candidates after all parents: f² + 5f + 3 multiplications and subtractions each with f of them, and no lane
    // idle.
    bool rough_additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                         const Budget *budget) const override;
    // From the inverse of the parents' part of the matrix: the residual grows by β² / inverse_ii without parent i.
    void rough_removals(const Family &family, std::span<const std::size_t> chosen,
                        std::span<double> scores) const override;

    [[nodiscard]] double penalty(const Family &family) const override;
    [[nodiscard]] double least_penalty(const Family &family, std::size_t most_parents) const override;
    // Its number of columns.
    [[nodiscard]] std::uint32_t penalty_class(Variable variable) const noexcept override { return width(variable); }
    // For those who eliminate columns elsewhere. Whether each variable has one column; the matrix, which is borrowed,
    // and what pivots are taken for where they are below; whether the logarithms of the parents' pivots count.
    [[nodiscard]] bool has_single_columns() const noexcept;
    [[nodiscard]] std::span<const double> gram() const noexcept { return data_.gram; }
    [[nodiscard]] std::span<const double> floors() const noexcept { return floors_; }
    [[nodiscard]] bool is_bayesian() const noexcept { return is_bayesian_; }
    // With single columns, the score is constant − slope · ln residual − ½ Σ ln pivots for so many parents.
    struct Line {
        double constant;
        double slope;
    };
    [[nodiscard]] Line line(Variable child, std::size_t n_parents) const noexcept {
        return line(child, Numbers{n_parents, n_parents});
    }

    // With the likelihood of all parents where there is time for it: no family has more. Of the Bayesian score, with
    // the residual given all of them, and pivots of parents that are no less than t.
    [[nodiscard]] Supersets supersets(const Family &least, std::span<const Variable> candidates,
                                      std::size_t most_parents, const Budget &budget) const override;

  private:
    class Elimination; // of one family's columns

    // What a score is made of: all that depends on the data of a family.
    struct Logarithms {
        double residuals; // of the child's columns given its parents
        double pivots;    // of the parents' columns; only where the score is Bayesian
    };

    struct Numbers {
        std::size_t n_parents;
        std::size_t n_columns; // of these
    };

    // The score as a function of them, which is the same for all parents of the same numbers.
    [[nodiscard]] static double at(const Line &line, const Logarithms &logarithms) noexcept {
        return line.constant - line.slope * logarithms.residuals - 0.5 * logarithms.pivots;
    }

    GaussianEngine(GaussianData data, const GaussianKernels &kernels);
    void take_diagonal(double of_constant);
    void find_rounding();

    [[nodiscard]] std::uint32_t width(Variable variable) const noexcept {
        return begin_[variable + 1] - begin_[variable];
    }
    [[nodiscard]] std::size_t n_columns(std::span<const Variable> variables) const noexcept;
    [[nodiscard]] GaussianMatrix matrix() const noexcept {
        return {data_.gram.data(), diagonal_.data(), floors_.data(), diagonal_.size()};
    }
    [[nodiscard]] Elimination &prepared(const Family &family) const;
    [[nodiscard]] Line line(Variable child, const Numbers &parents) const noexcept;
    [[nodiscard]] double value(Variable child, const Numbers &parents, const Logarithms &logarithms) const noexcept;
    [[nodiscard]] double penalty(Variable child, const Numbers &parents) const noexcept;
    [[nodiscard]] double bound_of_supersets(Variable child, const Numbers &parents, double log_pivots,
                                            const Supersets &supersets) const noexcept;
    [[nodiscard]] double least_log_residuals(const Family &family) const;
    [[nodiscard]] double choices(std::size_t n_parents) const noexcept;

    GaussianData data_;
    const GaussianKernels &kernels_;
    std::vector<std::uint32_t> begin_; // the first column of each variable, and one behind the last
    std::vector<double> diagonal_;
    std::vector<double> floors_; // of pivots, for their logarithms
    bool is_bayesian_ = false;
    PenalisedGaussian penalised_{};
    std::vector<double> choices_; // ln C(n − 1, k) by k, where it is wanted
    double a_ = 0.0;              // of the Bayesian score: α_w − n
    double log_t_ = 0.0;
    std::vector<double> constants_; // of lines, by the number of parents; by the child where the score is penalised
    double rounding_ = 0.0;
};

} // namespace arcwise
