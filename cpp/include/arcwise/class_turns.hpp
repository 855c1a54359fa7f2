// Which arcs of a class can be turned around (Hauser & Bühlmann 2012, JMLR 13).
#pragma once

#include "arcwise/class_graph.hpp"

namespace arcwise {

// Whether some graph of the class has y -> x, gives y just the parents that all graphs give it and the clique, and has
// no cycle with x -> y instead. The clique holds all common neighbours of y and x where all graphs have y -> x; where
// they differ, some of it is not adjacent to x, so that the class becomes another one.
[[nodiscard]] bool can_turn(const ClassGraph &graph, Variable x, Variable y, NodeView clique);

// Whether another arc can be turned with the same effect, and this one is the later of the two.
[[nodiscard]] bool has_earlier_turn(const ClassGraph &graph, Variable x, Variable y, NodeView clique);

} // namespace arcwise
