// All parent sets of all variables at once, for few variables and scores that Markov-equivalent graphs share.
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

// Such a score is a difference, sc(X | S) = g(S ∪ {X}) − g(S) less a penalty that needs no counting. So the 2^n values
// of g do for all n 2^(n − 1) families, and each table comes from one with one variable more by adding cells up:
// about 3^n additions in all for binary variables. At most `max_sets` sets are kept for each variable.
[[nodiscard]] std::vector<ParentSearchResult>
exhaust_parents(const LocalScore &score, std::span<const ParentRules> rules, std::size_t max_sets, Budget &budget);

// Beyond this many variables the values of g need too much memory.
inline constexpr std::size_t max_lattice_variables = 24;
// Beyond this many configurations of all variables, their numbers do not fit 64 bits.
inline constexpr double max_lattice_configurations = 0x1p62;

} // namespace arcwise
