// The acyclic selection of ASOBS: a graph from an order, with arcs that may lead backward.
#pragma once

#include "arcwise/order_climb.hpp"

#include <vector>

namespace arcwise {

// Goes through the order from its end, and gives each variable the best set that closes no cycle with those already
// chosen (Scanagatta, de Campos, Corani & Zaffalon 2015, NIPS). All sets within the predecessors are among those, so
// that the graph is at least as good as the best one that the order itself allows. The result has an order of this
// graph, in which variables stay as they were as far as possible, and the score of the given order as its start score.
[[nodiscard]] OrderClimbResult select_acyclic(const SetTable &table, std::vector<Variable> order);

} // namespace arcwise
