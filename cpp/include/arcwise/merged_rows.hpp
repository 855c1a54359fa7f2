// A table in which rows that are the same in some variables are one row with a weight.
#pragma once

#include "arcwise/table_view.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace arcwise {

// Variables keep their numbers; those that were not asked for have a single state. A move leaves the view valid.
struct MergedRows {
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>> codes;
    std::vector<std::uint32_t> weights;
    TableView view;
};

// Nothing where more than `most_rows` rows would be left, which is known as soon as there are so many, or where rows
// count for some families only.
[[nodiscard]] std::optional<MergedRows> merge_rows(const TableView &table, std::span<const Variable> variables,
                                                   std::size_t most_rows);

} // namespace arcwise
