// A node cut off from a graph and put back with the parents and children that are best together.
#pragma once

#include "arcwise/dag_search.hpp"
#include "arcwise/random.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace arcwise {

struct ReinsertionLimits {
    static constexpr std::size_t most_candidates = 64; // a set of them is a word

    std::size_t set_size;   // parents that a node is put back with at most, besides the required ones
    std::size_t candidates; // which these come from: so many of the variables that are the best parents alone
};

// Optimal reinsertion (Moore & Wong 2003, ICML). Once the node is cut off, each other node either gains by having it as
// one more parent or does not, whatever the rest; and it may have it unless one of the node's own parents descends from
// it. So each set of parents has its best children. The larger the set, the fewer children it leaves: a set that scores
// no more than one of its subsets need not be looked at, nor do sets that would not be best with all children. Which
// sets are left, and their scores, does not depend on the graph, so that they are found once for each node.
class Reinsertions {
  public:
    // At most 64 candidates are used, whatever the limits say.
    Reinsertions(const LocalScore &score, const ArcRules &rules, const ReinsertionLimits &limits);

    // A best way to put the node back, drawn at random where several are; without steps where none is better than how
    // it is, or where the budget ended the search for it. The parents that the node has are tried too, however many.
    [[nodiscard]] Move best(const DagSearch &state, Variable node, Random &random, Budget &budget);

  private:
    struct Set {
        double score;
        std::uint64_t members; // bit i: the i-th candidate
    };
    struct Choices {
        std::vector<Variable> required;
        std::vector<Variable> candidates;
        std::vector<Set> sets; // best first; none scores as little as one of its subsets
    };
    struct Child {
        Variable node;
        double gain;
        std::uint64_t below;   // the candidates among its descendants, itself included
        bool is_above_parents; // one of the parents that the node has is its descendant
    };
    // What the graph leaves to a node that is cut off.
    struct Places {
        std::vector<Child> children; // that gain; those that are required go without saying
        std::uint64_t barred = 0;    // candidates among the descendants of required children
        double value = 0.0;          // of the place that the node has
        double most = 0.0;           // what all children gain together
        double tolerance = 0.0;
    };
    // Parents, and with their best children the value; the parents that the node has where `set` is null.
    struct Place {
        double value;
        const Set *set;
    };

    [[nodiscard]] const Choices *choices(Variable node, Budget &budget);
    [[nodiscard]] std::optional<Choices> counted(Variable node, Budget &budget) const;
    [[nodiscard]] bool count_sets(Variable node, Choices &found, Budget &budget) const;
    [[nodiscard]] static double best_below(std::span<const Set> level, std::uint64_t members);
    [[nodiscard]] static std::vector<Variable> parents(const Choices &known, const Set &set);
    [[nodiscard]] Places places(const DagSearch &state, Variable node, const Choices &known) const;
    [[nodiscard]] std::vector<Step> steps(const DagState &dag, Variable node, const Choices &known,
                                          const Places &places, const Set *set) const;
    [[nodiscard]] static bool may_have(const Child &child, const Set *set) noexcept {
        return set == nullptr ? !child.is_above_parents : (child.below & set->members) == 0;
    }

    const LocalScore &score_;
    const ArcRules &rules_;
    ReinsertionLimits limits_;
    std::size_t n_;
    std::vector<std::optional<Choices>> choices_;
};

} // namespace arcwise
