#include "arcwise/group_regressions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace arcwise {

namespace {

// So many rows for each parameter of a regression, or it is not estimated.
constexpr std::size_t rows_per_parameter = 2;
constexpr std::size_t fewest_rows = rows_per_parameter * 2; // an intercept and a variance

// Rows at a time: a block of a column has 4 KiB, so that those of a family stay in the first cache.
constexpr std::size_t rows_per_block = 512;

bool is_over(const Budget *budget) { return budget != nullptr && budget->exhausted(); }

double whole_sum(const double *parts) {
    return ((parts[0] + parts[4]) + (parts[2] + parts[6])) + ((parts[1] + parts[5]) + (parts[3] + parts[7]));
}

} // namespace

GroupRegressions::GroupRegressions(const NumberTable &table, std::span<const Variable> parents, Variable child,
                                   const Spread &own)
    : table_(table), own_(own), columns_(parents.begin(), parents.end()), order_(parents.size() + 1) {
    columns_.push_back(child);
    std::iota(order_.begin(), order_.end(), std::size_t{1});
    const std::size_t n = n_columns();
    first_.resize(n);
    blocks_.resize((n + 1) * rows_per_block);
    for (std::size_t c = 0; c <= n; ++c) {
        block_.push_back(blocks_.data() + c * rows_per_block);
    }
    sums_.resize(n * n * product_parts);
    products_.resize(n * n);
    matrix_.resize((n + 1) * (n + 1));
    diagonal_.resize(n + 1);
}

std::optional<std::int64_t> GroupRegressions::gain(const RowGroups &groups, const Budget *budget) {
    std::int64_t sum = 0;
    const bool is_complete = for_each_group(groups, budget, [&] { sum += gain_of_group(order_, nullptr); });
    return is_complete ? std::optional(sum) : std::nullopt;
}

std::vector<std::int64_t> GroupRegressions::gains_without(const RowGroups &groups,
                                                          std::span<const std::size_t> parents) {
    std::vector<std::int64_t> sums(parents.size());
    std::vector<std::size_t> others;
    for_each_group(groups, nullptr, [&] {
        for (std::size_t i = 0; i < parents.size(); ++i) {
            others = order_;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(parents[i]));
            sums[i] += gain_of_group(others, nullptr);
        }
    });
    return sums;
}

bool GroupRegressions::gains_with(const RowGroups &groups, std::span<const Variable> candidates,
                                  std::span<std::int64_t> gains, const Budget *budget) {
    const std::size_t n = n_columns();
    const std::size_t per_candidate = (n + 1) * product_parts;
    std::ranges::fill(gains, 0);
    candidate_sums_.resize(candidates.size() * per_candidate);
    std::vector<double> products(n + 1);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].size() < fewest_rows) {
            continue;
        }
        const std::uint32_t first = groups[g].front();
        const auto add_candidates = [&](std::span<const std::uint32_t> rows, std::size_t padded, bool is_first) {
            for (std::size_t i = 0; i < candidates.size(); ++i) {
                const double *numbers = table_.columns[candidates[i]];
                table_.kernels->gather(numbers, numbers[first], rows.data(), rows.size(), block_[0], block_[n]);
                table_.kernels->add_products(block_[n], block_.data(), n + 1, padded, is_first,
                                             candidate_sums_.data() + i * per_candidate);
            }
        };
        if (!add_group(groups[g], budget, add_candidates)) {
            return false;
        }
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            for (std::size_t c = 0; c <= n; ++c) {
                products[c] = whole_sum(candidate_sums_.data() + i * per_candidate + c * product_parts);
            }
            gains[i] += gain_of_group(order_with(candidates[i]), products.data());
        }
    }
    return true;
}

Spread GroupRegressions::spread(std::span<const std::uint32_t> rows) {
    add_group(rows, nullptr, [](auto, auto, auto) {});
    const std::size_t child = n_columns() - 1;
    return {n_, std::max(0.0, centred(child, child, nullptr))};
}

template <class Use>
bool GroupRegressions::for_each_group(const RowGroups &groups, const Budget *budget, const Use &use) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].size() < fewest_rows) {
            continue;
        }
        if (!add_group(groups[g], budget, [](auto, auto, auto) {})) {
            return false;
        }
        use();
    }
    return true;
}

template <class Use>
bool GroupRegressions::add_group(std::span<const std::uint32_t> rows, const Budget *budget, const Use &use) {
    start_group(rows);
    for (std::size_t begin = 0; begin < rows.size(); begin += rows_per_block) {
        if (is_over(budget)) {
            return false;
        }
        const auto some = rows.subspan(begin, std::min(rows_per_block, rows.size() - begin));
        const bool is_first = begin == 0;
        const std::size_t padded = add_block(some, is_first);
        use(some, padded, is_first);
    }
    end_group();
    return true;
}

void GroupRegressions::start_group(std::span<const std::uint32_t> rows) {
    n_rows_ = rows.size();
    std::uint64_t n = table_.weights.empty() ? rows.size() : 0;
    for (std::size_t i = 0; i < rows.size() && !table_.weights.empty(); ++i) {
        n += table_.weights[rows[i]];
    }
    n_ = static_cast<double>(n);
    for (std::size_t c = 1; c < n_columns(); ++c) {
        first_[c] = table_.columns[columns_[c - 1]][rows[0]];
    }
}

std::size_t GroupRegressions::add_block(std::span<const std::uint32_t> rows, bool is_first) {
    const std::size_t padded = (rows.size() + product_parts - 1) / product_parts * product_parts;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        block_[0][i] = table_.weights.empty() ? 1.0 : table_.roots[rows[i]];
    }
    std::fill(block_[0] + rows.size(), block_[0] + padded, 0.0);
    for (std::size_t c = 1; c < n_columns(); ++c) { // products with 1, the columns before it and itself
        table_.kernels->gather(table_.columns[columns_[c - 1]], first_[c], rows.data(), rows.size(), block_[0],
                               block_[c]);
        table_.kernels->add_products(block_[c], block_.data(), c + 1, padded, is_first, sums_of(c));
    }
    return padded;
}

void GroupRegressions::end_group() {
    const std::size_t n = n_columns();
    for (std::size_t a = 1; a < n; ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
            products_[a * n + b] = products_[b * n + a] = whole_sum(sums_of(a) + b * product_parts);
        }
    }
}

std::span<const std::size_t> GroupRegressions::order_with(Variable candidate) {
    const auto after = std::lower_bound(columns_.begin(), columns_.end() - 1, candidate) - columns_.begin();
    order_with_ = order_;
    order_with_.insert(order_with_.begin() + after, n_columns());
    return order_with_;
}

double GroupRegressions::centred(std::size_t a, std::size_t b, const double *one_more) const noexcept {
    const std::size_t n = n_columns();
    const auto product = [&](std::size_t x, std::size_t y) {
        return x == n ? one_more[y] : y == n ? one_more[x] : products_[x * n + y];
    };
    return product(a, b) - product(0, a) * product(0, b) / n_;
}

std::int64_t GroupRegressions::gain_of_group(std::span<const std::size_t> order, const double *one_more) {
    if (own_.sum_of_squares == 0.0) {
        return 0;
    }
    const std::size_t size = order.size();
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            matrix_[i * size + j] = centred(order[i], order[j], one_more);
        }
        diagonal_[i] = matrix_[i * size + i];
    }
    const std::size_t n_used = eliminate(size);
    if (n_rows_ < rows_per_parameter * (n_used + 2)) {
        return 0;
    }
    const double least = redundant_part * std::max(n_ * (own_.sum_of_squares / own_.n), diagonal_[size - 1]);
    const double residual = std::max(least, matrix_[size * size - 1]);
    const double share = residual * own_.n / (n_ * own_.sum_of_squares); // of the variance without parents
    return std::llround(-0.5 * n_ * std::log(share) / table_.nats_per_unit);
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
