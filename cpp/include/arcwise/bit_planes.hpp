// The table as bits: one bit vector per state of each variable, and the same bits row by row.
#pragma once

#include "arcwise/bits.hpp"
#include "arcwise/table_view.hpp"

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace arcwise {

// Bit vectors of configurations, one behind the other; `code` is the configuration in mixed radix.
struct Masks {
    BitBlocks bits;
    std::vector<std::uint64_t> code;
};

class BitPlanes {
  public:
    BitPlanes(const TableView &table, const BitKernels &kernels);

    [[nodiscard]] const BitKernels &kernels() const noexcept { return kernels_; }
    [[nodiscard]] std::size_t words() const noexcept { return words_; }

    // Without row words, which are made when first asked for.
    [[nodiscard]] std::size_t bytes_of_planes() const noexcept {
        return sizeof(std::uint64_t) * (planes_.size() + weight_planes_.size());
    }
    // With them.
    [[nodiscard]] std::size_t bytes() const noexcept {
        return bytes_of_planes() + sizeof(std::uint64_t) * n_blocks_ * n_rows_;
    }

    // Variables with very many states have no planes: their histogram is cheaper, whatever the other side. Rows in
    // which the value is not known are in no plane of a variable.
    [[nodiscard]] bool has(Variable variable) const noexcept { return offset_[variable] != absent; }
    [[nodiscard]] const std::uint64_t *plane(Variable variable, std::size_t state) const noexcept {
        return planes_.data() + offset_[variable] + state * words_;
    }

    // The codes that the planes of a variable were made of.
    void codes(Variable variable, std::vector<std::uint8_t> &out) const;
    // All planes, one behind the other, and those of the bits of the weights.
    [[nodiscard]] std::span<const std::uint64_t> all() const noexcept { return planes_; }
    [[nodiscard]] std::span<const std::uint64_t> of_weights() const noexcept { return weight_planes_; }

    // How many rows a plane holds.
    [[nodiscard]] std::uint32_t rows_in(Variable variable, std::size_t state) const noexcept {
        return rows_in_plane_[offset_[variable] / words_ + state];
    }

    // Masks of (parents, child), the child's states fastest; parent configurations that do not occur are left out, the
    // child's states never. Only the given rows count, or all where they are null.
    void family_masks(Variable child, std::span<const Variable> parents, const std::uint64_t *rows, Masks &masks) const;

    // counts[m] = how many observations mask m holds.
    void count(const Masks &masks, std::vector<std::uint32_t> &counts) const;

    // Weighted rows are counted one bit of the weights at a time: the number of those bits, 1 without weights.
    [[nodiscard]] std::size_t layers() const noexcept { return weight_bits_ == 0 ? 1 : weight_bits_; }
    // The masks of all layers, one layer behind the other.
    [[nodiscard]] const std::uint64_t *layered(const Masks &masks, BitBlocks &buffer) const;

    // Row words: for each block of 64 columns a word per row, where a column is a state of a variable, the last state
    // left out. A variable's columns lie in one block.
    struct Columns {
        std::size_t block;
        std::size_t first;
    };
    [[nodiscard]] std::size_t n_blocks() const noexcept { return n_blocks_; }
    [[nodiscard]] Columns columns(Variable variable) const noexcept { return columns_[variable]; }
    [[nodiscard]] const std::uint64_t *row_words(std::size_t block) const;

  private:
    void fill_planes(const TableView &table);
    void fill_weight_planes(const TableView &table);
    void place_columns(const TableView &table);
    void fill_row_words() const;
    void refine(const Masks &coarse, Variable variable, bool keep_empty, Masks &fine) const;

    static constexpr std::size_t absent = static_cast<std::size_t>(-1);

    const BitKernels &kernels_;
    std::vector<std::uint32_t> arities_;
    std::size_t n_rows_;
    std::size_t words_;
    BitBlocks planes_; // first the plane of all rows, then each variable's
    std::vector<std::size_t> offset_;
    std::vector<std::uint32_t> rows_in_plane_;
    BitBlocks weight_planes_;
    std::size_t weight_bits_ = 0;
    std::vector<Columns> columns_;
    std::size_t n_blocks_ = 0;
    mutable std::once_flag row_words_once_; // made when first asked for
    mutable std::vector<std::uint64_t> row_words_;
};

} // namespace arcwise
