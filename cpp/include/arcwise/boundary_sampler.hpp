// Random members of the inclusion boundary of a class of equivalent graphs, from one of its graphs.
#pragma once

#include "arcwise/arc_rules.hpp"
#include "arcwise/class_search.hpp"
#include "arcwise/dag_state.hpp"
#include "arcwise/local_score.hpp"
#include "arcwise/random.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace arcwise {

// A graph of a class that wanders through the class, and the arcs that can be added to it or removed (Castelo & Kočka
// 2003). Reversals of covered arcs lead to all graphs of the class (Chickering 1995), so that each class of the
// boundary comes up some time. With rules the graph obeys them at every moment; then it may not come to all others that
// do.
class BoundarySampler {
  public:
    struct Change {
        Variable from;
        Variable to;
        bool adds; // or else removes
        double gain;
    };

    // `start` obeys the rules.
    BoundarySampler(const LocalScore &score, const ArcRules &rules, ParentLists start, std::uint64_t seed,
                    Budget &budget);

    [[nodiscard]] const ParentLists &parents() const noexcept { return at_.dag.parent_lists(); }
    [[nodiscard]] double score() const noexcept;
    [[nodiscard]] double tolerance() const noexcept { return 2.0 * score_.rounding(); }

    // Reverses covered arcs, each drawn from all that there are: up to `most` of them. How many is drawn too, as an
    // even number of reversals of a single edge would always lead back.
    void wander(std::size_t most);
    // Draws a pair of nodes: their arc is removed, or one is added that closes no cycle. Nothing where the rules do not
    // allow it. There are at least two nodes.
    [[nodiscard]] std::optional<Change> draw();
    // Remembers the graph as it is and a change of it, in the place of the last.
    void remember(const Change &change);
    // Makes the change of the graph that was remembered.
    void make_remembered();

  private:
    // A graph with the scores of its families.
    struct Place {
        DagState dag;
        std::vector<double> local;
    };

    [[nodiscard]] bool is_covered(Variable from, Variable to) const noexcept;
    [[nodiscard]] bool may_reverse(Variable from, Variable to) const noexcept;
    [[nodiscard]] bool may_add(Variable from, Variable to) const noexcept;
    [[nodiscard]] bool may_be_parent(Variable from, Variable to) const noexcept;
    [[nodiscard]] double gain(Variable from, Variable to, bool adds);
    void rescore(Variable node);

    const LocalScore &score_;
    const ArcRules &rules_;
    Budget &budget_;
    Random random_;
    std::size_t n_;
    Place at_;
    Place remembered_;
    std::optional<Change> change_;
    std::vector<std::pair<Variable, Variable>> covered_; // for use within a function
    std::vector<Variable> family_;                       // likewise
};

// How a climb draws from boundaries.
struct BoundaryDraws {
    std::uint64_t per_step; // after so many it moves to the best
    std::uint64_t idle;     // after so many without one that is better it ends; at least 1
    std::size_t reversals;  // of covered arcs before each, at most
};

// k-greedy equivalence search as Nielsen, Kočka & Peña (2003) have implemented it: moves to the best of some drawn
// members of the boundary, if it is better, and ends when nothing has improved for a while. That may be short of a
// local optimum. `start` obeys the rules.
[[nodiscard]] ClassSearchResult search_classes_by_draws(const LocalScore &score, const ArcRules &rules,
                                                        const BoundaryDraws &draws, const ParentLists &start,
                                                        std::uint64_t seed, Budget &budget);

} // namespace arcwise
