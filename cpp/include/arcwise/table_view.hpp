// The discrete table as the kernels see it: borrowed columns of codes.
#pragma once

#include "arcwise/row_masks.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace arcwise {

using Variable = std::uint32_t;

// Column-major codes of one unsigned type, arities, how often each row was seen, and which rows count for which
// families. The memory of codes and weights belongs to the caller.
struct TableView {
    std::size_t n_rows = 0;
    std::vector<std::uint32_t> arities;
    std::variant<const std::uint8_t *, const std::uint16_t *> codes;
    std::span<const std::uint32_t> weights;          // empty: every row counts once
    std::shared_ptr<const RowMasks> masks = nullptr; // null: every row counts for all families

    [[nodiscard]] std::size_t n_variables() const noexcept { return arities.size(); }

    // Calls `function` with a pointer to the codes of a variable.
    template <class F> decltype(auto) with_column(Variable variable, F &&function) const {
        return std::visit([&](const auto *first) { return function(first + variable * n_rows); }, codes);
    }

    [[nodiscard]] std::uint64_t n_observations() const noexcept {
        if (weights.empty()) {
            return n_rows;
        }
        std::uint64_t sum = 0;
        for (const std::uint32_t weight : weights) {
            sum += weight;
        }
        return sum;
    }
};

} // namespace arcwise
