// Climbs over orders: from an order to one that no move improves.
#pragma once

#include "arcwise/budget.hpp"
#include "arcwise/order_state.hpp"

#include <cstdint>
#include <vector>

namespace arcwise {

enum class OrderMoves {
    adjacent,      // swap two neighbours, the best pair (Teyssier & Koller 2005; Perez & Mauá 2016)
    insert_best,   // move one variable, the best of all moves (Alonso-Barba et al. 2011)
    insert_first,  // the first move that improves, moves in random order (Lee & van Beek 2017)
    insert_hybrid, // the best place for the first variable that has one, variables in random order (the same)
    insert_near,   // the same, but only variables near which something has changed since they were tried are drawn
};

struct OrderClimbRules {
    OrderMoves moves = OrderMoves::insert_hybrid;
    double tolerance = 0.0; // a move must change the score by more
    std::uint64_t max_moves = std::numeric_limits<std::uint64_t>::max();
    // Adjacent swaps only: pairs swapped in the last `tabu` moves stay as they are, and the best of the other swaps is
    // made even if it does not improve the score, until `tabu` moves in a row have not led to a better order. 0: plain
    // climb.
    std::uint64_t tabu = 0;
};

// Changes the state to a local optimum, or to where the budget or the limit on moves ended it; returns the moves made.
std::uint64_t climb_order(OrderState &state, const OrderClimbRules &rules, std::uint64_t seed, Budget &budget);

struct OrderClimbResult {
    std::vector<Variable> order;
    std::vector<std::vector<Variable>> parents;
    double score = 0.0;
    double start_score = 0.0;
    bool is_feasible = true; // every variable has a set
    std::uint64_t moves = 0;
    StopReason stopped_by = StopReason::none;
};

// Takes the order, its graph and its score from the state.
void read_result(const OrderState &state, OrderClimbResult &result);

[[nodiscard]] OrderClimbResult climb_order(const SetTable &table, std::vector<Variable> order,
                                           const OrderClimbRules &rules, std::uint64_t seed, Budget &budget);

} // namespace arcwise
