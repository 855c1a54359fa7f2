// A directed acyclic graph under change: parents, children, and which node reaches which.
#pragma once

#include "arcwise/parent_lists.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// An order in which parents come before children is kept up as arcs come (Pearce & Kelly 2006, ACM J. Exp. Algorithmics
// 11): an arc that agrees with it, as most do, costs nothing, and one that goes is no work at all. A path from one node
// to another is looked for from both ends among the nodes between them in that order, so that what a question costs
// grows with the graph around the two and not with the square of the nodes, as a matrix of all answers does. Up to a
// few hundred nodes there is such a matrix besides: it is small then, and an answer is one bit.
class DagState {
  public:
    static constexpr std::size_t most_in_matrix = 512;

    // Throws std::invalid_argument when the parents close a cycle.
    explicit DagState(ParentLists parents, std::size_t largest_matrix = most_in_matrix);

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
    [[nodiscard]] bool reaches(Variable from, Variable to) const noexcept {
        return has_matrix() ? reaches_in_matrix(from, to) : find_path(from, to);
    }
    // The same; where there is a path, calls use(tail, head) for the arcs of one.
    template <class Use> bool for_path(Variable from, Variable to, Use &&use) const {
        if (!reaches(from, to)) {
            return false;
        }
        if (has_matrix()) {
            for (Variable next = from; from != to; from = next) {
                for (const Variable child : children_[from]) {
                    if (reaches_in_matrix(child, to)) {
                        next = child;
                        break;
                    }
                }
                use(from, next);
            }
            return true;
        }
        if (from == to) {
            return true;
        }
        use(scratch_.met_from, scratch_.met_to);
        for (Variable node = scratch_.met_from; node != from; node = scratch_.towards_end[node]) {
            use(scratch_.towards_end[node], node);
        }
        for (Variable node = scratch_.met_to; node != to; node = scratch_.towards_end[node]) {
            use(node, scratch_.towards_end[node]);
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
    // The same for an arc that is covered: the parents of `to` are those of `from`, and `from` itself.
    void reverse_covered(Variable from, Variable to);

  private:
    [[nodiscard]] bool has_matrix() const noexcept { return !reach_.empty(); }
    [[nodiscard]] bool reaches_in_matrix(Variable from, Variable to) const noexcept {
        return (reach_[from * words_ + to / 64] >> (to % 64) & 1) != 0;
    }
    [[nodiscard]] bool find_path(Variable from, Variable to) const noexcept;

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
    void forget_below(Variable from);
    void fill_row(Variable node);
    [[nodiscard]] std::vector<Variable> topological_order() const;
    // Whether the order and the matrix are right.
    [[nodiscard]] bool is_consistent() const;
    // Who reaches whom, from scratch: each node's row from its children's, last in the order first.
    [[nodiscard]] std::vector<std::uint64_t> recomputed_reach() const;

    // What a search for a path uses: a node's mark says which search has seen it, and from which end.
    struct Scratch {
        std::vector<std::uint32_t> mark;
        std::uint32_t last_mark = 0;
        std::vector<Variable> towards_end; // the node before on the way from the end that has seen it
        std::vector<Variable> forward;
        std::vector<Variable> backward;
        Variable met_from = 0; // the arc between the nodes that the two ends have seen
        Variable met_to = 0;
    };

    ParentLists parents_; // ascending
    ParentLists children_;
    std::vector<Variable> order_;
    std::vector<std::uint32_t> place_;
    std::size_t words_;
    std::vector<std::uint64_t>
        reach_; // bit `to` of row `from`; nothing where there are more nodes than a matrix is for
    mutable Scratch scratch_;
};

} // namespace arcwise
