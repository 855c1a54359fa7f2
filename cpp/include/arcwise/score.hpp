// The scores. Each is a sum of one function over the cells of a family's table, one over its rows, and a constant.
#pragma once

#include "arcwise/score_terms.hpp"
#include "arcwise/table_view.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace arcwise {

// Each has its rule in score.cpp.
enum class ScoreKind { loglik, aic, hqc, bic, ebic, bdeu, bds, k2, fnml, qnml };

[[nodiscard]] ScoreKind score_kind(std::string_view name);
[[nodiscard]] std::vector<ScoreKind> score_kinds();

// What a score may look at besides the counts of a family.
struct FamilyShape {
    double r; // states of the child
    double q; // configurations of the parents; a double, because the product of many arities does not fit an integer
    std::size_t n_parents;
};

// How many configurations variables of these arities have, with one more of so many states: the same in whatever order
// they come.
[[nodiscard]] double configurations(std::span<const std::uint32_t> arities, std::span<const Variable> variables,
                                    std::size_t states_of_one_more = 1);

// What occurs in the data of all that a family's table could have.
struct Observed {
    std::size_t rows;
    std::size_t cells;
};
// What occurs at least.
inline constexpr Observed nothing_counted{1, 1};

// What is known of the families that have some parents, and more.
struct Supersets {
    double most_likelihood;   // the log-likelihood with all candidates as parents
    std::size_t most_parents; // none has more
    double most_added = 0.0;  // the most that is added to the likelihood of any of them, whatever the data
    // Configurations of those parents with rows that differ in the child alone, and not in any candidate.
    std::size_t least_mixed = 0;
};

// One score: all that is particular to it. Thread-safe.
class ScoreRule {
  public:
    ScoreRule() = default;
    ScoreRule(const ScoreRule &) = delete;
    ScoreRule &operator=(const ScoreRule &) = delete;
    virtual ~ScoreRule() = default;

    // The terms for families of a shape, of whose parent configurations q_observed occur in the data.
    [[nodiscard]] virtual ScoreTerms terms(const FamilyShape &shape, std::size_t q_observed) const = 0;
    // Whether `terms` looks at q_observed.
    [[nodiscard]] virtual bool needs_observed_configurations() const noexcept { return false; }

    // What the score takes off the log-likelihood, where that depends on the shape alone; 0 for the other scores.
    [[nodiscard]] virtual double penalty(const FamilyShape & /*shape*/) const { return 0.0; }

    // No larger family, up to so many parents, has a smaller penalty than this; no penalty is negative.
    [[nodiscard]] virtual double least_penalty(const FamilyShape & /*shape*/, std::size_t /*most_parents*/) const {
        return 0.0;
    }

    // No family with the parents of the given one, or with these and more, scores more than this.
    [[nodiscard]] virtual double superset_bound(const FamilyShape &shape, const Observed &observed,
                                                const Supersets &supersets) const = 0;
    // Whether `superset_bound` looks at what was observed.
    [[nodiscard]] virtual bool bound_needs_counts() const noexcept { return false; }

    // Whether sc(X | S) = g(S ∪ {X}) − g(S) − penalty, where g(T) sums one function over the cells of T: so it is for
    // the scores that Markov-equivalent graphs share. That function, for a set with q configurations, or nothing.
    [[nodiscard]] virtual const ScoreTable *set_terms(double /*q*/) const { return nullptr; }
};

// A likelihood less so much for each parameter and γ ln C(n − 1, k) for k parents among the n − 1 other variables.
struct Penalties {
    double per_parameter; // ln N / 2 of BIC, 1 of AIC, ln ln N of HQC, 0 of the likelihood
    double gamma;         // of eBIC
    std::size_t n_variables;
};

// A score for tables of so many observations and variables.
class Score {
  public:
    // `parameter` is the number that some scores take, such as an equivalent sample size; the others do not use it.
    Score(ScoreKind kind, double parameter, std::size_t n_observations, std::size_t n_variables);
    // A likelihood with penalties of one's own, which are not negative.
    Score(const Penalties &penalties, std::size_t n_observations);

    // The tables of the terms live as long as the Score.
    [[nodiscard]] ScoreTerms terms(const FamilyShape &shape, std::size_t q_observed) const {
        return rule_->terms(shape, q_observed);
    }
    [[nodiscard]] bool needs_observed_configurations() const noexcept { return rule_->needs_observed_configurations(); }

    // The score of a family of a shape with these counts: rows of r, one for each parent configuration that occurs, and
    // for others or not.
    [[nodiscard]] double of_counts(std::span<const std::uint32_t> counts, std::size_t r,
                                   const FamilyShape &shape) const;

    [[nodiscard]] double penalty(const FamilyShape &shape) const { return rule_->penalty(shape); }
    [[nodiscard]] double least_penalty(const FamilyShape &shape, std::size_t most_parents) const {
        return rule_->least_penalty(shape, most_parents);
    }

    [[nodiscard]] double superset_bound(const FamilyShape &shape, const Observed &observed,
                                        const Supersets &supersets) const {
        return rule_->superset_bound(shape, observed, supersets);
    }
    [[nodiscard]] bool bound_needs_counts() const noexcept { return rule_->bound_needs_counts(); }

    [[nodiscard]] bool is_difference() const { return rule_->set_terms(1.0) != nullptr; }
    [[nodiscard]] const ScoreTable &set_terms(double q) const { return *rule_->set_terms(q); }

    // n ln n, in the units that `nats` takes.
    [[nodiscard]] const ScoreTable &entropy() const noexcept { return tables_.entropy(); }
    [[nodiscard]] double nats(std::int64_t units) const noexcept { return tables_.nats(units); }
    [[nodiscard]] std::size_t n_observations() const noexcept { return tables_.n_observations(); }

  private:
    TermTables tables_;
    std::unique_ptr<const ScoreRule> rule_;
};

} // namespace arcwise
