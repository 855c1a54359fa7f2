// All equivalence classes that score nearly as much as the best one, for few variables.
#pragma once

#include "arcwise/best_classes.hpp"
#include "arcwise/subset_lattice.hpp"

#include <cstddef>
#include <vector>

namespace arcwise {

struct CredibleClasses {
    std::vector<ScoredGraph> graphs; // best first; none unless it is complete
    std::size_t n_sets = 0;          // parent sets that such a graph can have, of all variables
    bool is_complete = false;        // false: there are too many, or the budget ended it
    StopReason stopped_by = StopReason::none;
};

// The classes whose best graph scores at most `within` less than the best of all (Liao, Sharma, Cussens & van Beek
// 2019, "Finding all Bayesian network structures within a factor of optimal", AAAI).
//
// With B(W) the best score of the variables W among themselves and C(W) that of all others when W may be their parents,
// a parent set of v is in such a graph if and only if its score with the largest B(W) + C(W ∪ v) over all W that have
// it and not v comes near enough to the best: what is left are few sets. Then classes over more and more variables are
// made by one sink at a time, as the k best are (best_classes.hpp), of which those stay that C completes to a graph
// which is good enough. At most `most` classes are kept over all sets of variables of one size.
[[nodiscard]] CredibleClasses credible_classes(const std::vector<SetScores> &scores, double within, std::size_t most,
                                               std::size_t workers, Budget &budget);

// What it allocates, at most, with the scores.
[[nodiscard]] double credible_classes_bytes(std::size_t n_variables, std::size_t most);

} // namespace arcwise
