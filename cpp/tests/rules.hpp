// Rules that forbid nothing until they are changed.
#pragma once

#include "arcwise/arc_rules.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace testing {

struct Rules {
    std::vector<std::uint8_t> allowed;
    std::vector<std::uint8_t> required;
    std::vector<std::int32_t> max_parents;

    explicit Rules(std::size_t n)
        : allowed(n * n, 1), required(n * n, 0), max_parents(n, static_cast<std::int32_t>(n) - 1) {
        for (std::size_t v = 0; v < n; ++v) {
            allowed[v * n + v] = 0;
        }
    }
    [[nodiscard]] arcwise::ArcRules view() const { return {allowed, required, max_parents}; }
};

} // namespace testing
