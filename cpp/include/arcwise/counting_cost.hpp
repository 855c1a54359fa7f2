// What counting costs, in nanoseconds: good enough to choose the cheapest way.
#pragma once

#include "arcwise/bit_planes.hpp"
#include "arcwise/table_view.hpp"

#include <cstddef>

namespace arcwise {

// Only the ratios of the constants matter. Those of AVX-512 were measured on a Zen 4 core; those of AVX2 and plain code
// (in the bit kernels) are rough.
class CountingCost {
  public:
    CountingCost(const TableView &table, const BitPlanes &planes) noexcept
        : rows_(static_cast<double>(table.n_rows)), layers_(static_cast<double>(planes.layers())),
          mask_ns_(static_cast<double>(planes.words()) / planes.kernels().words_per_ns),
          row_word_ns_(table.weights.empty() ? planes.kernels().row_word_ns : planes.kernels().weighted_row_word_ns) {}

    // AND + popcount of every mask with every plane.
    [[nodiscard]] double planes(double n_masks, std::size_t n_planes) const noexcept {
        constexpr double ns_per_pair = 1.0;
        return masks(n_masks) + n_masks * layers_ * (static_cast<double>(n_planes) + 1.0) * (mask_ns_ + ns_per_pair);
    }

    // Rows sorted by cell, then added up 64 columns at a time.
    [[nodiscard]] double row_words(std::size_t n_parents, double n_cells, std::size_t n_blocks) const noexcept {
        constexpr double sort_ns_per_row = 2.0;
        constexpr double append_ns_per_row = 0.06;
        constexpr double ns_per_cell = 20.0;
        return rows_ * (sort_ns_per_row + static_cast<double>(n_parents + 1) * append_ns_per_row) +
               static_cast<double>(n_blocks) * (rows_ * row_word_ns_ + n_cells * ns_per_cell);
    }

    // A pass over the rows for every candidate.
    [[nodiscard]] double histogram(std::size_t n_parents, std::size_t n_candidates) const noexcept {
        constexpr double ns_per_row = 0.75;
        return configurations(n_parents) + rows_ * static_cast<double>(n_candidates) * ns_per_row;
    }

  private:
    // All levels of refinement together.
    [[nodiscard]] double masks(double n_masks) const noexcept { return 3.0 * n_masks * mask_ns_; }
    [[nodiscard]] double configurations(std::size_t n_parents) const noexcept {
        constexpr double ns_per_row = 0.4;
        return rows_ * static_cast<double>(n_parents + 1) * ns_per_row;
    }

    double rows_;
    double layers_;
    double mask_ns_;
    double row_word_ns_;
};

} // namespace arcwise
