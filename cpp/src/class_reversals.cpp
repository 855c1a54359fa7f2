#include "arcwise/class_reversals.hpp"

namespace arcwise {
namespace {

// No path from y to another parent of x becomes a cycle.
bool can_reverse_arc(const ClassGraph &graph, Variable x, Variable y, NodeView clique, ClassPaths &paths) {
    NodeSet others(graph.parents(x));
    others.erase(y);
    return !paths.lead(graph, y, NodeSet(clique) | graph.neighbours(x), others);
}

// Among the neighbours of y, no path leads around the clique from its members that are not adjacent to x to nodes that
// are.
bool can_reverse_edge(const ClassGraph &graph, Variable x, Variable y, NodeView clique) {
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

bool can_reverse(const ClassGraph &graph, Variable x, Variable y, NodeView clique, ClassPaths &paths) {
    return graph.children(y).contains(x) ? can_reverse_arc(graph, x, y, clique, paths)
                                         : can_reverse_edge(graph, x, y, clique);
}

// Reversals have the same effect where they make and unmake the same v-structures (Verma & Pearl 1990). A single one,
// x -> y <- z, is made by reversing either edge at y, and a single one, y -> x <- z, is unmade by reversing either arc.
std::optional<std::pair<Variable, Variable>> twin_of_reversal(const ClassGraph &graph, Variable x, Variable y,
                                                              NodeView clique, ClassPaths &paths) {
    const NodeSet made = (NodeSet(graph.parents(y)) | clique) - graph.adjacent(x);
    if (graph.neighbours(y).contains(x)) {
        return made.view().size() == 1 ? std::optional(std::pair(made.view().last(), y)) : std::nullopt;
    }
    const NodeSet both = colliding(graph, x, y);
    if (!made.empty() || both.view().size() != 2) {
        return std::nullopt;
    }
    NodeSet other = both;
    other.erase(y);
    const Variable z = other.view().last();
    const NodeSet common = NodeSet(graph.neighbours(z)) & graph.adjacent(x);
    const bool is_one = colliding(graph, x, z) == both && graph.parents(z).is_within(graph.adjacent(x)) &&
                        graph.is_clique(common) && can_reverse(graph, x, z, common, paths);
    return is_one ? std::optional(std::pair(x, z)) : std::nullopt;
}

} // namespace arcwise
