// Random tables for tests, with dependent columns so that searches find something.
#pragma once

#include "arcwise/random.hpp"
#include "arcwise/table_view.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace testing {

template <class Code> struct RandomTable {
    std::size_t n_rows;
    std::vector<std::uint32_t> arities;
    std::vector<Code> codes;
    std::vector<std::uint32_t> weights;
    std::vector<std::vector<std::uint8_t>> forced{}; // by variable; empty: in no row
    std::vector<std::vector<std::uint8_t>> gaps{};

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

    // Every third variable is forced in some rows, and of every fourth some values are not known.
    void leave_rows_out(std::uint64_t seed) {
        arcwise::Random random(seed);
        const auto some_rows = [&] {
            std::vector<std::uint8_t> rows(n_rows);
            for (std::uint8_t &row : rows) {
                row = random.below(3) == 0 ? 1 : 0;
            }
            return rows;
        };
        forced.resize(arities.size());
        gaps.resize(arities.size());
        for (std::size_t v = 0; v < arities.size(); v += 3) {
            forced[v] = some_rows();
        }
        for (std::size_t v = 1; v < arities.size(); v += 4) {
            gaps[v] = some_rows();
        }
    }

    [[nodiscard]] arcwise::TableView view() const {
        arcwise::TableView view{n_rows, arities, codes.data(), weights};
        if (!forced.empty()) {
            const auto masks = std::make_shared<arcwise::RowMasks>(n_rows, arities.size());
            for (arcwise::Variable v = 0; v < arities.size(); ++v) {
                if (!forced[v].empty()) {
                    masks->set_forced(v, forced[v]);
                }
                if (!gaps[v].empty()) {
                    masks->set_gaps(v, gaps[v]);
                }
            }
            view.masks = masks;
        }
        return view;
    }

    // Whether a row counts for a family.
    [[nodiscard]] bool counts(std::size_t row, arcwise::Variable child,
                              const std::vector<arcwise::Variable> &parents) const {
        const auto has = [&](const auto &rows, arcwise::Variable v) {
            return !rows.empty() && !rows[v].empty() && rows[v][row] != 0;
        };
        bool counts = !has(forced, child) && !has(gaps, child);
        for (const arcwise::Variable parent : parents) {
            counts = counts && !has(gaps, parent);
        }
        return counts;
    }

    [[nodiscard]] std::uint32_t weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
    [[nodiscard]] std::size_t code(arcwise::Variable v, std::size_t row) const { return codes[v * n_rows + row]; }
};

} // namespace testing
