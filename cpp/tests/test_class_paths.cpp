#include "arcwise/class_paths.hpp"
#include "arcwise/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace arcwise;

namespace {

bool leads(const ClassGraph &graph, Variable a, Variable b) {
    return graph.children(a).contains(b) || graph.neighbours(a).contains(b);
}

// By trying all edges again and again.
std::vector<char> reached(const ClassGraph &graph, Variable start, NodeView closed) {
    std::vector<char> is_reached(graph.n_nodes(), 0);
    is_reached[start] = 1;
    for (bool found = true; found;) {
        found = false;
        for (Variable a = 0; a < graph.n_nodes(); ++a) {
            for (Variable b = 0; b < graph.n_nodes(); ++b) {
                if (is_reached[a] && !is_reached[b] && leads(graph, a, b) && !closed.contains(b)) {
                    is_reached[b] = 1;
                    found = true;
                }
            }
        }
    }
    return is_reached;
}

// Whether a path of these nodes alone leads from the start to the target.
bool join(const ClassGraph &graph, const std::vector<Variable> &nodes, Variable start, Variable target) {
    NodeSet others;
    for (Variable node = 0; node < graph.n_nodes(); ++node) {
        if (std::ranges::find(nodes, node) == nodes.end()) {
            others.insert(node);
        }
    }
    return reached(graph, start, others)[target] != 0;
}

} // namespace

TEST_CASE("paths follow arcs and edges and stop at closed nodes") {
    // 0 - 1, 1 -> 2 <- 3, 2 -> 4
    const ClassGraph graph({{}, {0}, {1, 3}, {}, {2}});
    ClassPaths paths(5);
    CHECK(paths.lead(graph, 0, NodeSet{}, NodeSet{4}));
    auto path = paths.last();
    std::ranges::sort(path);
    CHECK(path == std::vector<Variable>{0, 1, 2, 4});
    CHECK(paths.lead(graph, 1, NodeSet{}, NodeSet{0}));
    CHECK(paths.lead(graph, 3, NodeSet{}, NodeSet{4}));
    CHECK(!paths.lead(graph, 3, NodeSet{}, NodeSet{0, 1}));
    CHECK(!paths.lead(graph, 4, NodeSet{}, NodeSet{0}));
    CHECK(!paths.lead(graph, 0, NodeSet{2}, NodeSet{4}));
    CHECK(paths.lead(graph, 0, NodeSet{2}, NodeSet{1, 4}));
    CHECK(!paths.lead(graph, 0, NodeSet{2}, NodeSet{2}));
    CHECK(!paths.lead(graph, 0, NodeSet{1, 4}, NodeSet{4}));
}

TEST_CASE("paths from both ends are those that there are") {
    Random random(7);
    for (int round = 0; round < 60; ++round) {
        const std::size_t n = 5 + random.below(26);
        ParentLists dag(n);
        for (Variable child = 1; child < n; ++child) {
            for (Variable parent = 0; parent < child; ++parent) {
                if (random.below(n) < 2) {
                    dag[child].push_back(parent);
                }
            }
        }
        const ClassGraph graph(dag);
        ClassPaths paths(n);
        std::size_t n_found = 0;
        for (int asked = 0; asked < 40; ++asked) {
            const auto start = static_cast<Variable>(random.below(n));
            NodeSet closed;
            for (Variable node = 0; node < n; ++node) {
                if (node != start && random.below(8) == 0) {
                    closed.insert(node);
                }
            }
            const std::vector<char> expected = reached(graph, start, closed);
            for (Variable target = 0; target < n; ++target) { // what is known of the start serves for all of them
                if (target == start) {
                    continue;
                }
                const bool is_there = paths.lead(graph, start, closed, NodeSet{target});
                CHECK(is_there == (expected[target] != 0));
                if (is_there) {
                    ++n_found;
                    const auto path = paths.last();
                    CHECK(join(graph, path, start, target));
                    CHECK(std::ranges::none_of(path, [&](Variable node) { return closed.contains(node); }));
                }
            }
        }
        CHECK(n_found > 0);
    }
}
