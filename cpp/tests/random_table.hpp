// Random tables for tests, with dependent columns so that searches find something.
#pragma once

#include "arcwise/random.hpp"
#include "arcwise/table_view.hpp"

#include <cstdint>
#include <vector>

namespace testing {

template <class Code> struct RandomTable {
    std::size_t n_rows;
    std::vector<std::uint32_t> arities;
    std::vector<Code> codes;
    std::vector<std::uint32_t> weights;

    RandomTable(std::size_t rows, std::vector<std::uint32_t> states, std::uint64_t seed, std::uint32_t max_weight = 0)
        : n_rows(rows), arities(std::move(states)), codes(n_rows * arities.size()) {
        arcwise::Random random(seed);
        for (std::size_t v = 0; v < arities.size(); ++v) {
            for (std::size_t row = 0; row < n_rows; ++row) {
                const bool follows = v > 0 && random.below(3) > 0;
                const std::size_t value = follows ? codes[(v - 1) * n_rows + row] : random.below(arities[v]);
                codes[v * n_rows + row] = static_cast<Code>(value % arities[v]);
            }
        }
        for (std::size_t row = 0; row < n_rows && max_weight > 0; ++row) {
            weights.push_back(static_cast<std::uint32_t>(random.below(max_weight + 1)));
        }
    }

    [[nodiscard]] arcwise::TableView view() const { return {n_rows, arities, codes.data(), weights}; }

    [[nodiscard]] std::uint32_t weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
    [[nodiscard]] std::size_t code(arcwise::Variable v, std::size_t row) const { return codes[v * n_rows + row]; }
};

} // namespace testing
