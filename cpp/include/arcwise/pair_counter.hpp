// How often two variables are in two states together, under one weighting of the rows.
#pragma once

#include "arcwise/budget.hpp"
#include "arcwise/packed_rows.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// Rows count as often as their weight says, which makes a bootstrap replica. Its bit planes are in parts: rows that
// repeat are repeated where that is cheap; otherwise there is a part for each bit of the weights, with those rows that
// have the bit. Parts are cut to lengths that fit the cache.
class PairCounter {
  public:
    // Without weights each row counts once. Stops early, and is not complete then, when the budget ends.
    PairCounter(const PackedRows &rows, std::span<const std::uint32_t> weights, const Budget &budget);

    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
    [[nodiscard]] const PackedRows &rows() const noexcept { return rows_; }
    [[nodiscard]] std::uint32_t n_observations() const noexcept { return n_observations_; }
    // How often each state of a variable occurs.
    [[nodiscard]] std::span<const std::uint32_t> margin(Variable variable) const noexcept {
        return std::span(margins_).subspan(margin_begin_[variable], rows_.table().arities[variable]);
    }

    // counts[p * n_masks + m] = observations with both column `first` + m and column columns[p]. Returns false when the
    // budget ended it early.
    bool count_columns(std::size_t first, std::size_t n_masks, std::span<const std::uint32_t> columns,
                       std::vector<std::uint32_t> &counts, const Budget &budget) const;

    // The table of two packed variables, the states of j fastest, from counts of their columns: counts[q * stride + p]
    // is that of column p of i and column q of j.
    void complete(Variable i, Variable j, const std::uint32_t *counts, std::size_t stride,
                  std::vector<std::uint32_t> &table) const;

    // The table of any two variables, by a pass over the rows.
    void tabulate(Variable i, Variable j, std::vector<std::uint32_t> &table) const;
    // Its counts above 0 in any order, and perhaps some that are 0: also for tables of any size.
    void count_cells(Variable i, Variable j, std::vector<std::uint32_t> &counts) const;

  private:
    struct Part {
        std::vector<std::uint32_t> rows;
        unsigned shift;
    };
    struct Section {
        std::size_t begin;
        std::size_t n_words;
        unsigned shift;
    };

    [[nodiscard]] std::vector<Part> parts() const;
    void fill_planes(const Part &part, std::size_t begin, std::size_t end, const Budget &budget);
    void count_margins();
    // Calls use(cell, weight) for every row.
    template <class Use> void for_rows(Variable i, Variable j, Use &&use) const;

    const PackedRows &rows_;
    std::span<const std::uint32_t> weights_;
    std::uint32_t n_observations_ = 0;
    bool is_complete_ = true;
    BitBlocks planes_; // section by section, in each the planes of all columns
    std::vector<Section> sections_;
    std::vector<std::uint32_t> margins_;
    std::vector<std::size_t> margin_begin_;
};

} // namespace arcwise
