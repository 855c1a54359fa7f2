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

// The scores of one child with every set of parents that the rules allow.
struct SetScores {
    std::vector<Variable> others; // the candidates, ascending
    std::uint32_t required = 0;   // bit v: variable v is a parent in all sets
    std::vector<double> of;       // bit i of an index: others[i] is a parent besides the required ones; NaN: too many

    // Bit v: variable v is a parent.
    [[nodiscard]] std::uint32_t set(std::size_t index) const noexcept;
};

// Those of all variables, of which there are at most 24; nothing when the budget ended it early.
[[nodiscard]] std::vector<SetScores> scores_of_all_sets(const LocalScore &score, std::span<const ParentRules> rules,
                                                        std::size_t workers, Budget &budget);

// Where the score is a difference of set functions, sc(X | S) = g(S ∪ {X}) − g(S) less a penalty, the 2^n values of g
// do for all n 2^(n − 1) families. Otherwise each of these is scored. At most `max_sets` sets are kept for each
// variable.
[[nodiscard]] std::vector<ParentSearchResult>
exhaust_parents(const LocalScore &score, std::span<const ParentRules> rules, std::size_t max_sets, Budget &budget);

// Beyond this many variables the scores need too much memory.
inline constexpr std::size_t max_lattice_variables = 24;

} // namespace arcwise
