// Pairs of variables that a climb does not join any more.
#pragma once

#include "arcwise/arc_rules.hpp"
#include "arcwise/table_view.hpp"

#include <span>
#include <vector>

namespace arcwise {

// Once a node has looked at all whom it may have as parents, most of them are forbidden: from then on it keeps the few
// that are not. So the memory is that of the pairs that are left, and not that of all.
class ForbiddenPairs {
  public:
    ForbiddenPairs(const ArcRules &rules, std::size_t n_nodes) : rules_(rules), sides_(n_nodes) {}

    [[nodiscard]] bool contains(Variable a, Variable b) const noexcept { return is_out(a, b) || is_out(b, a); }
    // The rules allow x as a parent of the node.
    void insert(Variable node, Variable x);
    // The node has looked: of all that the rules allow it as parents, only these, ascending, are not forbidden.
    void leave(Variable node, std::vector<Variable> open);

    [[nodiscard]] bool has_looked(Variable node) const noexcept { return sides_[node].has_looked; }
    // What it has left; others may have forbidden some of them since then.
    [[nodiscard]] std::span<const Variable> left(Variable node) const noexcept { return sides_[node].members; }

  private:
    struct Side {
        bool has_looked = false;
        std::vector<Variable> members; // ascending: what a node that has looked has left, else what is forbidden
    };
    [[nodiscard]] bool is_out(Variable node, Variable x) const noexcept;

    const ArcRules &rules_;
    std::vector<Side> sides_;
};

} // namespace arcwise
