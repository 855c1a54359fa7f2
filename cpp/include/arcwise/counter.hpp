// Counting: how often each configuration of a child and its parents occurs.
#pragma once

#include "arcwise/bits.hpp"
#include "arcwise/budget.hpp"
#include "arcwise/table_view.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace arcwise {

// Counts of one family, row by row: `r` counts of the child's states for each parent configuration.
struct FamilyTable {
    std::vector<std::uint32_t> counts;
    std::size_t r = 0;
    // Rows stand for all configurations in mixed radix (the last parent fastest), or only for those that occur.
    bool is_complete = true;
};

// Two ways of counting, chosen by cost: a histogram over the rows, or bit planes (one bit vector per state) with AND
// and popcount. Every method is thread-safe.
class Counter {
  public:
    Counter(TableView table, const BitKernels &kernels);

    [[nodiscard]] const TableView &table() const noexcept { return table_; }
    [[nodiscard]] std::size_t arity(Variable variable) const noexcept { return table_.arities[variable]; }
    [[nodiscard]] const BitKernels &kernels() const noexcept { return kernels_; }

    // A table fits when it has at most this many cells; beyond, it is cheaper to sort.
    [[nodiscard]] std::size_t max_cells() const noexcept { return 16 * table_.n_rows + 4096; }

    // The table of a family; false (and an unspecified table) when it would have more than max_cells() cells.
    [[nodiscard]] bool tabulate(Variable child, std::span<const Variable> parents, FamilyTable &out) const;

    // The non-zero counts of a family of any size: calls cell(n_jk) for every cell that occurs and row(n_j) after the
    // last cell of each configuration.
    void visit_cells(Variable child, std::span<const Variable> parents, const std::function<void(std::uint32_t)> &cell,
                     const std::function<void(std::uint32_t)> &row) const;

    // The blocks of counts when one more parent is added to a family: one block per state of the new parent, each a
    // whole number of rows of r counts. Calls use(i, blocks) for every candidate i whose table fits, with the blocks
    // one behind the other, and misfit(i) for the others. Returns false when the budget ended it early.
    using UseBlocks = std::function<void(std::size_t, std::span<const std::uint32_t>)>;
    using Misfit = std::function<void(std::size_t)>;
    bool count_additions(Variable child, std::span<const Variable> parents, std::span<const Variable> candidates,
                         const UseBlocks &use, const Misfit &misfit, const Budget *budget) const;

  private:
    // Bit vectors of configurations, one behind the other; `code` is the configuration in mixed radix.
    struct Masks {
        BitBlocks bits;
        std::vector<std::uint64_t> code;
    };
    // The configuration of every row, as a number below `size`.
    struct Configurations {
        std::vector<std::uint32_t> id;
        std::size_t size = 1;
        bool is_complete = true;
    };
    struct Workspace;

    [[nodiscard]] static Workspace &workspace();
    [[nodiscard]] bool has_planes(Variable variable) const noexcept { return plane_offset_[variable] != no_planes; }
    [[nodiscard]] const std::uint64_t *plane(Variable variable, std::size_t state) const noexcept {
        return planes_.data() + plane_offset_[variable] + state * words_;
    }
    [[nodiscard]] const std::uint64_t *all_rows() const noexcept { return planes_.data(); }

    void fill_planes();
    void fill_weight_planes();

    // An upper bound on the masks of a family, and the estimated time in ns to count `n_planes` against them.
    [[nodiscard]] double mask_bound(Variable child, std::span<const Variable> parents) const noexcept;
    [[nodiscard]] double planes_cost(double masks, double n_planes) const noexcept;
    [[nodiscard]] double histogram_cost(std::size_t n_parents, double n_columns) const noexcept;

    void family_masks(Variable child, std::span<const Variable> parents, Masks &masks) const;
    void refine(const Masks &coarse, Variable variable, bool keep_empty, Masks &fine) const;
    // counts[m] = weight of the rows in mask m
    void weigh(const Masks &masks, std::vector<std::uint32_t> &counts) const;
    void configurations(std::span<const Variable> parents, std::size_t max_size, Configurations &out) const;
    [[nodiscard]] bool count_by_planes(Variable child, std::span<const Variable> parents,
                                       std::span<const Variable> candidates, std::span<const std::size_t> chosen,
                                       const UseBlocks &use, const Budget *budget) const;
    [[nodiscard]] bool count_by_histogram(Variable child, std::span<const Variable> parents,
                                          std::span<const Variable> candidates, std::span<const std::size_t> chosen,
                                          const UseBlocks &use, const Misfit &misfit, const Budget *budget) const;

    static constexpr std::size_t no_planes = static_cast<std::size_t>(-1);

    TableView table_;
    const BitKernels &kernels_;
    std::size_t words_;
    BitBlocks planes_; // first the plane of all rows, then each variable's
    std::vector<std::size_t> plane_offset_;
    BitBlocks weight_planes_; // bit b of every row's weight; empty without weights
    std::size_t weight_bits_ = 0;
};

} // namespace arcwise
