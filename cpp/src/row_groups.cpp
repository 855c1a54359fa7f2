#include "arcwise/row_groups.hpp"

#include <algorithm>

namespace arcwise {

RowGroups::RowGroups(std::size_t n_rows, std::span<const std::uint32_t> weights, const std::uint64_t *counted)
    : begin_{0} {
    rows_.reserve(n_rows);
    for_each_row(counted, n_rows, [&](std::size_t row) {
        if (weights.empty() || weights[row] > 0) {
            rows_.push_back(static_cast<std::uint32_t>(row));
        }
    });
    if (!rows_.empty()) {
        begin_.push_back(rows_.size());
    }
}

RowGroups::RowGroups(const RowGroups &whole, const TableView &table, Variable variable)
    : rows_(whole.rows_.size()), begin_{0} {
    begin_.reserve(whole.begin_.size());
    table.with_column(variable, [&](const auto *codes) { split(whole, codes, table.arities[variable]); });
}

template <class Code> void RowGroups::split(const RowGroups &whole, const Code *codes, std::size_t arity) {
    std::vector<std::uint32_t> next(arity); // where the next row of a state belongs
    std::vector<std::uint64_t> by_state;    // of a small group: the state of a row, and the row
    for (std::size_t g = 0; g < whole.size(); ++g) {
        const std::span<const std::uint32_t> rows = whole[g];
        const std::size_t first = whole.begin_[g];
        if (rows.size() * 4 < arity) { // to look at all states would take longer than to sort
            by_state.clear();
            for (const std::uint32_t row : rows) {
                by_state.push_back(std::uint64_t{codes[row]} << 32 | row);
            }
            std::ranges::sort(by_state);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                rows_[first + i] = static_cast<std::uint32_t>(by_state[i]);
                if (i + 1 == rows.size() || by_state[i] >> 32 != by_state[i + 1] >> 32) {
                    begin_.push_back(first + i + 1);
                }
            }
            continue;
        }
        std::ranges::fill(next, 0);
        for (const std::uint32_t row : rows) {
            ++next[codes[row]];
        }
        auto end = static_cast<std::uint32_t>(first);
        for (std::uint32_t &of_state : next) {
            const std::uint32_t count = of_state;
            of_state = end;
            end += count;
            if (count > 0) {
                begin_.push_back(end);
            }
        }
        for (const std::uint32_t row : rows) {
            rows_[next[codes[row]]++] = row;
        }
    }
}

} // namespace arcwise
