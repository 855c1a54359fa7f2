// The scores. Each is a sum of one function over the cells of a family's table, one over its rows, and a constant.
#pragma once

#include "arcwise/count_table.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <tuple>

namespace arcwise {

enum class ScoreKind { loglik, aic, hqc, bic, bdeu, bds, k2, fnml, qnml };

[[nodiscard]] ScoreKind score_kind(std::string_view name);

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

class Score {
  public:
    // `ess` is the equivalent sample size of bdeu and bds; the other scores do not use it.
    Score(ScoreKind kind, double ess, std::size_t n_observations);

    // The terms for a child with r states and q parent configurations, of which q_observed occur in the data.
    // q is a double: the product of many arities does not fit an integer. The tables live as long as the Score.
    [[nodiscard]] ScoreTerms terms(std::size_t r, double q, std::size_t q_observed) const;

    // No family whose parents include those of a family with the given q, rows that occur (q_observed) and cells that
    // occur scores more than this. `most_likelihood` is the log-likelihood with all candidates as parents.
    [[nodiscard]] double superset_bound(std::size_t r, double q, std::size_t q_observed, std::size_t cells_observed,
                                        double most_likelihood) const;
    [[nodiscard]] bool bound_needs_counts() const noexcept;

    // What the score takes off the log-likelihood for r states and q configurations, where that depends on nothing else
    // (AIC, HQC, BIC, qNML); 0 for the other scores.
    [[nodiscard]] double penalty(double r, double q) const;

    // Whether sc(X | S) = g(S ∪ {X}) − g(S) − penalty(r, q), where g(T) sums one function over the cells of T: so it is
    // for the scores that Markov-equivalent graphs share.
    [[nodiscard]] bool is_difference() const noexcept {
        return kind_ != ScoreKind::bds && kind_ != ScoreKind::k2 && kind_ != ScoreKind::fnml;
    }
    // That function, for a set with q configurations.
    [[nodiscard]] const ScoreTable &set_terms(double q) const;

    // What a sum of terms stands for.
    [[nodiscard]] double nats(std::int64_t units) const noexcept { return static_cast<double>(units) * nats_per_unit_; }

    // Only BDs looks at the number of parent configurations that occur.
    [[nodiscard]] bool needs_observed_configurations() const noexcept { return kind_ == ScoreKind::bds; }

    [[nodiscard]] std::size_t n_observations() const noexcept { return n_observations_; }

  private:
    enum class Function { gamma_ratio, minus_gamma_ratio, fnml_row };

    // The table of a function with its parameter; `spread` is over how many configurations the counts spread.
    [[nodiscard]] const ScoreTable *table(Function function, double parameter, double spread) const;
    [[nodiscard]] double regret(double outcomes) const;

    ScoreKind kind_;
    double ess_;
    std::size_t n_observations_;
    double nats_per_unit_; // a power of two
    ScoreTable entropy_;
    ScoreTable minus_entropy_;
    mutable std::mutex mutex_;
    mutable std::map<std::tuple<Function, double, std::size_t>, std::unique_ptr<ScoreTable>> tables_;
    mutable std::map<double, double> regrets_;
};

// Σ_{jk} cell(n_jk) + Σ_j row(n_j) over whole rows of r counts. `largest` is the largest row, or more.
[[nodiscard]] std::int64_t sum_of_terms(std::span<const std::uint32_t> counts, std::size_t r, std::uint32_t largest,
                                        const ScoreTerms &terms);

} // namespace arcwise
