// The essential graph of a class of Markov equivalent graphs, under change.
#pragma once

#include "arcwise/arc_rules.hpp"
#include "arcwise/dag_state.hpp"
#include "arcwise/node_set.hpp"

#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace arcwise {

// An arc is directed where all graphs of the class have it, an edge undirected where they differ (Andersson, Madigan &
// Perlman 1997). The operators change skeleton and v-structures, and then only those directions that rest on what has
// changed: Meek's rules (1995) make a monotone closure of skeleton and v-structures, so that it is enough to withdraw
// whatever may follow from a lost premise and to derive anew what still follows.
class ClassGraph {
  public:
    // The class of a graph.
    explicit ClassGraph(const ParentLists &dag);

    [[nodiscard]] std::size_t n_nodes() const noexcept { return n_; }
    [[nodiscard]] NodeView parents(Variable node) const noexcept { return parents_[node]; }
    [[nodiscard]] NodeView children(Variable node) const noexcept { return children_[node]; }
    [[nodiscard]] NodeView neighbours(Variable node) const noexcept { return neighbours_[node]; } // undirected edges
    [[nodiscard]] NodeView adjacent(Variable node) const noexcept { return adjacent_[node]; }

    // For each node the one before it on a path from `start` along arcs and undirected edges without a step into
    // `closed`; for the start itself, and nobody where no such path leads.
    static constexpr Variable nobody = std::numeric_limits<Variable>::max();
    [[nodiscard]] std::vector<Variable> paths(Variable start, NodeView closed) const;
    // Whether a path may go from a straight to b.
    [[nodiscard]] bool leads(Variable a, Variable b) const noexcept {
        return adjacent(a).contains(b) && !parents(a).contains(b);
    }
    // Whether such a path leads to one of the targets, which are neither the start nor closed.
    [[nodiscard]] bool reaches(Variable start, NodeView closed, NodeView targets) const;
    [[nodiscard]] bool is_clique(NodeView nodes) const noexcept;
    // Calls use(clique) for all sets of neighbours of a node that are adjacent to one another, the empty one too, until
    // it returns false; whether it never did.
    template <class Use> bool for_each_clique(Variable node, Use &&use) const {
        NodeSet clique(n_);
        return extend_clique(clique, NodeSet(neighbours(node)), use);
    }

    // The class of a graph of this class in which y has the parents that all graphs give it and `clique` besides, after
    // the arc x -> y was added to it, deleted from it, or made of y -> x. Class moves say which are possible.
    void insert(Variable x, Variable y, NodeView clique);
    void remove(Variable x, Variable y, NodeView clique);
    void reverse(Variable x, Variable y, NodeView clique);
    // The nodes with an edge that is not what it was before the last operator.
    [[nodiscard]] std::span<const Variable> changed() const noexcept { return changed_; }

    // Makes the last operator undone.
    void undo();

    // A graph of the class that obeys the rules, the same one for the same class; none if there is none. Without rules
    // there always is one.
    [[nodiscard]] std::optional<ParentLists> extension(const ArcRules *rules = nullptr) const;
    // Whether there is one, if there was one before the last operator and it did not delete a required arc.
    [[nodiscard]] bool still_obeys(const ArcRules &rules) const;

    friend bool operator==(const ClassGraph &a, const ClassGraph &b) noexcept {
        return a.parents_ == b.parents_ && a.neighbours_ == b.neighbours_;
    }

  private:
    using Arc = std::pair<Variable, Variable>;

    template <class Use> bool extend_clique(NodeSet &clique, const NodeSet &others, Use &use) const {
        if (!use(std::as_const(clique))) {
            return false;
        }
        NodeSet later = others;
        bool continues = true;
        others.for_each([&](Variable node) {
            later.erase(node);
            if (continues) {
                clique.insert(node);
                continues = extend_clique(clique, later & adjacent(node), use);
                clique.erase(node);
            }
        });
        return continues;
    }

    void begin_change();
    void touch(Variable node);
    void disconnect(Variable a, Variable b);
    void join(Variable a, Variable b);   // a - b
    void direct(Variable a, Variable b); // a -> b

    // Makes the directions right again after the edge of x and y or v-structures at either have changed, given the
    // nodes that are a child of both before or after.
    void settle(Variable x, Variable y, NodeView common_children);
    void doubt_arcs_at(Variable node);
    void doubt_arcs_into(Variable node);
    void doubt_consequences(Variable a, Variable b);
    void withdraw_doubtful();
    void derive_open();
    void open_edges_at(Variable node);
    void end_change();
    void list_next(Variable node);

    [[nodiscard]] bool is_in_v_structure(Variable a, Variable b) const noexcept;
    // Meek's rules: whether a - b must be a -> b.
    [[nodiscard]] bool would_make_v_structure(Variable a, Variable b) const noexcept; // otherwise: c -> a <- b
    [[nodiscard]] bool would_close_cycle(Variable a, Variable b) const noexcept;      // otherwise: a -> c -> b -> a
    [[nodiscard]] bool would_force_v_structure(Variable a, Variable b) const; // otherwise: c -> a <- d for c, d -> b
    [[nodiscard]] bool must_lead(Variable a, Variable b) const {
        return would_make_v_structure(a, b) || would_close_cycle(a, b) || would_force_v_structure(a, b);
    }

    // Calls use(node, lines) for one node after the other: its undirected edges to `lines` can all be arcs into it.
    // Whether none of `left`, which has all neighbours of its members, is left in the end.
    template <class Use> bool take_away_sinks(NodeSet left, const ArcRules *rules, Use &&use) const;
    [[nodiscard]] bool may_be_sink(Variable node, NodeView lines, const ArcRules *rules) const;
    [[nodiscard]] bool has_required(const ArcRules *rules) const noexcept;

    std::size_t n_;
    NodeRows parents_;
    NodeRows children_;
    NodeRows neighbours_;
    NodeRows adjacent_;
    std::vector<std::vector<Variable>> next_; // per node, those that a path may go to; but for a change under way
    // During a change:
    std::vector<Arc> doubtful_; // arcs whose premises may be gone
    std::vector<Arc> open_;     // undirected edges that may have to be directed
    NodeSet is_touched_;
    std::vector<Variable> touched_;
    std::vector<std::uint64_t> before_; // parents, children and neighbours of the touched nodes
    std::vector<Variable> changed_;
};

} // namespace arcwise
