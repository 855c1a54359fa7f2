#include "arcwise/group_regressions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace arcwise {

namespace {

// Of a residual: the sums are known to about √n units in the last place, and a score to n / 2 times that.
constexpr double redundant_per_observation = 1e-14;
// So many rows for each parameter of a regression, or it is not estimated.
constexpr std::size_t rows_per_parameter = 2;
constexpr std::size_t fewest_rows = rows_per_parameter * 2; // an intercept and a variance

// Rows at a time: a block of a column has 4 KiB, so that those of a family stay in the first cache.
constexpr std::size_t rows_per_block = 512;
// Groups at hand: more of them, and their rows are so far apart that nothing is read twice.
constexpr std::size_t most_groups = 16;

bool is_over(const Budget *budget) { return budget != nullptr && budget->exhausted(); }

double whole_sum(const double *parts) {
    return ((parts[0] + parts[4]) + (parts[2] + parts[6])) + ((parts[1] + parts[5]) + (parts[3] + parts[7]));
}

} // namespace

GroupProducts::GroupProducts(const NumberTable &table, std::span<const Variable> columns)
    : table_(table), columns_(columns.begin(), columns.end()) {
    const std::size_t n = n_columns();
    blocks_.resize((n + 1) * rows_per_block);
    for (std::size_t c = 0; c <= n; ++c) {
        block_.push_back(blocks_.data() + c * rows_per_block);
    }
    products_.resize((n + 1) * (n + 1));
}

void GroupProducts::start(std::span<const std::uint32_t> rows, std::size_t n_candidates) {
    rows_ = rows;
    next_ = 0;
    std::uint64_t n = table_.weights.empty() ? rows.size() : 0;
    for (std::size_t i = 0; i < rows.size() && !table_.weights.empty(); ++i) {
        n += table_.weights[rows[i]];
    }
    n_ = static_cast<double>(n);
    sums_.resize((n_columns() + n_candidates) * (n_columns() + 1) * product_parts);
}

void GroupProducts::gather(Variable column, std::span<const std::uint32_t> rows, double *out) const {
    const double *numbers = table_.columns[column];
    table_.kernels->gather(numbers, numbers[rows_[0]], rows.data(), rows.size(), block_[0], out);
}

void GroupProducts::add_block(std::span<const Variable> candidates) {
    const std::size_t n = n_columns();
    const auto rows = rows_.subspan(next_, std::min(rows_per_block, rows_.size() - next_));
    const bool is_first = next_ == 0;
    next_ += rows.size();
    const std::size_t padded = (rows.size() + product_parts - 1) / product_parts * product_parts;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        block_[0][i] = table_.weights.empty() ? 1.0 : table_.roots[rows[i]];
    }
    std::fill(block_[0] + rows.size(), block_[0] + padded, 0.0);
    for (std::size_t c = 1; c < n; ++c) { // products with 1, the columns before it and itself
        gather(columns_[c - 1], rows, block_[c]);
        table_.kernels->add_products(block_[c], block_.data(), c + 1, padded, is_first, sums_of(c));
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        gather(candidates[i], rows, block_[n]);
        table_.kernels->add_products(block_[n], block_.data(), n + 1, padded, is_first, sums_of(n + i));
    }
}

void GroupProducts::take_products(std::size_t column, const double *sums) noexcept {
    const std::size_t n = n_columns() + 1;
    for (std::size_t c = 0; c <= column; ++c) {
        products_[column * n + c] = products_[c * n + column] = whole_sum(sums + c * product_parts);
    }
}

void GroupProducts::end() {
    for (std::size_t c = 1; c < n_columns(); ++c) {
        take_products(c, sums_of(c));
    }
}

void GroupProducts::choose(std::size_t candidate) noexcept {
    take_products(n_columns(), sums_of(n_columns() + candidate));
}

GroupRegressions::GroupRegressions(const NumberTable &table, std::span<const Variable> parents, Variable child,
                                   const Spread &own)
    : table_(table), own_(own), columns_(parents.begin(), parents.end()), order_(parents.size() + 1) {
    columns_.push_back(child);
    std::iota(order_.begin(), order_.end(), std::size_t{1});
    matrix_.resize((columns_.size() + 1) * (columns_.size() + 1));
    diagonal_.resize(columns_.size() + 1);
}

std::optional<std::int64_t> GroupRegressions::gain(const RowGroups &groups, const Budget *budget) {
    std::int64_t sum = 0;
    const bool is_complete =
        for_each_group(groups, {}, budget, [&](const GroupProducts &group) { sum += gain_of(group, order_); });
    return is_complete ? std::optional(sum) : std::nullopt;
}

std::vector<std::int64_t> GroupRegressions::gains_without(const RowGroups &groups,
                                                          std::span<const std::size_t> parents) {
    std::vector<std::int64_t> sums(parents.size());
    std::vector<std::size_t> others;
    for_each_group(groups, {}, nullptr, [&](const GroupProducts &group) {
        for (std::size_t i = 0; i < parents.size(); ++i) {
            others = order_;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(parents[i]));
            sums[i] += gain_of(group, others);
        }
    });
    return sums;
}

bool GroupRegressions::gains_with(const RowGroups &groups, std::span<const Variable> candidates,
                                  std::span<std::int64_t> gains, const Budget *budget) {
    std::ranges::fill(gains, 0);
    return for_each_group(groups, candidates, budget, [&](GroupProducts &group) {
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            group.choose(i);
            gains[i] += gain_of(group, order_with(candidates[i]));
        }
    });
}

Spread GroupRegressions::spread(std::span<const std::uint32_t> rows) {
    GroupProducts group(table_, columns_);
    group.start(rows, 0);
    while (!group.is_done()) {
        group.add_block({});
    }
    group.end();
    const std::size_t child = columns_.size();
    return {group.n_observations(), std::max(0.0, group.centred(child, child))};
}

template <class Use>
bool GroupRegressions::for_each_group(const RowGroups &groups, std::span<const Variable> candidates,
                                      const Budget *budget, const Use &use) {
    std::size_t n_groups = 0; // at hand
    for (std::size_t g = 0; g <= groups.size(); ++g) {
        if (n_groups > 0 && (n_groups == most_groups || g == groups.size())) {
            if (!add_up(n_groups, candidates, budget)) {
                return false;
            }
            std::for_each_n(groups_.begin(), n_groups, use);
            n_groups = 0;
        }
        if (g < groups.size() && groups[g].size() >= fewest_rows) {
            if (n_groups == groups_.size()) {
                groups_.emplace_back(table_, columns_);
            }
            groups_[n_groups++].start(groups[g], candidates.size());
        }
    }
    return true;
}

bool GroupRegressions::add_up(std::size_t n_groups, std::span<const Variable> candidates, const Budget *budget) {
    const std::span groups = std::span(groups_).first(n_groups);
    while (true) {
        GroupProducts *next = nullptr;
        for (GroupProducts &group : groups) {
            if (!group.is_done() && (next == nullptr || group.next_row() < next->next_row())) {
                next = &group;
            }
        }
        if (next == nullptr) {
            break;
        }
        if (is_over(budget)) {
            return false;
        }
        next->add_block(candidates);
    }
    std::ranges::for_each(groups, &GroupProducts::end);
    return true;
}

std::span<const std::size_t> GroupRegressions::order_with(Variable candidate) {
    const auto after = std::lower_bound(columns_.begin(), columns_.end() - 1, candidate) - columns_.begin();
    order_with_ = order_;
    order_with_.insert(order_with_.begin() + after, columns_.size() + 1);
    return order_with_;
}

std::int64_t GroupRegressions::gain_of(const GroupProducts &group, std::span<const std::size_t> order) {
    if (own_.sum_of_squares == 0.0) {
        return 0;
    }
    const std::size_t size = order.size();
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            matrix_[i * size + j] = group.centred(order[i], order[j]);
        }
        diagonal_[i] = matrix_[i * size + i];
    }
    const std::size_t n_used = eliminate(size);
    if (group.n_rows() < rows_per_parameter * (n_used + 2)) {
        return 0;
    }
    const double n = group.n_observations();
    const double least = std::max(redundant_part * (n * (own_.sum_of_squares / own_.n)),
                                  std::max(redundant_part, redundant_per_observation * n) * diagonal_[size - 1]);
    const double residual = std::max(least, matrix_[size * size - 1]);
    const double share = residual * own_.n / (n * own_.sum_of_squares); // of the variance without parents
    return std::llround(-0.5 * n * std::log(share) / table_.nats_per_unit);
}

std::size_t GroupRegressions::eliminate(std::size_t size) noexcept {
    std::size_t n_used = 0;
    double *const matrix = matrix_.data();
    for (std::size_t c = 0; c + 1 < size; ++c) {
        const double pivot = matrix[c * size + c];
        if (!(pivot > redundant_part * diagonal_[c])) {
            continue;
        }
        ++n_used;
        for (std::size_t i = c + 1; i < size; ++i) {
            const double slope = matrix[i * size + c] / pivot;
            for (std::size_t j = c + 1; j <= i; ++j) {
                matrix[i * size + j] -= slope * matrix[j * size + c];
            }
        }
    }
    return n_used;
}

} // namespace arcwise
