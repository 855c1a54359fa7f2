// Counts of families in a part of a table's rows, in tables of all cells, to which those of other parts can be added.
#pragma once

#include "arcwise/counter.hpp"
#include "arcwise/score_engine.hpp"

#include <cstdint>
#include <span>

namespace arcwise {

// Cells are numbered in mixed radix, the parents in the order in which they are given and the child fastest: the same
// in all parts, whatever occurs in them. Every method is thread-safe.
class ShardCounter {
  public:
    ShardCounter(TableView table, const BitKernels &kernels) : counter_(std::move(table), kernels) {}

    [[nodiscard]] const Counter &counter() const noexcept { return counter_; }

    // How many cells a family has; throws std::length_error where that is more than max_cells.
    static constexpr std::size_t max_cells = std::size_t{1} << 26;
    [[nodiscard]] std::size_t cells(const Family &family) const;
    // Those of all additions: for each candidate that is not in the family a block of cells for each of its states.
    [[nodiscard]] std::size_t cells_of_additions(const Family &family, std::span<const Variable> candidates) const;

    // Adds the counts to those that are there.
    void add_counts(const Family &family, std::span<std::uint32_t> counts) const;
    void add_additions(const Family &family, std::span<const Variable> candidates,
                       std::span<std::uint32_t> counts) const;

  private:
    // Row by row: for tables that have more cells than the ways of counting are made for.
    void add_by_rows(const Family &family, const Variable *candidate, std::span<std::uint32_t> counts) const;

    Counter counter_;
};

} // namespace arcwise
