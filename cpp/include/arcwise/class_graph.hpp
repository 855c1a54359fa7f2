// The essential graph of a class of Markov equivalent graphs, under change.
#pragma once

#include "arcwise/arc_rules.hpp"
#include "arcwise/dag_state.hpp"
#include "arcwise/node_set.hpp"

#include <cstdint>
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

    [[nodiscard]] std::size_t n_nodes() const noexcept { return edges_.size(); }
    [[nodiscard]] NodeView parents(Variable node) const noexcept { return edges_[node].parents; }
    [[nodiscard]] NodeView children(Variable node) const noexcept { return edges_[node].children; }
    [[nodiscard]] NodeView neighbours(Variable node) const noexcept { return edges_[node].neighbours; } // undirected
    [[nodiscard]] NodeView adjacent(Variable node) const noexcept { return edges_[node].adjacent; }

    [[nodiscard]] bool is_clique(NodeView nodes) const noexcept;
    // Calls use(clique) for all sets of neighbours of a node that are adjacent to one another, the empty one too, until
    // it returns false; whether it never did.
    template <class Use> bool for_each_clique(Variable node, Use &&use) const {
        NodeSet clique;
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
    void undo() { go_back_to(operator_begin_); }
    // From here on all operators are remembered, until either all of them are undone or the class is kept.
    void begin_trial();
    void undo_trial();
    void keep_trial();

    // A graph of the class that obeys the rules, the same one for the same class; none if there is none. Without rules
    // there always is one.
    [[nodiscard]] std::optional<ParentLists> extension(const ArcRules *rules = nullptr) const;
    // Whether there is one, if there was one before the last operator and it did not delete a required arc.
    [[nodiscard]] bool still_obeys(const ArcRules &rules) const;

    friend bool operator==(const ClassGraph &a, const ClassGraph &b) noexcept { return a.edges_ == b.edges_; }

  private:
    using Arc = std::pair<Variable, Variable>;
    struct Edges {
        NodeSet parents;
        NodeSet children;
        NodeSet neighbours;
        NodeSet adjacent; // all three
        friend bool operator==(const Edges &, const Edges &) noexcept = default;
    };

    template <class Use> bool extend_clique(NodeSet &clique, const NodeSet &others, Use &use) const {
        if (!use(std::as_const(clique))) {
            return false;
        }
        NodeSet later = others;
        bool continues = true;
        for (const Variable node : others) {
            later.erase(node);
            if (continues) {
                clique.insert(node);
                continues = extend_clique(clique, later & adjacent(node), use);
                clique.erase(node);
            }
        }
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
    void go_back_to(std::size_t place);

    [[nodiscard]] bool is_in_v_structure(Variable a, Variable b) const noexcept;
    // Meek's rules: whether a - b must be a -> b.
    [[nodiscard]] bool would_make_v_structure(Variable a, Variable b) const noexcept; // otherwise: c -> a <- b
    [[nodiscard]] bool would_close_cycle(Variable a, Variable b) const noexcept;      // otherwise: a -> c -> b -> a
    [[nodiscard]] bool would_force_v_structure(Variable a, Variable b) const; // otherwise: c -> a <- d for c, d -> b
    [[nodiscard]] bool must_lead(Variable a, Variable b) const {
        return would_make_v_structure(a, b) || would_close_cycle(a, b) || would_force_v_structure(a, b);
    }

    // Calls use(node, lines) for one node after the other: its undirected edges to `lines` can all be arcs into it.
    // Whether none of the region, which is in ascending order and has all neighbours of its members, is left in the
    // end.
    template <class Use> bool take_away_sinks(std::span<const Variable> region, const ArcRules *rules, Use &&use) const;
    [[nodiscard]] bool may_be_sink(Variable node, NodeView lines, const ArcRules *rules) const;
    [[nodiscard]] bool has_required(const ArcRules *rules) const noexcept;

    std::vector<Edges> edges_; // of each node
    // During a change:
    std::vector<Arc> doubtful_; // arcs whose premises may be gone
    std::vector<Arc> open_;     // undirected edges that may have to be directed
    // What nodes were before an operator touched them: of the last one, or of all in a trial.
    std::vector<std::pair<Variable, Edges>> before_;
    std::size_t operator_begin_ = 0;        // of the last one
    std::uint64_t operator_ = 0;            // its number
    std::vector<std::uint64_t> touched_by_; // per node, the number of the last one
    bool is_trial_ = false;
    std::vector<Variable> changed_;
};

} // namespace arcwise
