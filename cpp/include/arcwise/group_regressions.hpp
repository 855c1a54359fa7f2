// Regressions of one continuous variable on others, one for each group of rows.
#pragma once

#include "arcwise/bits.hpp"
#include "arcwise/budget.hpp"
#include "arcwise/product_kernels.hpp"
#include "arcwise/row_groups.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace arcwise {

// Continuous columns, and how often each row was seen.
struct NumberTable {
    std::vector<const double *> columns;
    std::span<const std::uint32_t> weights; // empty: every row counts once
    std::vector<double> roots;              // of the weights
    const ProductKernels *kernels;
    double nats_per_unit; // a power of two: gains are whole numbers of it
};

// Observations of a column, and its sum of squares about their mean.
struct Spread {
    double n = 0.0;
    double sum_of_squares = 0.0;
};

// A part of a sum of squares that is no more than this is rounding.
inline constexpr double redundant_part = 1e-10;

// What regressions with an intercept and a variance of their own in each group gain over the likelihood of a child
// without parents; see ConditionalGaussianEngine for which of them are estimated. In the numbering of its columns 0 is
// the constant 1, from 1 on are the parents in ascending order, then comes the child, and behind all of these one more
// parent. Variables are columns of the table, which must live longer; the groups belong to the child.
class GroupRegressions {
  public:
    // Gains of one more parent at a time.
    static constexpr std::size_t most_together = 64;

    // Parents ascend; `own` is the spread of the child over all rows that count for it.
    GroupRegressions(const NumberTable &table, std::span<const Variable> parents, Variable child, const Spread &own);

    // Of all groups together; nothing where the budget ended it early.
    [[nodiscard]] std::optional<std::int64_t> gain(const RowGroups &groups, const Budget *budget);
    // The same without one of the parents each, given by their places among the parents.
    [[nodiscard]] std::vector<std::int64_t> gains_without(const RowGroups &groups,
                                                          std::span<const std::size_t> parents);
    // The same with one more parent each. False when the budget ended it early.
    bool gains_with(const RowGroups &groups, std::span<const Variable> candidates, std::span<std::int64_t> gains,
                    const Budget *budget);

    // That of the child in one group.
    [[nodiscard]] Spread spread(std::span<const std::uint32_t> rows);

  private:
    using Numbers = std::vector<double, BlockAllocator<double>>;

    [[nodiscard]] std::size_t n_columns() const noexcept { return columns_.size() + 1; }
    template <class Use> bool for_each_group(const RowGroups &groups, const Budget *budget, const Use &use);
    // Calls use(rows, padded size, is first) for every block of a group when its products have been added. False when
    // the budget ended it early.
    template <class Use> bool add_group(std::span<const std::uint32_t> rows, const Budget *budget, const Use &use);
    void start_group(std::span<const std::uint32_t> rows);
    // Gathers some rows of all columns and adds their products. How many they are with the padding.
    std::size_t add_block(std::span<const std::uint32_t> rows, bool is_first);
    void end_group();
    [[nodiscard]] double *sums_of(std::size_t column) noexcept {
        return sums_.data() + column * n_columns() * product_parts;
    }
    // The columns of the regression with one more parent, ascending.
    [[nodiscard]] std::span<const std::size_t> order_with(Variable candidate);
    // Σ (a − mean of a)(b − mean of b) over the group. `one_more` are the products of the column behind all others.
    [[nodiscard]] double centred(std::size_t a, std::size_t b, const double *one_more) const noexcept;
    // Of the regression of the last of these columns on the others, in the group.
    [[nodiscard]] std::int64_t gain_of_group(std::span<const std::size_t> order, const double *one_more);
    // Takes what the columns before the last explain off its sum of squares. How many of them do.
    std::size_t eliminate(std::size_t size) noexcept;

    const NumberTable &table_;
    Spread own_;
    std::vector<Variable> columns_;  // from column 1 on
    std::vector<std::size_t> order_; // of the parents and the child
    std::vector<std::size_t> order_with_;

    // Of one group.
    std::size_t n_rows_ = 0;
    double n_ = 0.0;
    std::vector<double> first_; // values in its first row
    Numbers blocks_;            // of each column, and of one more
    std::vector<double *> block_;
    Numbers sums_; // of products, in parts
    Numbers candidate_sums_;
    std::vector<double> products_;
    std::vector<double> matrix_;
    std::vector<double> diagonal_; // of the matrix, as it was
};

} // namespace arcwise
