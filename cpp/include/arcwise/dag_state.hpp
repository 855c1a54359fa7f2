// A directed acyclic graph under change: parents, and which node reaches which.
#pragma once

#include "arcwise/parent_lists.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

class DagState {
  public:
    // Throws std::invalid_argument when the parents close a cycle.
    explicit DagState(ParentLists parents);

    [[nodiscard]] std::size_t n_nodes() const noexcept { return parents_.size(); }
    [[nodiscard]] std::span<const Variable> parents(Variable node) const noexcept { return parents_[node]; }
    [[nodiscard]] const ParentLists &parent_lists() const noexcept { return parents_; }
    [[nodiscard]] bool has_arc(Variable from, Variable to) const noexcept;
    // How many nodes it is joined to: parents and children.
    [[nodiscard]] std::size_t degree(Variable node) const noexcept { return parents_[node].size() + n_children_[node]; }

    // A directed path from one to the other; every node reaches itself.
    [[nodiscard]] bool reaches(Variable from, Variable to) const noexcept {
        return (reach_[from * words_ + to / 64] >> (to % 64) & 1) != 0;
    }

    // Bit `to` is set where `from` reaches `to`.
    [[nodiscard]] std::span<const std::uint64_t> reached_from(Variable from) const noexcept {
        return std::span(reach_).subspan(from * words_, words_);
    }

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
    void insert_parent(Variable from, Variable to);
    void erase_parent(Variable from, Variable to);
    [[nodiscard]] std::vector<Variable> topological_order() const;
    // Who reaches whom, from scratch: each node's row from its children's, last in the order first.
    [[nodiscard]] std::vector<std::uint64_t> recomputed_reach() const;

    ParentLists parents_; // ascending
    std::vector<std::size_t> n_children_;
    std::size_t words_;
    std::vector<std::uint64_t> reach_; // bit `to` of row `from`
};

} // namespace arcwise
