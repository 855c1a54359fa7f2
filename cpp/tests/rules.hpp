// Rules that forbid nothing until they are changed.
#pragma once

#include "arcwise/arc_rules.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace testing {

// Lists of nodes that can grow.
struct Lists {
    std::vector<std::int64_t> begin;
    std::vector<arcwise::Variable> nodes;

    explicit Lists(std::size_t n) : begin(n + 1, 0) {}
    void add(std::size_t node, arcwise::Variable member) {
        const auto first = nodes.begin() + begin[node];
        const auto last = nodes.begin() + begin[node + 1];
        const auto place = std::lower_bound(first, last, member);
        if (place == last || *place != member) {
            nodes.insert(place, member);
            std::for_each(begin.begin() + static_cast<std::ptrdiff_t>(node) + 1, begin.end(), [](auto &at) { ++at; });
        }
    }
    [[nodiscard]] arcwise::NodeLists view() const { return {begin, nodes}; }
};

struct Rules {
    Lists forbidden;
    Lists required;
    Lists exempt;
    std::optional<Lists> candidates;
    std::vector<std::int32_t> tiers;
    std::vector<std::uint8_t> isolated;
    std::vector<std::int32_t> max_parents;
    std::vector<std::int32_t> max_degree;
    std::vector<arcwise::Variable> required_ancestors;
    std::vector<arcwise::Variable> forbidden_ancestors;

    explicit Rules(std::size_t n) : Rules(n, static_cast<std::int32_t>(n) - 1) {}
    Rules(std::size_t n, std::int32_t most) : forbidden(n), required(n), exempt(n), max_parents(n, most) {}

    void forbid(arcwise::Variable parent, arcwise::Variable child) { forbidden.add(child, parent); }
    void require(arcwise::Variable parent, arcwise::Variable child) { required.add(child, parent); }

    [[nodiscard]] bool is_allowed(arcwise::Variable parent, arcwise::Variable child) const {
        return view().is_allowed(child, parent);
    }
    [[nodiscard]] bool is_required(arcwise::Variable parent, arcwise::Variable child) const {
        return view().is_required(child, parent);
    }
    // Valid until the rules change.
    [[nodiscard]] arcwise::ArcRules view() const {
        const auto lists = candidates ? std::optional(candidates->view()) : std::nullopt;
        return {{forbidden.view(), lists, tiers, isolated, exempt.view()},
                required.view(),
                max_parents,
                max_degree,
                {required_ancestors, forbidden_ancestors}};
    }
};

} // namespace testing
