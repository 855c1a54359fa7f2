#include "arcwise/ancestor_check.hpp"

#include <algorithm>

namespace arcwise {
namespace {

template <class Arc> bool erased(std::vector<Arc> &arcs, const Arc &arc) { return std::erase(arcs, arc) > 0; }

} // namespace

bool AncestorCheck::holds_after(const DagState &dag, std::span<const Step> steps) {
    take(steps);
    const auto all = [&](std::span<const Variable> pairs, bool wanted) {
        for (std::size_t k = 0; k + 1 < pairs.size(); k += 2) {
            if (reaches(dag, pairs[k], pairs[k + 1]) != wanted) {
                return false;
            }
        }
        return true;
    };
    return all(rules_.required, true) && all(rules_.forbidden, false);
}

// What one step adds and another drops cancels out.
void AncestorCheck::take(std::span<const Step> steps) {
    gone_.clear();
    come_.clear();
    for (const Step &step : steps) {
        if (const Arc arc{step.out, step.node}; step.drops() && !erased(come_, arc)) {
            gone_.push_back(arc);
        }
        if (const Arc arc{step.in, step.node}; step.adds() && !erased(gone_, arc)) {
            come_.push_back(arc);
        }
    }
}

bool AncestorCheck::reaches(const DagState &dag, Variable from, Variable to) {
    ++search_;
    seen_[from] = search_;
    queue_.assign(1, from);
    const auto visit = [&](Variable node) {
        if (seen_[node] != search_) {
            seen_[node] = search_;
            queue_.push_back(node);
        }
    };
    for (std::size_t at = 0; at < queue_.size() && seen_[to] != search_; ++at) {
        const Variable node = queue_[at];
        for (const Variable child : dag.children(node)) {
            if (std::ranges::find(gone_, Arc{node, child}) == gone_.end()) {
                visit(child);
            }
        }
        for (const auto &[tail, head] : come_) {
            if (tail == node) {
                visit(head);
            }
        }
    }
    return seen_[to] == search_;
}

} // namespace arcwise
