#include "arcwise/arc_rules.hpp"

#include <vector>

namespace arcwise {

bool ArcRules::is_symmetric() const {
    if (allows_all_) {
        return true;
    }
    if (restrictions_.candidates) {
        return lists_are_symmetric(*restrictions_.candidates);
    }
    return lists_are_symmetric(restrictions_.forbidden) && lists_are_symmetric(restrictions_.exempt) &&
           tiers_are_symmetric();
}

// Whether arcs in the lists are allowed just where their reverses are.
bool ArcRules::lists_are_symmetric(const NodeLists &lists) const {
    for (std::size_t child = 0; child < max_parents.size(); ++child) {
        for (const Variable parent : lists.of(child)) {
            if (is_allowed(child, parent) != is_allowed(parent, child)) {
                return false;
            }
        }
    }
    return true;
}

// An arc to a higher tier must be forbidden, as its reverse is. Each step but the last meets an arc that is in the
// lists.
bool ArcRules::tiers_are_symmetric() const {
    const auto tiers = restrictions_.tiers;
    std::vector<Variable> nodes;
    for (Variable node = 0; node < tiers.size(); ++node) {
        if (tiers[node] >= 0 && !is_isolated(node)) {
            nodes.push_back(node);
        }
    }
    const auto tier_of = [&](Variable node) { return tiers[node]; };
    std::ranges::stable_sort(nodes, {}, tier_of);
    for (const Variable parent : nodes) {
        const auto later = std::ranges::upper_bound(nodes, tiers[parent], {}, tier_of);
        if (std::any_of(later, nodes.end(), [&](Variable child) { return is_allowed(child, parent); })) {
            return false;
        }
    }
    return true;
}

} // namespace arcwise
