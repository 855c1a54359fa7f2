// Orders to start a search from, read off the relaxed graph: Perez & Mauá (2016, JIDM 7(2), section 5).
#pragma once

#include "arcwise/random.hpp"
#include "arcwise/relaxed_graph.hpp"

#include <cstdint>
#include <vector>

namespace arcwise {

// Algorithm 3: next is always a node with the fewest parents that are still to come, among those one with the least
// goodness (eq. 7), among those any. Where the graph has no cycle, all arcs lead forward.
[[nodiscard]] std::vector<Variable> dfs_order(const RelaxedGraph &graph, std::uint64_t seed);

// Algorithm 4: for each arc whether it is in a set that meets every cycle. The set is light, by the heuristic of
// Demetrescu & Finocchi (2003, IPL 86(3)): at most as many times the lightest such set as the longest cycle has arcs.
// None of its arcs could be left out of it.
[[nodiscard]] std::vector<bool> feedback_arcs(const RelaxedGraph &graph, Random &random);

// A random order in which exactly the feedback arcs lead backward.
[[nodiscard]] std::vector<Variable> fas_order(const RelaxedGraph &graph, std::uint64_t seed);

} // namespace arcwise
