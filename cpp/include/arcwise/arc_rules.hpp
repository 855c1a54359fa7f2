// Constraints as the kernels take them.
#pragma once

#include <cstdint>
#include <span>

namespace arcwise {

// Which arcs a search may use; matrices by [child * n + parent].
struct ArcRules {
    std::span<const std::uint8_t> allowed;
    std::span<const std::uint8_t> required;
    std::span<const std::int32_t> max_parents;
};

} // namespace arcwise
