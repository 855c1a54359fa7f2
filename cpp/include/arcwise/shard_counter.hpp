// Counts of families in a part of a table's rows, in tables of all cells, to which those of other parts can be added.
#pragma once

#include "arcwise/counter.hpp"
#include "arcwise/score_engine.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace arcwise {

// Rows come in blocks, of which only bit planes stay: a bit for each state of each variable. A batch of families is
// counted in one block after the other, so that the planes of a block come from memory once for all of them.
//
// Cells are numbered in mixed radix, the parents in the order in which they are given and the child fastest: the same
// in all parts, whatever occurs in them. Every const method is thread-safe.
class ShardCounter {
  public:
    ShardCounter(std::vector<std::uint32_t> arities, const BitKernels &kernels)
        : arities_(std::move(arities)), kernels_(kernels) {}
    ShardCounter(ShardCounter &&) = default;
    ShardCounter(const ShardCounter &) = delete;
    ShardCounter &operator=(const ShardCounter &) = delete;

    // Takes some rows in, of the same variables: a block, if one of them counts. Nothing of the table is looked at
    // afterwards.
    void append(TableView rows);

    [[nodiscard]] std::size_t n_variables() const noexcept { return arities_.size(); }
    [[nodiscard]] const std::vector<std::uint32_t> &arities() const noexcept { return arities_; }
    [[nodiscard]] std::size_t n_blocks() const noexcept { return blocks_.size(); }
    [[nodiscard]] const Counter &block(std::size_t number) const { return blocks_.at(number)->counter; }
    [[nodiscard]] std::size_t bytes() const noexcept;

    // How many cells a family has; throws std::length_error where that is more than max_cells.
    static constexpr std::size_t max_cells = std::size_t{1} << 26;
    [[nodiscard]] std::size_t cells(const Family &family) const;
    // Those of all additions: for each candidate that is not in the family a block of cells for each of its states.
    [[nodiscard]] std::size_t cells_of_additions(const Family &family, std::span<const Variable> candidates) const;

    // Adds the counts of each family to those that are there, one table behind the other; throws std::invalid_argument
    // where there is less room than that takes.
    void add_counts(std::span<const Family> families, std::span<std::uint32_t> counts) const;
    void add_additions(std::span<const Family> families, std::span<const Variable> candidates,
                       std::span<std::uint32_t> counts) const;

  private:
    struct Block {
        Block(std::vector<std::uint32_t> of_rows, TableView rows, const BitKernels &kernels)
            : weights(std::move(of_rows)), counter(std::move(rows), kernels) {}

        std::vector<std::uint32_t> weights;
        Counter counter;
    };

    std::vector<std::uint32_t> arities_;
    const BitKernels &kernels_;
    std::vector<std::unique_ptr<Block>> blocks_;
};

} // namespace arcwise
