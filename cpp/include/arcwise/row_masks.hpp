// Rows that count for some families only: those in which an experimenter did not set the child, and those without gaps.
#pragma once

#include "arcwise/bits.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

class RowMasks {
  public:
    RowMasks(std::size_t n_rows, std::size_t n_variables);

    // The rows in which a variable was set by an experimenter (not 0): they say nothing about its parents, and are left
    // out of the families in which it is the child (Cooper & Yoo 1999, UAI).
    void set_forced(std::uint32_t variable, std::span<const std::uint8_t> rows) { fill(forced_, variable, rows); }
    // The rows in which the value of a variable is not known (not 0): they are left out of every family that it is in.
    // Their codes are not looked at, as long as they are below the arity.
    void set_gaps(std::uint32_t variable, std::span<const std::uint8_t> rows) { fill(gaps_, variable, rows); }

    // Bit vectors of the rows that count, padded as bit planes are; null: all rows count.
    [[nodiscard]] const std::uint64_t *unforced(std::uint32_t variable) const noexcept { return at(forced_, variable); }
    [[nodiscard]] const std::uint64_t *observed(std::uint32_t variable) const noexcept { return at(gaps_, variable); }

    // Those that count for a family: null where all do. May be in `buffer`.
    [[nodiscard]] const std::uint64_t *rows_of_family(std::uint32_t child, std::span<const std::uint32_t> parents,
                                                      BitBlocks &buffer) const;
    // Whether some value of any variable is not known.
    [[nodiscard]] bool has_gaps() const noexcept;

    [[nodiscard]] std::size_t words() const noexcept { return words_; }

  private:
    static constexpr std::size_t absent = static_cast<std::size_t>(-1);

    void fill(std::vector<std::size_t> &offsets, std::uint32_t variable, std::span<const std::uint8_t> left_out);
    [[nodiscard]] const std::uint64_t *at(const std::vector<std::size_t> &offsets,
                                          std::uint32_t variable) const noexcept {
        return offsets[variable] == absent ? nullptr : bits_.data() + offsets[variable];
    }

    std::size_t n_rows_;
    std::size_t words_;
    std::vector<std::size_t> forced_; // where the bits of a variable begin
    std::vector<std::size_t> gaps_;
    BitBlocks bits_;
};

// Calls `function` with every row whose bit is set, ascending; with all n_rows rows where `rows` is null.
template <class F> void for_each_row(const std::uint64_t *rows, std::size_t n_rows, F &&function) {
    if (rows == nullptr) {
        for (std::size_t row = 0; row < n_rows; ++row) {
            function(row);
        }
        return;
    }
    for (std::size_t first = 0; first < n_rows; first += 64) {
        for (std::uint64_t rest = rows[first / 64]; rest != 0; rest &= rest - 1) {
            function(first + static_cast<std::size_t>(std::countr_zero(rest)));
        }
    }
}

} // namespace arcwise
