// Searches over classes of equivalent graphs that move from neighbour to neighbour.
#pragma once

#include "arcwise/class_moves.hpp"

#include <cstdint>
#include <vector>

namespace arcwise {

struct ClassSearchResult {
    ParentLists parents; // a graph of the class
    double score = 0.0;
    StopReason stopped_by = StopReason::none; // none: it came to its own end
    std::uint64_t insertions = 0;
    std::uint64_t deletions = 0;
    std::uint64_t reversals = 0;
};

// All of these climb from the class of `start`, which has a graph that obeys the rules, until no class next to it is
// better. Where several moves are best, one of them is drawn at random.

// k-greedy equivalence search (Nielsen, Kočka & Peña 2003): moves to the best of a random share k of the better
// classes, or of one of them where the share is less.
[[nodiscard]] ClassSearchResult search_classes(AdditionRows &additions, const ArcRules &rules, double k, bool reversing,
                                               const ParentLists &start, std::uint64_t seed, Budget &budget);

// Greedy equivalence search by phases: first all insertions, then all deletions (Chickering 2002); with reversals these
// follow, and all of it again until no phase improves the class (Hauser & Bühlmann 2012).
[[nodiscard]] ClassSearchResult search_classes_by_phases(AdditionRows &additions, const ArcRules &rules, bool reversing,
                                                         const ParentLists &start, std::uint64_t seed, Budget &budget);

// Extremely greedy equivalence search (Nazaret & Blei 2024): deletions go before reversals, and reversals before
// insertions. Where the search is extended, every arc of the local optimum is deleted on trial. A climb from there may
// at first bring back its opposite only, and in the end anything; what is better than the class takes its place.
[[nodiscard]] ClassSearchResult search_classes_deleting_first(AdditionRows &additions, const ArcRules &rules,
                                                              bool reversing, bool extended, const ParentLists &start,
                                                              std::uint64_t seed, Budget &budget);

struct ClassNeighbour {
    ParentLists parents; // a graph of the class that obeys the rules
    double gain;
};

// All classes next to that of a graph, each once; not all when the budget is exhausted. This class has a graph that
// obeys the rules.
[[nodiscard]] std::vector<ClassNeighbour> neighbours_of_class(AdditionRows &additions, const ArcRules &rules,
                                                              bool reversing, const ParentLists &graph, Budget &budget);

} // namespace arcwise
