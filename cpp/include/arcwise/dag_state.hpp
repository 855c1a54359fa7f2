// A directed acyclic graph under change: parents, children, and which node reaches which.
#pragma once

#include "arcwise/parent_lists.hpp"

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace arcwise {

// An order in which parents come before children is kept up as arcs come (Pearce & Kelly 2006, ACM J. Exp. Algorithmics
// 11): an arc that agrees with it, as most do, costs nothing, nor does one that goes. A path from one node
// to another is looked for from both ends among the nodes between them in that order. So the memory is that of the
// graph, and what a question costs grows with what is around the two nodes. A matrix of all answers takes the square of
// the nodes, a deletion makes most of it anew, and on tables of 37 to 2,000 variables it made no climb faster.
class DagState {
  public:
    // Throws std::invalid_argument when the parents close a cycle.
    explicit DagState(ParentLists parents);

    [[nodiscard]] std::size_t n_nodes() const noexcept { return parents_.size(); }
    [[nodiscard]] std::span<const Variable> parents(Variable node) const noexcept { return parents_[node]; }
    [[nodiscard]] const ParentLists &parent_lists() const noexcept { return parents_; }
    // In any order.
    [[nodiscard]] std::span<const Variable> children(Variable node) const noexcept { return children_[node]; }
    [[nodiscard]] bool has_arc(Variable from, Variable to) const noexcept;
    // How many nodes it is joined to: parents and children.
    [[nodiscard]] std::size_t degree(Variable node) const noexcept {
        return parents_[node].size() + children_[node].size();
    }
    // Where a node is in an order that has parents before children.
    [[nodiscard]] std::size_t place(Variable node) const noexcept { return place_[node]; }

    // A directed path from one to the other; every node reaches itself. Not for several threads at the same time.
    [[nodiscard]] bool reaches(Variable from, Variable to) const noexcept;
    // The same; where there is a path, calls use(tail, head) for the arcs of one.
    template <class Use> bool for_path(Variable from, Variable to, Use &&use) const {
        if (from == to || !reaches(from, to)) {
            return from == to;
        }
        const auto &[met_from, met_to, before] = std::tie(scratch_.met_from, scratch_.met_to, scratch_.before);
        use(met_from, met_to);
        for (Variable node = met_from; node != from; node = before[node]) {
            use(before[node], node);
        }
        for (Variable node = met_to; node != to; node = before[node]) {
            use(node, before[node]);
        }
        return true;
    }
    // Calls use(node) for a node and all that it reaches, or that reach it.
    template <class Use> void for_each_below(Variable node, Use &&use) const { for_each_from(node, children_, use); }
    template <class Use> void for_each_above(Variable node, Use &&use) const { for_each_from(node, parents_, use); }

    // from -> to is absent and closes no cycle.
    [[nodiscard]] bool can_add(Variable from, Variable to) const noexcept { return !reaches(to, from); }
    // from -> to is present, and reversed it closes no cycle: no other parent of `to` is reached from `from`.
    [[nodiscard]] bool can_reverse(Variable from, Variable to) const noexcept;

    void add(Variable from, Variable to);
    void remove(Variable from, Variable to);
    void reverse(Variable from, Variable to);

  private:
    template <class Use> void for_each_from(Variable node, const ParentLists &next, Use &use) const {
        const std::uint32_t seen = next_mark();
        std::vector<Variable> &queue = scratch_.forward;
        queue[0] = node;
        scratch_.mark[node] = seen;
        std::size_t end = 1;
        for (std::size_t at = 0; at < end; ++at) {
            use(queue[at]);
            for (const Variable other : next[queue[at]]) {
                if (scratch_.mark[other] != seen) {
                    scratch_.mark[other] = seen;
                    queue[end++] = other;
                }
            }
        }
    }
    [[nodiscard]] std::uint32_t next_mark() const noexcept;

    void insert_parent(Variable from, Variable to);
    void erase_parent(Variable from, Variable to);
    void put_before(Variable from, Variable to);
    [[nodiscard]] std::vector<Variable> topological_order() const;
    [[nodiscard]] bool has_right_order() const;

    // What a search for a path uses: a node's mark says which search has seen it, and from which end.
    struct Scratch {
        std::vector<std::uint32_t> mark;
        std::uint32_t last_mark = 0;
        std::vector<Variable> before; // each node, on the way from the end that has seen it
        std::vector<Variable> forward;
        std::vector<Variable> backward;
        Variable met_from = 0; // the arc between the nodes that the two ends have seen
        Variable met_to = 0;
    };

    ParentLists parents_; // ascending
    ParentLists children_;
    std::vector<std::uint32_t> place_; // in the order
    mutable Scratch scratch_;
};

} // namespace arcwise
