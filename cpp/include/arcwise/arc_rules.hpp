// Constraints as the kernels take them: lists and one number for each node, never a matrix.
#pragma once

#include "arcwise/table_view.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace arcwise {

// Lists of nodes, one for each node, one behind the other; each is ascending.
struct NodeLists {
    [[nodiscard]] bool are_empty() const noexcept { return nodes.empty(); }
    [[nodiscard]] std::span<const Variable> of(std::size_t node) const noexcept {
        if (nodes.empty()) {
            return {};
        }
        const auto first = static_cast<std::size_t>(begin[node]);
        return nodes.subspan(first, static_cast<std::size_t>(begin[node + 1]) - first);
    }
    [[nodiscard]] bool contains(std::size_t node, std::size_t member) const noexcept {
        return std::ranges::binary_search(of(node), static_cast<Variable>(member));
    }

    std::span<const std::int64_t> begin = {}; // where each list begins, and where the last one ends
    std::span<const Variable> nodes = {};
};

// What forbids arcs; by itself nothing is.
struct ArcRestrictions {
    NodeLists forbidden = {};                    // parents that a child must not have
    std::optional<NodeLists> candidates = {};    // the only parents that it may have, where there are such lists
    std::span<const std::int32_t> tiers = {};    // no arc leads to a lower one, or within an odd one; -1 for none
    std::span<const std::uint8_t> isolated = {}; // nodes without arcs
    NodeLists exempt = {};                       // parents that a child may have though one of the two is isolated
};

// Who must, and who must not, be an ancestor of whom; by itself nobody.
struct AncestorRules {
    [[nodiscard]] bool are_empty() const noexcept { return required.empty() && forbidden.empty(); }

    std::span<const Variable> required = {}; // ancestor, descendant, and so on
    std::span<const Variable> forbidden = {};
};

// Which arcs a search may use, and which it must; a view.
class ArcRules {
  public:
    // Nothing may restrict required arcs: they are allowed.
    ArcRules(const ArcRestrictions &restrictions, const NodeLists &required, std::span<const std::int32_t> most_parents,
             std::span<const std::int32_t> most_adjacent = {}, const AncestorRules &ancestor_rules = {})
        : max_parents(most_parents), max_degree(most_adjacent), ancestors(ancestor_rules), restrictions_(restrictions),
          required_(required), allows_all_(restrictions.forbidden.are_empty() && !restrictions.candidates &&
                                           restrictions.tiers.empty() && restrictions.isolated.empty()) {}

    // Whether no rule forbids an arc between two different nodes.
    [[nodiscard]] bool allows_all() const noexcept { return allows_all_; }
    [[nodiscard]] bool is_allowed(std::size_t child, std::size_t parent) const noexcept {
        return child != parent && (allows_all_ || is_unrestricted(child, parent));
    }
    // Whether every arc is allowed if its reverse is. Takes the time of going through the lists once.
    [[nodiscard]] bool is_symmetric() const;
    // Calls use(parent) for all that are allowed, ascending; where a child has candidates, it looks at no others.
    template <class Use> void for_each_allowed(std::size_t child, Use &&use) const;

    [[nodiscard]] bool requires_any() const noexcept { return !required_.are_empty(); }
    [[nodiscard]] bool is_required(std::size_t child, std::size_t parent) const noexcept {
        return requires_any() && required_.contains(child, parent);
    }
    [[nodiscard]] std::span<const Variable> required_parents(std::size_t child) const noexcept {
        return required_.of(child);
    }

    [[nodiscard]] bool limits_degrees() const noexcept { return !max_degree.empty(); }
    // Whether a node that is joined to so many others may be joined to one more.
    [[nodiscard]] bool may_join_more(std::size_t node, std::size_t degree) const noexcept {
        return !limits_degrees() || degree < static_cast<std::size_t>(max_degree[node]);
    }

    std::span<const std::int32_t> max_parents;
    std::span<const std::int32_t> max_degree; // the most adjacent nodes of each; nothing where there is no limit
    AncestorRules ancestors;                  // only searches over graphs keep to them

  private:
    [[nodiscard]] bool is_isolated(std::size_t node) const noexcept {
        return !restrictions_.isolated.empty() && restrictions_.isolated[node] != 0;
    }
    [[nodiscard]] bool leads_back(std::size_t child, std::size_t parent) const noexcept {
        const auto tiers = restrictions_.tiers;
        return !tiers.empty() && tiers[child] >= 0 &&
               (tiers[parent] > tiers[child] || (tiers[parent] == tiers[child] && tiers[child] % 2 == 1));
    }
    [[nodiscard]] bool is_unrestricted(std::size_t child, std::size_t parent) const noexcept {
        return !leads_back(child, parent) &&
               (!(is_isolated(child) || is_isolated(parent)) || restrictions_.exempt.contains(child, parent)) &&
               !restrictions_.forbidden.contains(child, parent) &&
               (!restrictions_.candidates || restrictions_.candidates->contains(child, parent));
    }
    [[nodiscard]] bool lists_are_symmetric(const NodeLists &lists) const;
    [[nodiscard]] bool tiers_are_symmetric() const;

    ArcRestrictions restrictions_;
    NodeLists required_;
    bool allows_all_;
};

template <class Use> void ArcRules::for_each_allowed(std::size_t child, Use &&use) const {
    const auto use_allowed = [&](Variable parent) {
        if (is_allowed(child, parent)) {
            use(parent);
        }
    };
    if (is_isolated(child)) {
        std::ranges::for_each(restrictions_.exempt.of(child), use_allowed);
    } else if (restrictions_.candidates) {
        std::ranges::for_each(restrictions_.candidates->of(child), use_allowed);
    } else {
        for (Variable parent = 0; parent < max_parents.size(); ++parent) {
            use_allowed(parent);
        }
    }
}

} // namespace arcwise
