// A discrete table some of whose cells are not known.
#pragma once

#include "arcwise/table_view.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// Where a cell is missing: its row, and its number among all gaps, which are counted row by row.
struct GapPlace {
    std::uint32_t row;
    std::uint32_t gap;
};

// A copy of a table in which a gap has the code `arity`, one past the last state, with lists of its gaps.
class GapTable {
  public:
    // The weights are borrowed; there are no masks. Throws std::length_error where rows or gaps cannot be numbered in
    // 32 bits.
    explicit GapTable(const TableView &table);

    [[nodiscard]] std::size_t n_rows() const noexcept { return n_rows_; }
    [[nodiscard]] std::size_t n_variables() const noexcept { return arities_.size(); }
    [[nodiscard]] std::size_t n_gaps() const noexcept { return variables_.size(); }
    [[nodiscard]] std::size_t n_observations() const noexcept { return n_observations_; }
    [[nodiscard]] std::size_t arity(Variable variable) const noexcept { return arities_[variable]; }
    [[nodiscard]] bool has_weights() const noexcept { return !weights_.empty(); }
    [[nodiscard]] double weight(std::size_t row) const noexcept {
        return weights_.empty() ? 1.0 : static_cast<double>(weights_[row]);
    }
    [[nodiscard]] std::span<const std::uint16_t> column(Variable variable) const noexcept {
        return {codes_.data() + variable * n_rows_, n_rows_};
    }
    [[nodiscard]] std::size_t code(std::size_t row, Variable variable) const noexcept {
        return codes_[variable * n_rows_ + row];
    }
    // The variables that are missing in a row, ascending; the first of them is the gap with the number first_gap.
    [[nodiscard]] std::span<const Variable> missing(std::size_t row) const noexcept {
        return {variables_.data() + begin_[row], begin_[row + 1] - begin_[row]};
    }
    [[nodiscard]] std::size_t first_gap(std::size_t row) const noexcept { return begin_[row]; }
    // Which of the gaps of its variable a gap is.
    [[nodiscard]] std::size_t rank(std::size_t gap) const noexcept { return ranks_[gap]; }
    // The gaps of a variable, by ascending rows.
    [[nodiscard]] std::span<const GapPlace> gaps_of(Variable variable) const noexcept { return places_[variable]; }
    [[nodiscard]] std::size_t bytes() const noexcept;

  private:
    std::size_t n_rows_;
    std::size_t n_observations_;
    std::vector<std::uint32_t> arities_;
    std::span<const std::uint32_t> weights_;
    std::vector<std::uint16_t> codes_;
    std::vector<std::size_t> begin_; // of the gaps of a row
    std::vector<Variable> variables_;
    std::vector<std::uint32_t> ranks_;
    std::vector<std::vector<GapPlace>> places_;
};

} // namespace arcwise
