// Searches over directed acyclic graphs that move from neighbour to neighbour.
#pragma once

#include "arcwise/arc_rules.hpp"
#include "arcwise/budget.hpp"
#include "arcwise/dag_search.hpp"
#include "arcwise/dag_state.hpp"
#include "arcwise/leading_rows.hpp"
#include "arcwise/reinsertion.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace arcwise {

struct HillClimbResult {
    ParentLists parents;
    double score = -std::numeric_limits<double>::infinity();
    StopReason stopped_by = StopReason::none; // none: it came to its own end
    std::uint64_t additions = 0;
    std::uint64_t deletions = 0;
    std::uint64_t reversals = 0;
    std::uint64_t swaps = 0;
    std::uint64_t longer_additions = 0; // those that broke cycles; a reversal is not among them
    std::uint64_t longer_swaps = 0;
    std::uint64_t longest_chain = 0; // the most operators of one move; a reversal is one
    std::uint64_t reinsertions = 0;
};

// Climbs from `start`, which obeys the rules. The best move is made, one of them at random where several are best,
// until none improves the score.
[[nodiscard]] HillClimbResult hill_climb(LeadingRows &rows, const ArcRules &rules, DagMoves moves, ParentLists start,
                                         std::uint64_t seed, Budget &budget);

// The same, but two variables that a step has shown to be better apart are not joined any more, which saves scores; in
// two phases, all may be joined again where this climb ends, and it continues from there to a local optimum.
[[nodiscard]] HillClimbResult hill_climb_forbidding(LeadingRows &rows, const ArcRules &rules, DagMoves moves,
                                                    bool two_phases, ParentLists start, std::uint64_t seed,
                                                    Budget &budget);

struct TabuRules {
    std::size_t length;   // the last graphs, which the search does not go back to
    std::size_t patience; // moves in a row without a new best graph before it ends
};

// The same, but the best move is made even where it makes matters worse, unless it leads to a recent graph. Returns the
// best graph on the way.
[[nodiscard]] HillClimbResult tabu_search(LeadingRows &rows, const ArcRules &rules, DagMoves moves,
                                          const TabuRules &tabu, ParentLists start, std::uint64_t seed, Budget &budget);

struct LookAhead {
    std::size_t steps;      // h
    std::size_t directions; // l
};

// Look-ahead in good directions (Holland, Fathi, Abramovici & Neubach 2008): looks at the best `directions` moves, from
// each of these at the best again, and so on for `steps` moves; makes the sequence with the largest gain, or its best
// part, until none is a gain. One arc is added, deleted or reversed in a move.
[[nodiscard]] HillClimbResult look_ahead(LeadingRows &rows, const ArcRules &rules, const LookAhead &ahead,
                                         ParentLists start, std::uint64_t seed, Budget &budget);

// Optimal reinsertion (Moore & Wong 2003): every node in turn is cut off and put back with the best parents and
// children, all nodes again and again in random order; where that improves nothing any more, arcs are added, deleted or
// reversed one at a time, and nodes are reinserted again. No reinsertion and no change of one arc improves the end.
[[nodiscard]] HillClimbResult reinsert(LeadingRows &rows, const ArcRules &rules, const ReinsertionLimits &limits,
                                       ParentLists start, std::uint64_t seed, Budget &budget);

} // namespace arcwise
