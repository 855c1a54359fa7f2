// A table packed for counting pairs: each variable's states as columns of bits, 64 columns to a word per row.
#pragma once

#include "arcwise/bits.hpp"
#include "arcwise/table_view.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// Replicas of the table are made from it: the words of the drawn rows, turned by 64 × 64 bits at a time, are the bit
// planes of the replica. The last state of a variable has no column, being what the others leave over. Variables with
// many states are not packed: for them a histogram is cheaper. Nor are those with one state, which need no counting.
class PackedRows {
  public:
    static constexpr std::size_t block_columns = 64;

    // Throws std::length_error, with the figure, when the words would take more than max_bytes.
    PackedRows(const TableView &table, const BitKernels &kernels, std::size_t max_bytes);

    [[nodiscard]] const TableView &table() const noexcept { return table_; }
    [[nodiscard]] const BitKernels &kernels() const noexcept { return kernels_; }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }

    [[nodiscard]] bool is_packed(Variable variable) const noexcept { return first_[variable] != absent; }
    // Columns are numbered through all blocks; a variable's are in one block.
    [[nodiscard]] std::size_t first_column(Variable variable) const noexcept { return first_[variable]; }
    [[nodiscard]] std::size_t n_columns(Variable variable) const noexcept { return table_.arities[variable] - 1; }

    // The packed variables of a block, in the order of their columns.
    [[nodiscard]] std::span<const Variable> variables(std::size_t block) const noexcept { return members_[block]; }
    // Those with many states.
    [[nodiscard]] std::span<const Variable> not_packed() const noexcept { return not_packed_; }

    [[nodiscard]] std::size_t n_blocks() const noexcept { return members_.size(); }
    [[nodiscard]] std::size_t columns_in(std::size_t block) const noexcept { return used_[block]; }
    [[nodiscard]] const std::uint64_t *words(std::size_t block) const noexcept {
        return words_.data() + block * table_.n_rows;
    }

  private:
    void place_columns();
    void fill_words();

    static constexpr std::size_t absent = static_cast<std::size_t>(-1);

    TableView table_;
    const BitKernels &kernels_;
    std::size_t max_bytes_;
    std::vector<std::size_t> first_;
    std::vector<std::vector<Variable>> members_;
    std::vector<std::size_t> used_;
    std::vector<Variable> not_packed_;
    std::vector<std::uint64_t> words_;
};

} // namespace arcwise
