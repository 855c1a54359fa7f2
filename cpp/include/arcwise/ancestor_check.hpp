// Whether a graph keeps to rules about ancestors after a move.
#pragma once

#include "arcwise/arc_rules.hpp"
#include "arcwise/dag_moves.hpp"
#include "arcwise/dag_state.hpp"

#include <span>
#include <utility>
#include <vector>

namespace arcwise {

// Looks for each of the paths from its beginning, in the time of the graph. For the few rules that people have.
class AncestorCheck {
  public:
    AncestorCheck(const AncestorRules &rules, std::size_t n_nodes) : rules_(rules), seen_(n_nodes, 0) {}

    // Every required path is there and no forbidden one is, once the steps are made, one after the other.
    [[nodiscard]] bool holds_after(const DagState &dag, std::span<const Step> steps);

  private:
    using Arc = std::pair<Variable, Variable>;

    void take(std::span<const Step> steps);
    [[nodiscard]] bool reaches(const DagState &dag, Variable from, Variable to);

    AncestorRules rules_;
    std::vector<Arc> gone_; // by the steps, and none of them comes back
    std::vector<Arc> come_;
    std::vector<std::uint64_t> seen_; // by which search
    std::uint64_t search_ = 0;
    std::vector<Variable> queue_;
};

} // namespace arcwise
