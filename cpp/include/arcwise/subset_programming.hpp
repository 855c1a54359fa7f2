// The best order of few variables, by dynamic programming over their subsets.
#pragma once

#include "arcwise/budget.hpp"
#include "arcwise/set_list.hpp"

#include <cstddef>
#include <vector>

namespace arcwise {

struct BestOrder {
    std::vector<Variable> order; // empty when no order gives every variable a set, and when the budget ended the search
    double score = 0.0;
    StopReason stopped_by = StopReason::none;
};

// Silander & Myllymäki 2006 ("A simple approach for finding the globally optimal Bayesian network structure", UAI):
//
//     best(∅) = 0,   best(W) = max over v in W of best(W \ v) + (v's best set within W \ v).
//
// What they keep of every family is not kept here. Subsets come in blocks that differ in the first few variables only,
// and the best sets of one variable within all predecessors of one block are found on the spot: its sets that fit the
// block, spread to their supersets. So the memory is that of best, eight bytes for each subset. Blocks with as many
// variables depend on blocks with fewer only, and are done at the same time; the answer is the same for any number of
// workers.
[[nodiscard]] BestOrder best_order(const SetTable &table, std::size_t workers, Budget &budget);

// What it allocates, at most.
[[nodiscard]] std::size_t best_order_bytes(const SetTable &table, std::size_t workers);

// Subsets are numbers of 32 bits.
inline constexpr std::size_t max_subset_variables = 32;

} // namespace arcwise
