// Variables in the order of their scores.
#pragma once

#include "arcwise/table_view.hpp"

#include <span>

namespace arcwise {

struct ScoredVariable {
    double score; // not NaN
    Variable variable;
};

// Sorts by score, the largest first; among equals the smaller variable comes first.
void sort_best_first(std::span<ScoredVariable> all);

} // namespace arcwise
