// What kernels that start from one graph and move to others have in common.
#pragma once

#include "arcwise/dag_state.hpp"

#include "arc_rules.hpp"
#include "bound_score.hpp"

#include <nanobind/nanobind.h>

#include <stdexcept>
#include <utility>

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

// Calls kernel(rules, start) without the lock of the interpreter, where both fit the variables of the score.
template <class Kernel>
auto climb_from(const BoundScore &score, const BoundRules &rules, ParentLists start, const Kernel &kernel) {
    const std::size_t n = score.score.n_variables();
    const ArcRules &checked_rules = rules.over(n);
    start = checked_lists(n, std::move(start));
    const nanobind::gil_scoped_release release;
    return kernel(checked_rules, std::move(start));
}

} // namespace arcwise::bindings
