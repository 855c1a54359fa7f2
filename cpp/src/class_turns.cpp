#include "arcwise/class_turns.hpp"

#include <vector>

namespace arcwise {
namespace {

// No path from y to another parent of x becomes a cycle.
bool can_turn_arc(const ClassGraph &graph, Variable x, Variable y, NodeView clique) {
    const std::vector<Variable> before = graph.paths(y, NodeSet(clique) | graph.neighbours(x));
    bool is_reached = false;
    graph.parents(x).for_each(
        [&](Variable other) { is_reached = is_reached || (other != y && before[other] != ClassGraph::nobody); });
    return !is_reached;
}

// Among the neighbours of y, no path leads around the clique from its members that are not adjacent to x to nodes that
// are.
bool can_turn_edge(const ClassGraph &graph, Variable x, Variable y, NodeView clique) {
    const NodeSet common = NodeSet(graph.neighbours(y)) & graph.adjacent(x);
    NodeSet seen = NodeSet(clique) - common;
    NodeSet ahead = seen;
    while (!ahead.empty()) {
        const Variable node = ahead.view().last();
        ahead.erase(node);
        NodeSet next = NodeSet(graph.neighbours(y)) & graph.adjacent(node);
        next -= seen;
        next -= clique;
        if (next.view().intersects(common)) {
            return false;
        }
        seen |= next;
        ahead |= next;
    }
    return true;
}

// The parents of a node that make v-structures there with one of them, this one included.
NodeSet colliding(const ClassGraph &graph, Variable node, Variable parent) {
    return NodeSet(graph.parents(node)) - graph.adjacent(parent);
}

} // namespace

bool can_turn(const ClassGraph &graph, Variable x, Variable y, NodeView clique) {
    return graph.children(y).contains(x) ? can_turn_arc(graph, x, y, clique) : can_turn_edge(graph, x, y, clique);
}

// Turns have the same effect where they make and unmake the same v-structures (Verma & Pearl 1990). A single one,
// x -> y <- z, is made by turning either edge at y, and a single one, y -> x <- z, is unmade by turning either arc.
bool has_earlier_turn(const ClassGraph &graph, Variable x, Variable y, NodeView clique) {
    const NodeSet made = (NodeSet(graph.parents(y)) | clique) - graph.adjacent(x);
    if (graph.neighbours(y).contains(x)) {
        return made.view().size() == 1 && made.view().last() < x;
    }
    const NodeSet both = colliding(graph, x, y);
    if (!made.empty() || both.view().size() != 2 || both.view().last() != y) {
        return false;
    }
    NodeSet other = both;
    other.erase(y);
    const Variable z = other.view().last();
    const NodeSet common = NodeSet(graph.neighbours(z)) & graph.adjacent(x);
    return colliding(graph, x, z) == both && graph.parents(z).is_within(graph.adjacent(x)) && graph.is_clique(common) &&
           can_turn(graph, x, z, common);
}

} // namespace arcwise
