#include "arcwise/initial_orders.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "set_arrays.hpp"

#include <algorithm>
#include <stdexcept>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

void check_graph(const RelaxedGraph &graph) {
    check_runs(graph.begin, graph.parents.size());
    check_members(graph.parents, graph.n_nodes());
    for (std::size_t node = 0; node < graph.n_nodes(); ++node) {
        const auto parents = graph.parents_of(node);
        const auto is_wrong = [&](std::uint16_t a, std::uint16_t b) { return a >= b; };
        if (std::adjacent_find(parents.begin(), parents.end(), is_wrong) != parents.end() ||
            std::binary_search(parents.begin(), parents.end(), node)) {
            throw std::invalid_argument("the parents of a node must ascend and be others than the node itself");
        }
    }
}

Array<double> weights_of(const Offsets &variable_begin, const Offsets &set_begin, const Members &members,
                         const Numbers &scores) {
    return to_numpy(unlocked([&] {
        const ParentSetRuns table{span_of(variable_begin), span_of(set_begin), span_of(members), span_of(scores)};
        check_sets(table.variable_begin, table.set_begin, table.members, table.scores.size());
        return relaxed_weights(table);
    }));
}

Array<std::int64_t> dfs(const Offsets &begin, const Members &parents, std::uint64_t seed) {
    return order_to_numpy(unlocked([&] {
        const RelaxedGraph graph{span_of(begin), span_of(parents), {}};
        check_graph(graph);
        return dfs_order(graph, seed);
    }));
}

Array<std::int64_t> fas(const Offsets &begin, const Members &parents, const Numbers &weights, std::uint64_t seed) {
    return order_to_numpy(unlocked([&] {
        const RelaxedGraph graph{span_of(begin), span_of(parents), span_of(weights)};
        check_graph(graph);
        if (graph.weights.size() != graph.parents.size() ||
            !std::all_of(graph.weights.begin(), graph.weights.end(), [](double weight) { return weight >= 0.0; })) {
            throw std::invalid_argument("each parent must have a weight, and none below 0");
        }
        return fas_order(graph, seed);
    }));
}

} // namespace

void bind_initial_orders(nb::module_ &module) {
    module.def("relaxed_weights", &weights_of, "variable_begin"_a.noconvert(), "set_begin"_a.noconvert(),
               "members"_a.noconvert(), "scores"_a.noconvert(),
               "What each variable loses without each parent of its best set; infinite where the others hold no set.");
    module.def("dfs_order", &dfs, "begin"_a.noconvert(), "parents"_a.noconvert(), "seed"_a,
               "Order of a graph that may have cycles, by in-degree and goodness.");
    module.def("fas_order", &fas, "begin"_a.noconvert(), "parents"_a.noconvert(), "weights"_a.noconvert(), "seed"_a,
               "Order of a graph that may have cycles, in which only a light set of feedback arcs leads backward.");
}

} // namespace arcwise::bindings
