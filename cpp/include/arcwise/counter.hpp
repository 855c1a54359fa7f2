// Counting: how often each configuration of a child and its parents occurs.
#pragma once

#include "arcwise/bit_planes.hpp"
#include "arcwise/budget.hpp"
#include "arcwise/table_view.hpp"

#include <algorithm>
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

// Three ways of counting, chosen by cost:
// - a histogram over the rows, one candidate at a time;
// - bit planes: AND + popcount of each configuration's mask with each candidate's planes;
// - row words: the rows of each configuration added up 64 columns at a time.
// Every method is thread-safe.
class Counter {
  public:
    Counter(TableView table, const BitKernels &kernels);

    [[nodiscard]] const TableView &table() const noexcept { return table_; }
    [[nodiscard]] std::size_t arity(Variable variable) const noexcept { return table_.arities[variable]; }
    [[nodiscard]] std::size_t n_observations() const noexcept { return n_observations_; }
    [[nodiscard]] const BitKernels &kernels() const noexcept { return planes_.kernels(); }

    [[nodiscard]] const BitPlanes &planes() const noexcept { return planes_; }
    // Whether all additions to a family are best counted with the planes of all variables; not where rows count more
    // than once or not for all families, nor where a variable has no planes.
    [[nodiscard]] bool suits_planes(Variable child, std::span<const Variable> parents) const noexcept;

    // Memory of the bit planes, and of the codes that are its own.
    [[nodiscard]] std::size_t bytes() const noexcept;

    // From now on the planes are all there is of a variable that has them: the caller's codes are not looked at any
    // more, and codes are made again from the planes where a way of counting needs them. Row words are not made.
    void forget_codes();

    // Calls `function` with a pointer to the codes of a variable; not from within such a function.
    template <class F> decltype(auto) with_column(Variable variable, F &&function) const {
        if (has_codes_) {
            return table_.with_column(variable, function);
        }
        if (!planes_.has(variable)) {
            return function(static_cast<const std::uint16_t *>(own_columns_[variable].data()));
        }
        return function(codes_from_planes(variable));
    }
    // What one candidate takes within a batch, roughly, for parents of as many states as variables have on average.
    [[nodiscard]] double seconds_per_addition(std::size_t n_parents) const noexcept;

    // A table fits when it has at most this many cells; beyond, it is cheaper to sort.
    [[nodiscard]] std::size_t max_cells() const noexcept {
        constexpr std::size_t countable = 0xffff'ffff; // cells are numbered in 32 bits
        return std::min(16 * table_.n_rows + 4096, countable);
    }

    // The table of a family; false (and an unspecified table) when it would have more than max_cells() cells.
    [[nodiscard]] bool tabulate(Variable child, std::span<const Variable> parents, FamilyTable &out) const {
        return tabulate(child, parents, max_cells(), out);
    }
    // The same with a limit of one's own. Tables that do not fit max_cells() have only the configurations that occur.
    [[nodiscard]] bool tabulate(Variable child, std::span<const Variable> parents, std::size_t most_cells,
                                FamilyTable &out) const;

    // The non-zero counts of a family of any size: calls cell(n_jk) for every cell that occurs and row(n_j) after the
    // last cell of each configuration.
    void visit_cells(Variable child, std::span<const Variable> parents, const std::function<void(std::uint32_t)> &cell,
                     const std::function<void(std::uint32_t)> &row) const;

    // One more parent: the counts with each candidate.
    struct Additions {
        Variable child;
        std::span<const Variable> parents;
        std::span<const Variable> candidates;
        // Called with a candidate's position, its counts (one block per state of the candidate, one behind the other,
        // each a whole number of rows of r counts), and a number that no row exceeds.
        std::function<void(std::size_t, std::span<const std::uint32_t>, std::uint32_t)> use;
        // Called with the position of a candidate whose table has too many cells.
        std::function<void(std::size_t)> misfit;
        const Budget *budget;
        // Where it is given: before the first call of `use`, the cell of (parents, child) in mixed radix, the child
        // fastest, that each count of a block is of. Then no more cells are numbered than that takes.
        std::vector<std::uint64_t> *cells = nullptr;
    };

    // Returns false when the budget ended it early.
    [[nodiscard]] bool count(const Additions &additions) const;

    // The rows that count for a family, as a bit vector: null where all do. May be in `buffer`.
    [[nodiscard]] const std::uint64_t *rows_of_family(Variable child, std::span<const Variable> parents,
                                                      BitBlocks &buffer) const;
    // Whether some values of a variable are not known: the tables of families with it do not add up to those without.
    [[nodiscard]] bool has_gaps(Variable variable) const noexcept {
        return table_.masks != nullptr && table_.masks->observed(variable) != nullptr;
    }

    // The ways of counting, for tests that hold them against each other; `chosen` are positions of candidates, and rows
    // those that count (null: all). What a candidate has gaps in is left out besides, but by row words, where the rows
    // must not have any.
    using Chosen = std::span<const std::size_t>;
    [[nodiscard]] bool count_by_planes(const Additions &additions, Chosen chosen, const std::uint64_t *rows) const;
    [[nodiscard]] bool count_by_row_words(const Additions &additions, Chosen chosen, const std::uint64_t *rows) const;
    [[nodiscard]] bool count_by_histogram(const Additions &additions, Chosen chosen, const std::uint64_t *rows) const;

  private:
    // The configuration of every row, as a number below `size`.
    struct Configurations {
        std::vector<std::uint32_t> id;
        std::size_t size = 1;
        bool is_complete = true;
    };
    // Rows by cell: those of cell c from begin[c] to begin[c + 1].
    struct Groups {
        std::vector<std::uint32_t> rows;
        std::vector<std::size_t> begin;
    };
    struct Workspace;

    [[nodiscard]] static Workspace &workspace();
    // They are there until this thread calls it again.
    [[nodiscard]] const std::uint8_t *codes_from_planes(Variable variable) const;

    // Parent configurations × child states, at most; infinite where a variable has no planes.
    [[nodiscard]] double mask_bound(Variable child, std::span<const Variable> parents) const noexcept;

    // Parent configurations × child states, whether they occur or not.
    [[nodiscard]] double all_cells(Variable child, std::span<const Variable> parents) const noexcept;
    // How many configurations are numbered before only those that occur are.
    [[nodiscard]] std::size_t most_numbered(const Additions &additions) const noexcept;

    void configurations(std::span<const Variable> parents, std::size_t max_size, Configurations &out) const;
    // The cell (configuration, state of the child) of every row, from its configuration.
    void cells_of_rows(Variable child, const Configurations &of_parents, std::vector<std::uint32_t> &cells) const;
    // The same in 16 bits, which is much faster; false where that is not possible.
    [[nodiscard]] bool narrow_cells(Variable child, std::span<const Variable> parents,
                                    std::vector<std::uint16_t> &cells, std::size_t &n_cells) const;
    template <class Cell>
    void group_by_cells(std::span<const Cell> cells, std::size_t n_cells, const std::uint64_t *rows, Groups &out) const;
    // Candidates with planes, all with gaps or none, by the cheapest way.
    [[nodiscard]] bool count_by_cheapest(const Additions &additions, Chosen chosen, const std::uint64_t *rows) const;

    TableView table_;
    std::size_t n_observations_;
    double mean_arity_;
    BitPlanes planes_;
    std::size_t n_counted_planes_ = 0; // of all variables, but for their last states
    bool has_all_planes_ = true;
    bool has_codes_ = true;
    std::vector<std::vector<std::uint16_t>> own_columns_; // where codes are forgotten: of variables without planes
};

} // namespace arcwise
