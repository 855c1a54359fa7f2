// Graphs that come from Python as the parents of each node.
#pragma once

#include "arcwise/dag_state.hpp"

#include <stdexcept>

namespace arcwise::bindings {

// Indices reach the kernels unchecked: here is where wrong ones stop.
inline ParentLists checked_lists(std::size_t n, ParentLists graph) {
    if (graph.size() != n) {
        throw std::invalid_argument("the graph is for another number of variables");
    }
    for (const auto &parents : graph) {
        for (const Variable parent : parents) {
            if (parent >= n) {
                throw std::invalid_argument("the graph names a variable that does not exist");
            }
        }
    }
    return graph;
}

} // namespace arcwise::bindings
