// Expected counts of one family with each of several variables as one more parent.
#pragma once

#include "arcwise/gap_posteriors.hpp"
#include "arcwise/score_engine.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace arcwise {

// How far one more of a state goes among the cells of a family.
struct FamilyStrides {
    std::uint64_t child;
    std::vector<std::uint64_t> parents;
    std::uint64_t one_more;
};

// What all rows say about a family, with the rows in which it has gaps worked out as far as they do not depend on what
// is added to it.
class FamilyRows {
  public:
    FamilyRows(const GapPosteriors &posteriors, const Family &family, FamilyStrides strides);

    // Calls add(cell, count) for every row: first for those without a gap, where the counts are whole numbers, and then
    // for the others, ascending; at most once for a row and a cell.
    template <class Add> void count(const Add &add) const {
        for (const std::uint32_t row : complete_rows_) {
            add(offsets_[row], weight(row));
        }
        for (const GapRow &its : gap_rows_) {
            add_entries(std::span(entries_).subspan(its.begin, its.end - its.begin), 0, add);
        }
    }
    // The same for the family with one more parent.
    template <class Add> void count_with(Variable one_more, const Add &add) const;

  private:
    // A probability, or a count, and where it goes.
    struct Entry {
        std::uint64_t offset;
        double value;
    };
    using Entries = std::vector<Entry>;
    // A member of a component that is in the family.
    struct Term {
        Variable variable;
        std::uint32_t gap;
        std::uint32_t member;
        std::uint64_t stride;
    };
    // A gap of one more variable.
    struct OneMore {
        Variable variable;
        std::uint32_t gap;
    };
    // What a component says about those of its members that are in the family.
    struct Part {
        std::uint32_t component;
        std::size_t terms_begin;
        std::size_t terms_end;
        std::size_t begin; // in part_entries_
        std::size_t end;
    };
    struct GapRow {
        std::uint32_t row;
        std::size_t parts_begin;
        std::size_t parts_end;
        std::size_t begin; // in entries_
        std::size_t end;
    };

    [[nodiscard]] double weight(std::size_t row) const noexcept { return table_.weight(row); }
    void add_row(std::uint32_t row, std::span<const Variable> members, std::span<const std::uint64_t> strides);
    // The marginal of some members of a component.
    void marginalise(std::uint32_t row, std::uint32_t component, std::span<const Term> terms, Entries &out) const;
    // Multiplies what is there with a component's part.
    static void multiply(Entries &product, std::span<const Entry> part);
    // What a row with a gap in the family says if one more variable is missing too.
    void fill_both(const GapRow &its, OneMore one_more, Entries &out) const;

    template <class Add> static void add_entries(std::span<const Entry> entries, std::uint64_t from, const Add &add) {
        for (const Entry &entry : entries) {
            add(from + entry.offset, entry.value);
        }
    }

    const GapPosteriors &posteriors_;
    const GapTable &table_;
    std::uint64_t stride_of_one_more_;
    std::vector<std::uint64_t> offsets_; // of each row; where there are gaps, of what is there
    std::vector<std::uint32_t> complete_rows_;
    std::vector<GapRow> gap_rows_; // ascending
    std::vector<Part> parts_;
    std::vector<Term> terms_;
    Entries part_entries_;
    Entries entries_;
};

template <class Add> void FamilyRows::count_with(Variable one_more, const Add &add) const {
    const std::span<const std::uint16_t> codes = table_.column(one_more);
    const std::size_t arity = table_.arity(one_more);
    const std::uint64_t stride = stride_of_one_more_;
    for (const std::uint32_t row : complete_rows_) {
        if (codes[row] < arity) {
            add(offsets_[row] + codes[row] * stride, weight(row));
        }
    }
    thread_local Entries both;
    std::size_t next = 0;
    const auto up_to = [&](std::uint32_t row) { // rows with gaps in the family, and not in the one more
        for (; next < gap_rows_.size() && gap_rows_[next].row < row; ++next) {
            const GapRow &its = gap_rows_[next];
            add_entries(std::span(entries_).subspan(its.begin, its.end - its.begin), codes[its.row] * stride, add);
        }
    };
    const double *marginal = posteriors_.marginals(one_more).data();
    for (const GapPlace &place : table_.gaps_of(one_more)) {
        const double *const its_marginal = marginal;
        marginal += arity;
        up_to(place.row);
        if (next < gap_rows_.size() && gap_rows_[next].row == place.row) {
            fill_both(gap_rows_[next++], {one_more, place.gap}, both);
            add_entries(both, 0, add);
            continue;
        }
        for (std::size_t state = 0; state < arity; ++state) {
            if (its_marginal[state] > 0.0) {
                add(offsets_[place.row] + state * stride, weight(place.row) * its_marginal[state]);
            }
        }
    }
    up_to(static_cast<std::uint32_t>(-1));
}

// Counts of configurations that occur, where a table of all of them would be too large.
class SparseCounts {
  public:
    // Cells have the state of the child in their last bits.
    static constexpr std::uint64_t bits_of_child = 17;

    explicit SparseCounts(std::size_t r) : r_(r) {}

    void add(std::uint64_t cell, double count) {
        const auto [found, is_new] = place_.try_emplace(cell >> bits_of_child, counts_.size());
        if (is_new) {
            counts_.resize(counts_.size() + r_, 0.0);
        }
        counts_[found->second + (cell & ((std::uint64_t{1} << bits_of_child) - 1))] += count;
    }
    [[nodiscard]] std::span<const double> counts() const noexcept { return counts_; }

  private:
    std::size_t r_;
    std::unordered_map<std::uint64_t, std::size_t> place_;
    std::vector<double> counts_; // r for each configuration of the parents
};

} // namespace arcwise
