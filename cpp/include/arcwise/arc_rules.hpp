// Constraints as the kernels take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace arcwise {

// Which arcs a search may use; matrices by [child * n + parent].
struct ArcRules {
    [[nodiscard]] bool is_allowed(std::size_t child, std::size_t parent) const noexcept {
        return allowed[child * max_parents.size() + parent] != 0;
    }
    [[nodiscard]] bool is_required(std::size_t child, std::size_t parent) const noexcept {
        return required[child * max_parents.size() + parent] != 0;
    }
    [[nodiscard]] bool limits_degrees() const noexcept { return !max_degree.empty(); }
    // Whether a node that is joined to so many others may be joined to one more.
    [[nodiscard]] bool may_join_more(std::size_t node, std::size_t degree) const noexcept {
        return !limits_degrees() || degree < static_cast<std::size_t>(max_degree[node]);
    }

    std::span<const std::uint8_t> allowed;
    std::span<const std::uint8_t> required;
    std::span<const std::int32_t> max_parents;
    std::span<const std::int32_t> max_degree = {}; // the most adjacent nodes of each; nothing where there is no limit
};

} // namespace arcwise
