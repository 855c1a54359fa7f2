// The parent sets of one variable that a graph better than a known one may have: all others are ruled out by bounds.
#pragma once

#include "arcwise/cluster_rows.hpp"
#include "arcwise/parent_search.hpp"

#include <limits>

namespace arcwise {

struct EnumerationOptions {
    std::size_t max_parents = 0;     // of the sets that are looked at
    std::size_t allowed_parents = 0; // of any set: bounds are on those of up to so many
    // Sets of at most this value are not wanted. The value of a set is its score and the prices of the rows that it
    // keeps.
    double threshold = -std::numeric_limits<double>::infinity();
    std::size_t max_sets = 0; // wanted ones; where there are more, it ends
};

struct EnumerationResult {
    ParentSearchResult found;
    // No set within max_parents that is not in the list, nor beaten by a subset of its own, has a larger value than
    // this or the threshold. Minus infinity where all were looked at.
    double rest = -std::numeric_limits<double>::infinity();
    // The same for sets of more parents than max_parents, and at most as many as are allowed.
    double deeper = -std::numeric_limits<double>::infinity();
};

// Goes through the tree of sets in which each has the candidates that come after its last one. A set whose supersets
// are bounded by the threshold, or by the score of a subset, is left with all of them: prices only fall as sets grow.
// The clusters may be those of all variables; only those with the child matter. The smallest set is always in the list.
[[nodiscard]] EnumerationResult enumerate_parents(const LocalScore &score, Variable child,
                                                  std::span<const Variable> required,
                                                  std::span<const Variable> candidates,
                                                  std::span<const Cluster> clusters, std::span<const double> prices,
                                                  const EnumerationOptions &options, Budget &budget);

} // namespace arcwise
