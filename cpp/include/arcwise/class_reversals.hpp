// Which arcs of a class can be reversed (Hauser & Bühlmann 2012, JMLR 13).
#pragma once

#include "arcwise/class_paths.hpp"

#include <optional>
#include <utility>

namespace arcwise {

// Whether some graph of the class has y -> x, gives y just the parents that all graphs give it and the clique, and has
// no cycle with x -> y instead. The clique holds all common neighbours of y and x where all graphs have y -> x; where
// they differ, some of it is not adjacent to x, so that the class becomes another one.
[[nodiscard]] bool can_reverse(const ClassGraph &graph, Variable x, Variable y, NodeView clique, ClassPaths &paths);

// Another arc, (from, to), that a reversal can make with the same effect as making x -> y.
[[nodiscard]] std::optional<std::pair<Variable, Variable>>
twin_of_reversal(const ClassGraph &graph, Variable x, Variable y, NodeView clique, ClassPaths &paths);

} // namespace arcwise
