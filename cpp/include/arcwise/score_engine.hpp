// The seam between searches and scores: whatever answers families is a score.
#pragma once

#include "arcwise/budget.hpp"
#include "arcwise/counter.hpp"
#include "arcwise/score.hpp"
#include "arcwise/team.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace arcwise {

struct Family {
    Variable child;
    std::span<const Variable> parents;
};

// Wanted besides the scores of additions: values[i] is what no family with candidates[i] and further parents can
// exceed, given what is known of these families.
struct Bounds {
    Supersets supersets;
    std::span<double> values;
    std::span<Observed> observed = {}; // where it is wanted: what occurs of the family with candidates[i]
};

// A family's score, and the variables that improve it as one more parent by more than rounding, best first. One that
// does not is of no use to any search: the smaller family is as good and fits wherever the larger one does.
struct Improvements {
    double own = std::numeric_limits<double>::quiet_NaN(); // stays so where the budget ended it before
    std::vector<double> scores;
    std::vector<Variable> variables;
};

// g with sc(X | S) = g(S ∪ {X}) − g(S) + what depends on the family alone, for all sets at once: for exact search among
// few variables.
class SetFunction {
  public:
    virtual ~SetFunction() = default;
    // g of every set, where bit v of its index says whether it has variable v, in whole numbers of a tiny unit. False
    // when the budget ended it early.
    virtual bool fill(std::span<std::int64_t> values, Budget &budget) const = 0;
    // The score of a family, given the difference.
    [[nodiscard]] virtual double score_of(std::int64_t difference, const Family &family) const = 0;
};

// Scores of families, counted from data or made in any other way. A number depends on its family alone, to the last
// bit: not on the order of the parents, on the other families asked for, nor on who asks. Every method is thread-safe.
//
// Only `score` must be written for a new kind of score. The others have defaults in terms of it, which an engine
// replaces where it can share work between the families of a batch.
class ScoreEngine {
  public:
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    ScoreEngine() = default;
    ScoreEngine(const ScoreEngine &) = delete;
    ScoreEngine &operator=(const ScoreEngine &) = delete;
    virtual ~ScoreEngine() = default;

    [[nodiscard]] virtual std::size_t n_variables() const noexcept = 0;
    // Differences of scores up to this are rounding.
    [[nodiscard]] virtual double rounding() const noexcept = 0;
    // Whether Markov-equivalent graphs have the same score.
    [[nodiscard]] virtual bool is_equivalent() const noexcept = 0;
    // Memory that it keeps besides the data.
    [[nodiscard]] virtual std::size_t bytes() const noexcept { return 0; }
    // Seconds that the score of one more parent takes within a batch, roughly: tells what is worth a thread. 0 where
    // several threads would wait for each other.
    [[nodiscard]] virtual double seconds_per_addition(std::size_t n_parents) const noexcept = 0;

    [[nodiscard]] virtual double score(const Family &family) const = 0;

    // scores[i] = the score with candidates[i] as one more parent. Returns false when the budget ended it early; what
    // was not scored is then NaN. Nothing is charged to the budget.
    virtual bool additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                           const Bounds *bounds, const Budget *budget) const;

    // answers[i] is what improves batch[i], of all variables. Families, and the candidates of each, are shared among
    // the team. Returns false when the budget ended it early. Nothing is charged to the budget.
    virtual bool improvements(std::span<const Family> batch, std::span<Improvements> answers, Team &team,
                              const Budget *budget) const;

    // scores[i] = the score without parents[chosen[i]].
    virtual void removals(const Family &family, std::span<const std::size_t> chosen, std::span<double> scores) const;

    // The same as additions without bounds and as removals, up to rounding: for choosing among many, where that takes
    // less time than to the last bit.
    virtual bool rough_additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                                 const Budget *budget) const {
        return additions(family, candidates, scores, nullptr, budget);
    }
    virtual void rough_removals(const Family &family, std::span<const std::size_t> chosen,
                                std::span<double> scores) const {
        removals(family, chosen, scores);
    }

    // What of a score depends on its family alone and not on the data, taken off the rest; 0 where nothing is known.
    [[nodiscard]] virtual double penalty(const Family & /*family*/) const { return 0.0; }
    // No larger family, up to so many parents, has a smaller penalty than this.
    [[nodiscard]] virtual double least_penalty(const Family & /*family*/, std::size_t /*most_parents*/) const {
        return 0.0;
    }
    // Variables with the same number make the same difference to the penalty of a family as a parent.
    [[nodiscard]] virtual std::uint32_t penalty_class(Variable /*variable*/) const noexcept { return 0; }

    // What bounds on the families of a child may use: these have at least the parents of `least`, and at most
    // `most_parents` of these and the candidates. It takes no more than a fraction of the time that is left.
    [[nodiscard]] virtual Supersets supersets(const Family & /*least*/, std::span<const Variable> /*candidates*/,
                                              std::size_t most_parents, const Budget & /*budget*/) const {
        return {infinity, most_parents};
    }

    // The same for the families that have these parents, candidates[i] and any of those that come after it: tails[i].
    // False where no more is known than that all may be there.
    virtual bool tails(const Family & /*family*/, std::span<const Variable> /*candidates*/, const Supersets & /*known*/,
                       std::span<Supersets> /*tails*/) const {
        return false;
    }

    // What no family with these parents, or with these and more, exceeds, without counting them: all that is known of
    // what occurs of it is said.
    [[nodiscard]] virtual double superset_bound(const Family & /*family*/, const Observed & /*observed*/,
                                                const Supersets &supersets) const {
        return supersets.most_likelihood + supersets.most_added;
    }

    // An engine that says the same of families of these variables, sooner; null where there is none. It does not need
    // this one any more.
    [[nodiscard]] virtual std::unique_ptr<const ScoreEngine> restricted(std::span<const Variable> /*variables*/) const {
        return nullptr;
    }

    // The score as a difference of set functions; null where it is not one.
    [[nodiscard]] virtual const SetFunction *set_function() const noexcept { return nullptr; }

    // The counts behind the scores, for what works on counts itself, such as tests of independence and trees of
    // replicas; null where there are none.
    [[nodiscard]] virtual const Counter *counter() const noexcept { return nullptr; }
};

// The parents with one more.
[[nodiscard]] std::vector<Variable> with_one_more(std::span<const Variable> parents, Variable one_more);
// The parents without the one at a place.
[[nodiscard]] std::vector<Variable> without_one(std::span<const Variable> parents, std::size_t place);

} // namespace arcwise
