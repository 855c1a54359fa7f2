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

// The sums of products of some columns, the last of which is the child, over one group of rows; and of candidates with
// these. In their numbering 0 is the constant 1, then come the columns, and behind all of them one candidate.
class GroupProducts {
  public:
    GroupProducts(const NumberTable &table, std::span<const Variable> columns);

    void start(std::span<const std::uint32_t> rows, std::size_t n_candidates);
    [[nodiscard]] bool is_done() const noexcept { return next_ == rows_.size(); }
    [[nodiscard]] std::uint32_t next_row() const noexcept { return rows_[next_]; }
    // Adds the products of the next few rows.
    void add_block(std::span<const Variable> candidates);
    // When all are added: to be called before what follows.
    void end();

    [[nodiscard]] std::size_t n_rows() const noexcept { return rows_.size(); }
    [[nodiscard]] double n_observations() const noexcept { return n_; }
    // The place of one more column in the numbering.
    [[nodiscard]] std::size_t n_columns() const noexcept { return columns_.size() + 1; }
    // Takes a candidate for the one behind all others.
    void choose(std::size_t candidate) noexcept;
    // Σ (a − mean of a)(b − mean of b).
    [[nodiscard]] double centred(std::size_t a, std::size_t b) const noexcept {
        return product(a, b) - product(0, a) * product(0, b) / n_;
    }

  private:
    using Numbers = std::vector<double, BlockAllocator<double>>;

    [[nodiscard]] double product(std::size_t a, std::size_t b) const noexcept {
        return products_[a * (n_columns() + 1) + b];
    }
    [[nodiscard]] double *sums_of(std::size_t column) noexcept {
        return sums_.data() + column * (n_columns() + 1) * product_parts;
    }
    void gather(Variable column, std::span<const std::uint32_t> rows, double *out) const;
    // With the columns up to itself, from their sums.
    void take_products(std::size_t column, const double *sums) noexcept;

    const NumberTable &table_;
    std::vector<Variable> columns_;
    std::span<const std::uint32_t> rows_;
    std::size_t next_ = 0;
    double n_ = 0.0;
    Numbers blocks_; // some rows of each column, and of a candidate
    std::vector<double *> block_;
    Numbers sums_; // of products, in parts: of the columns, and behind them of all candidates
    std::vector<double> products_;
};

// What regressions with an intercept and a variance of their own in each group gain over the likelihood of a child
// without parents; see ConditionalGaussianEngine for which of them are estimated. Variables are columns of the table,
// which must live longer; the groups belong to the child.
class GroupRegressions {
  public:
    // Candidates that share the gathered rows of a family.
    static constexpr std::size_t most_together = 32;

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
    // Calls use(products of a group) for every group that may be estimated. False when the budget ended it early.
    template <class Use>
    bool for_each_group(const RowGroups &groups, std::span<const Variable> candidates, const Budget *budget,
                        const Use &use);
    // Adds up the first so many of the groups at hand, block by block in the order of the rows, so that a candidate's
    // numbers are read once for all of them.
    bool add_up(std::size_t n_groups, std::span<const Variable> candidates, const Budget *budget);
    // The columns of the regression with one more parent, ascending.
    [[nodiscard]] std::span<const std::size_t> order_with(Variable candidate);
    // Of the regression of the last of these columns on the others.
    [[nodiscard]] std::int64_t gain_of(const GroupProducts &group, std::span<const std::size_t> order);
    // Takes what the columns before the last explain off its sum of squares. How many of them do.
    std::size_t eliminate(std::size_t size) noexcept;

    const NumberTable &table_;
    Spread own_;
    std::vector<Variable> columns_;     // the parents and the child
    std::vector<std::size_t> order_;    // their numbers in the groups
    std::vector<GroupProducts> groups_; // at hand
    std::vector<std::size_t> order_with_;
    std::vector<double> matrix_;
    std::vector<double> diagonal_; // of the matrix, as it was
};

} // namespace arcwise
