// Rows by configuration of some discrete variables.
#pragma once

#include "arcwise/table_view.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// The rows of each configuration that occurs, ascending, one configuration behind the other. Which rows are together,
// and in which order, does not depend on the order in which the variables came; that of the configurations does.
class RowGroups {
  public:
    // One group of all rows whose weight is not 0 and whose bit is set; all bits are where `counted` is null.
    RowGroups(std::size_t n_rows, std::span<const std::uint32_t> weights, const std::uint64_t *counted);
    // Every group of `whole` split by the states of one more variable.
    RowGroups(const RowGroups &whole, const TableView &table, Variable variable);

    [[nodiscard]] std::size_t size() const noexcept { return begin_.size() - 1; }
    [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t group) const noexcept {
        return std::span(rows_).subspan(begin_[group], begin_[group + 1] - begin_[group]);
    }

  private:
    template <class Code> void split(const RowGroups &whole, const Code *codes, std::size_t arity);

    std::vector<std::uint32_t> rows_;
    std::vector<std::size_t> begin_; // of each group, and the end of the last
};

} // namespace arcwise
