// All parent sets of all variables, for few variables.
#pragma once

#include "arcwise/parent_search.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// Which parents a variable may and must have.
struct ParentRules {
    std::vector<Variable> required;
    std::vector<Variable> candidates;
    std::size_t max_parents = 0;
};

// Where the score is a difference of set functions, sc(X | S) = g(S ∪ {X}) − g(S) less a penalty, the 2^n values of g
// do for all n 2^(n − 1) families. Otherwise each of these is scored. At most `max_sets` sets are kept for each
// variable.
[[nodiscard]] std::vector<ParentSearchResult>
exhaust_parents(const LocalScore &score, std::span<const ParentRules> rules, std::size_t max_sets, Budget &budget);

// Beyond this many variables the scores need too much memory.
inline constexpr std::size_t max_lattice_variables = 24;

} // namespace arcwise
