#include "arcwise/conditional_gaussian_engine.hpp"

#include "arcwise/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace arcwise {

namespace {

// A part of a sum of squares that is no more than this is rounding.
constexpr double redundant = 1e-10;
// So many rows for each parameter of a regression, or it is not estimated.
constexpr std::size_t rows_per_parameter = 2;
constexpr std::size_t fewest_rows = rows_per_parameter * 2; // an intercept and a variance

// Rows at a time: a block of a column has 4 KiB, so that those of a family stay in the first cache.
constexpr std::size_t rows_per_block = 512;
// Candidates that share the blocks of a family; share_additions hands out multiples of it.
constexpr std::size_t most_together = 64;

using Numbers = std::vector<double, BlockAllocator<double>>;

bool is_over(const Budget *budget) { return budget != nullptr && budget->exhausted(); }

double whole_sum(const double *parts) {
    return ((parts[0] + parts[4]) + (parts[2] + parts[6])) + ((parts[1] + parts[5]) + (parts[3] + parts[7]));
}

// The smallest power of two in which sums up to 12 n have no more than 62 bits. A gain is at most ½ n_j ln 1e10, and no
// loss exceeds ½ n_j ln(n / n_j), which sums to less than n.
double unit_for(double n) { return std::exp2(std::ceil(std::log2(12.0 * (n + 1.0)) - 62.0)); }

} // namespace

// In the numbering of its columns 0 is the constant 1, from 1 on are the continuous parents in ascending order, then
// comes the child, and behind all of these one more parent.
class ConditionalGaussianEngine::Regressions {
  public:
    Regressions(const ConditionalGaussianEngine &engine, const Family &family)
        : engine_(engine), own_(engine.own_[engine.place_[family.child]]),
          columns_(engine.places(family.parents, true)) {
        n_parents_ = columns_.size();
        columns_.push_back(engine.place_[family.child]);
        const std::size_t n = n_columns();
        blocks_.resize((n + 1) * rows_per_block);
        for (std::size_t c = 0; c <= n; ++c) {
            block_.push_back(blocks_.data() + c * rows_per_block);
        }
        first_.resize(n);
        sums_.resize(n * n * product_parts);
        products_.resize(n * n);
        matrix_.resize((n + 1) * (n + 1));
        diagonal_.resize(n + 1);
        order_.resize(n - 1);
        std::iota(order_.begin(), order_.end(), std::size_t{1});
    }

    // What all groups gain over the likelihood of the child without parents; nothing where the budget ended it early.
    [[nodiscard]] std::optional<std::int64_t> gain(const RowGroups &groups, const Budget *budget) {
        std::int64_t sum = 0;
        const bool is_complete = for_each_group(groups, budget, [&] { sum += gain_of_group(order_, nullptr); });
        return is_complete ? std::optional(sum) : std::nullopt;
    }

    // The same without one of the parents each, given by their places among all continuous parents.
    [[nodiscard]] std::vector<std::int64_t> gains_without(const RowGroups &groups,
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

    // The same with one more continuous parent each. False when the budget ended it early.
    bool gains_with(const RowGroups &groups, std::span<const Variable> candidates, std::span<std::int64_t> gains,
                    const Budget *budget) {
        const std::size_t n = n_columns();
        const std::size_t per_candidate = (n + 1) * product_parts;
        std::ranges::fill(gains, 0);
        candidate_sums_.resize(candidates.size() * per_candidate);
        std::vector<double> products(n + 1);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const std::span<const std::uint32_t> rows = groups[g];
            if (rows.size() < fewest_rows) {
                continue;
            }
            start_group(rows);
            for (std::size_t begin = 0; begin < rows.size(); begin += rows_per_block) {
                if (is_over(budget)) {
                    return false;
                }
                const auto some = rows.subspan(begin, std::min(rows_per_block, rows.size() - begin));
                const std::size_t padded = add_block(some, begin == 0);
                for (std::size_t i = 0; i < candidates.size(); ++i) {
                    const double *numbers = engine_.columns_[candidates[i]].numbers;
                    kernels().gather(numbers, numbers[rows[0]], some.data(), some.size(), block_[0], block_[n]);
                    kernels().add_products(block_[n], block_.data(), n + 1, padded, begin == 0,
                                           candidate_sums_.data() + i * per_candidate);
                }
            }
            end_group();
            for (std::size_t i = 0; i < candidates.size(); ++i) {
                for (std::size_t c = 0; c <= n; ++c) {
                    products[c] = whole_sum(candidate_sums_.data() + i * per_candidate + c * product_parts);
                }
                gains[i] += gain_of_group(order_with(candidates[i]), products.data());
            }
        }
        return true;
    }

    // The child's sum of squares about its mean, and its observations, in the only group that there is.
    [[nodiscard]] std::pair<double, double> spread(std::span<const std::uint32_t> rows) {
        add_group(rows, nullptr);
        const std::size_t child = n_columns() - 1;
        return {centred(child, child, nullptr), n_};
    }

  private:
    [[nodiscard]] const ProductKernels &kernels() const noexcept { return engine_.products_; }
    [[nodiscard]] std::size_t n_columns() const noexcept { return columns_.size() + 1; }

    template <class Use> bool for_each_group(const RowGroups &groups, const Budget *budget, const Use &use) {
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (groups[g].size() >= fewest_rows) {
                if (!add_group(groups[g], budget)) {
                    return false;
                }
                use();
            }
        }
        return true;
    }

    bool add_group(std::span<const std::uint32_t> rows, const Budget *budget) {
        start_group(rows);
        for (std::size_t begin = 0; begin < rows.size(); begin += rows_per_block) {
            if (is_over(budget)) {
                return false;
            }
            add_block(rows.subspan(begin, std::min(rows_per_block, rows.size() - begin)), begin == 0);
        }
        end_group();
        return true;
    }

    void start_group(std::span<const std::uint32_t> rows) {
        n_rows_ = rows.size();
        std::uint64_t n = 0;
        for (const std::uint32_t row : rows) {
            n += engine_.weights_.empty() ? 1 : engine_.weights_[row];
        }
        n_ = static_cast<double>(n);
        for (std::size_t c = 1; c < n_columns(); ++c) {
            first_[c] = engine_.columns_[columns_[c - 1]].numbers[rows[0]];
        }
    }

    // Gathers some rows of all columns and adds their products. How many they are with the padding.
    std::size_t add_block(std::span<const std::uint32_t> rows, bool is_first) {
        const std::size_t n = n_columns();
        const std::size_t padded = (rows.size() + product_parts - 1) / product_parts * product_parts;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            block_[0][i] = engine_.roots_.empty() ? 1.0 : engine_.roots_[rows[i]];
        }
        std::fill(block_[0] + rows.size(), block_[0] + padded, 0.0);
        for (std::size_t c = 1; c < n; ++c) {
            kernels().gather(engine_.columns_[columns_[c - 1]].numbers, first_[c], rows.data(), rows.size(), block_[0],
                             block_[c]);
        }
        for (std::size_t c = 1; c < n; ++c) { // with 1, the columns before it and itself
            kernels().add_products(block_[c], block_.data(), c + 1, padded, is_first, sums_of(c));
        }
        return padded;
    }

    [[nodiscard]] double *sums_of(std::size_t column) noexcept {
        return sums_.data() + column * n_columns() * product_parts;
    }

    void end_group() {
        const std::size_t n = n_columns();
        for (std::size_t a = 1; a < n; ++a) {
            for (std::size_t b = 0; b <= a; ++b) {
                products_[a * n + b] = products_[b * n + a] = whole_sum(sums_of(a) + b * product_parts);
            }
        }
    }

    // The place of one more parent among the ascending columns.
    [[nodiscard]] std::span<const std::size_t> order_with(Variable candidate) {
        const auto parents_end = columns_.begin() + static_cast<std::ptrdiff_t>(n_parents_);
        const auto after = std::lower_bound(columns_.begin(), parents_end, candidate) - columns_.begin();
        order_with_ = order_;
        order_with_.insert(order_with_.begin() + after, n_columns());
        return order_with_;
    }

    // Σ (a − mean of a)(b − mean of b) over the group. `one_more` are the products of the column behind all others.
    [[nodiscard]] double centred(std::size_t a, std::size_t b, const double *one_more) const noexcept {
        const std::size_t n = n_columns();
        const auto product = [&](std::size_t x, std::size_t y) {
            return x == n ? one_more[y] : y == n ? one_more[x] : products_[x * n + y];
        };
        return product(a, b) - product(0, a) * product(0, b) / n_;
    }

    // What the regression of the last of these columns on the others gains in the group over the variance that it has
    // without parents.
    [[nodiscard]] std::int64_t gain_of_group(std::span<const std::size_t> order, const double *one_more) {
        if (own_.sum_of_squares == 0.0) {
            return 0;
        }
        const std::size_t size = order.size();
        double *const matrix = matrix_.data();
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                matrix[i * size + j] = centred(order[i], order[j], one_more);
            }
            diagonal_[i] = matrix[i * size + i];
        }
        std::size_t n_used = 0;
        for (std::size_t c = 0; c + 1 < size; ++c) {
            const double pivot = matrix[c * size + c];
            if (!(pivot > redundant * diagonal_[c])) {
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
        if (n_rows_ < rows_per_parameter * (n_used + 2)) {
            return 0;
        }
        const double own_share = n_ * (own_.sum_of_squares / own_.n);
        const double least = redundant * std::max(own_share, diagonal_[size - 1]);
        const double residual = std::max(least, matrix[size * size - 1]);
        const double share = residual * own_.n / (n_ * own_.sum_of_squares);
        return std::llround(-0.5 * n_ * std::log(share) / engine_.nats_per_unit_);
    }

    const ConditionalGaussianEngine &engine_;
    const Own &own_;
    std::vector<Variable> columns_; // from column 1 on
    std::size_t n_parents_ = 0;
    std::vector<std::size_t> order_; // of the parents and the child
    std::vector<std::size_t> order_with_;

    // Of one group.
    std::size_t n_rows_ = 0;
    double n_ = 0.0;
    std::vector<double> first_;
    Numbers blocks_; // of each column, and of one more
    std::vector<double *> block_;
    Numbers sums_;
    Numbers candidate_sums_;
    std::vector<double> products_;
    std::vector<double> matrix_;
    std::vector<double> diagonal_;
};

namespace {

std::size_t n_continuous(std::span<const std::uint32_t> arities) {
    return static_cast<std::size_t>(std::ranges::count(arities, 0U));
}

void check(const MixedTable &table, double per_parameter, double gamma) {
    const TableView &rows = table.discrete;
    if (table.numbers.size() != rows.n_rows * n_continuous(rows.arities)) {
        throw std::invalid_argument("there must be a column of numbers for each variable of arity 0");
    }
    if (!std::ranges::all_of(table.numbers, [](double number) { return std::isfinite(number); })) {
        throw std::invalid_argument("numbers must be finite");
    }
    if (!(std::isfinite(per_parameter) && per_parameter >= 0.0 && std::isfinite(gamma) && gamma >= 0.0)) {
        throw std::invalid_argument("penalties must be finite and not negative");
    }
    for (Variable v = 0; rows.masks != nullptr && v < rows.n_variables(); ++v) {
        if (rows.masks->observed(v) != nullptr) {
            throw std::invalid_argument("the score of mixed tables needs all values: variable " + std::to_string(v) +
                                        " has gaps");
        }
    }
}

const MixedTable &checked(const MixedTable &table, double per_parameter, double gamma) {
    check(table, per_parameter, gamma);
    return table;
}

} // namespace

ConditionalGaussianEngine::ConditionalGaussianEngine(const MixedTable &table, double per_parameter, double gamma,
                                                     const BitKernels &kernels)
    : arities_(checked(table, per_parameter, gamma).discrete.arities), n_rows_(table.discrete.n_rows),
      weights_(table.discrete.weights), masks_(table.discrete.masks), products_(product_kernels(kernels.instructions)),
      score_(Penalties{per_parameter, gamma, arities_.size()}, table.discrete.n_observations()) {
    place_.reserve(arities_.size());
    for (Variable v = 0, n_numbers = 0; v < arities_.size(); ++v) {
        place_.push_back(is_continuous(v) ? n_numbers++ : static_cast<Variable>(discrete_variables_.size()));
        if (!is_continuous(v)) {
            discrete_variables_.push_back(v);
        }
    }
    for (const std::uint32_t weight : weights_) {
        roots_.push_back(std::sqrt(static_cast<double>(weight)));
    }
    take_discrete(table.discrete, {per_parameter, gamma, arities_.size()}, kernels);
    const auto n = static_cast<double>(table.discrete.n_observations());
    nats_per_unit_ = unit_for(n);
    // A residual that is a part ρ of a sum of squares is known to about 1e-15 / ρ of itself, and so a score to n times
    // half of that.
    rounding_ = 1e-11 * n * std::log(n + 1.0);
    take_numbers(table);
}

template <class Code>
const Code *ConditionalGaussianEngine::take_codes(const TableView &table, const Code *first, std::vector<Code> &kept) {
    kept.reserve(discrete_variables_.size() * table.n_rows);
    for (const Variable v : discrete_variables_) {
        const Code *column = first + v * table.n_rows;
        kept.insert(kept.end(), column, column + table.n_rows);
    }
    return kept.data();
}

std::shared_ptr<const RowMasks> ConditionalGaussianEngine::masks_of_discrete(const TableView &table) const {
    if (table.masks == nullptr) {
        return nullptr;
    }
    auto masks = std::make_shared<RowMasks>(table.n_rows, discrete_variables_.size());
    std::vector<std::uint8_t> forced;
    for (std::uint32_t place = 0; place < discrete_variables_.size(); ++place) {
        if (const std::uint64_t *counted = table.masks->unforced(discrete_variables_[place])) {
            forced.assign(table.n_rows, 1);
            for_each_row(counted, table.n_rows, [&](std::size_t row) { forced[row] = 0; });
            masks->set_forced(place, forced);
        }
    }
    return masks;
}

void ConditionalGaussianEngine::take_discrete(const TableView &table, const Penalties &penalties,
                                              const BitKernels &kernels) {
    discrete_.n_rows = table.n_rows;
    for (const Variable v : discrete_variables_) {
        discrete_.arities.push_back(arities_[v]);
    }
    discrete_.weights = table.weights;
    discrete_.masks = masks_of_discrete(table);
    if (const auto *narrow = std::get_if<const std::uint8_t *>(&table.codes)) {
        discrete_.codes = take_codes(table, *narrow, narrow_codes_);
    } else {
        discrete_.codes = take_codes(table, std::get<const std::uint16_t *>(table.codes), wide_codes_);
    }
    if (!discrete_variables_.empty()) {
        counting_ = std::make_unique<const CountingEngine>(discrete_, penalties, kernels);
    }
}

void ConditionalGaussianEngine::take_numbers(const MixedTable &table) {
    const std::size_t n_columns = n_continuous(arities_);
    scaled_.reserve(n_columns);
    for (std::size_t c = 0; c < n_columns; ++c) {
        columns_.push_back(column_of(table.numbers.data() + c * n_rows_));
    }
    own_.resize(n_columns);
    for (Variable v = 0; v < arities_.size(); ++v) {
        if (is_continuous(v)) {
            own_[place_[v]] = own_of(v);
            const double size = std::abs(own_[place_[v]].log_likelihood);
            rounding_ = std::max(rounding_, 16 * std::numeric_limits<double>::epsilon() * size);
        }
    }
}

// Differences whose squares, added up, are neither infinite nor nothing.
ConditionalGaussianEngine::Column ConditionalGaussianEngine::column_of(const double *numbers) {
    constexpr double most = 1e120;
    constexpr double least = 1e-120;
    double largest = 0.0;
    double spread = 0.0;
    for (std::size_t row = 0; row < n_rows_; ++row) {
        largest = std::max(largest, std::abs(numbers[row]));
        spread = std::max(spread, std::abs(numbers[row] - numbers[0]));
    }
    if (largest <= most && (spread == 0.0 || spread >= least)) {
        return {numbers, 0.0};
    }
    const int exponent = std::ilogb(largest > most ? largest : spread);
    std::vector<double> &scaled = scaled_.emplace_back(numbers, numbers + n_rows_);
    for (double &number : scaled) {
        number = std::ldexp(number, -exponent);
    }
    return {scaled.data(), exponent * std::numbers::ln2};
}

ConditionalGaussianEngine::Own ConditionalGaussianEngine::own_of(Variable variable) const {
    const RowGroups all = groups_of({variable, {}});
    if (all.size() == 0) {
        return {};
    }
    const auto [sum_of_squares, n] = Regressions(*this, {variable, {}}).spread(all[0]);
    if (!(sum_of_squares > 0.0)) {
        return {n, 0.0, 0.0};
    }
    const double log_variance = std::log(sum_of_squares / n) + 2.0 * columns_[place_[variable]].log_scale;
    return {n, sum_of_squares, -0.5 * n * (std::log(2.0 * std::numbers::pi) + log_variance + 1.0)};
}

std::size_t ConditionalGaussianEngine::bytes() const noexcept {
    std::size_t all = narrow_codes_.capacity() + wide_codes_.capacity() * sizeof(std::uint16_t) +
                      roots_.capacity() * sizeof(double) + scaled_.size() * n_rows_ * sizeof(double);
    all += columns_.capacity() * sizeof(Column) + own_.capacity() * sizeof(Own);
    return all + (counting_ == nullptr ? 0 : counting_->bytes());
}

double ConditionalGaussianEngine::seconds_per_addition(std::size_t n_parents) const noexcept {
    constexpr double of_regression = 100e-9;
    constexpr double of_gathering = 0.6e-9;
    constexpr double of_product = 0.25e-9;
    const double products = static_cast<double>(n_parents) + 3.0;
    return of_regression + static_cast<double>(n_rows_) * (of_gathering + of_product * products);
}

bool ConditionalGaussianEngine::is_counted(const Family &family) const noexcept {
    return !is_continuous(family.child) &&
           std::ranges::none_of(family.parents, [&](Variable parent) { return is_continuous(parent); });
}

std::vector<Variable> ConditionalGaussianEngine::places(std::span<const Variable> variables, bool continuous) const {
    std::vector<Variable> chosen;
    for (const Variable v : variables) {
        if (is_continuous(v) == continuous) {
            chosen.push_back(place_[v]);
        }
    }
    std::ranges::sort(chosen);
    return chosen;
}

RowGroups ConditionalGaussianEngine::groups_of(const Family &family) const {
    RowGroups groups(n_rows_, weights_, masks_ == nullptr ? nullptr : masks_->unforced(family.child));
    for (const Variable parent : places(family.parents, false)) {
        groups = RowGroups(groups, discrete_, parent);
    }
    return groups;
}

FamilyShape ConditionalGaussianEngine::shape(const Family &family) const {
    static constexpr double enough = 1e300; // keeps what it is multiplied with finite
    std::vector<std::uint32_t> arities;
    for (const Variable parent : family.parents) {
        if (!is_continuous(parent)) {
            arities.push_back(arities_[parent]);
        }
    }
    std::ranges::sort(arities); // so that the product is rounded in one way
    const double q = std::accumulate(arities.begin(), arities.end(), 1.0, [](double product, std::uint32_t arity) {
        return std::min(product * static_cast<double>(arity), enough);
    });
    const auto n_regressed = static_cast<double>(family.parents.size() - arities.size());
    const double r = is_continuous(family.child) ? n_regressed + 3.0 : static_cast<double>(arities_[family.child]);
    return {r, q, family.parents.size()};
}

double ConditionalGaussianEngine::penalty(const Family &family) const { return score_.penalty(shape(family)); }

double ConditionalGaussianEngine::least_penalty(const Family &family, std::size_t most_parents) const {
    return score_.least_penalty(shape(family), most_parents);
}

double ConditionalGaussianEngine::score_of(const Family &family, std::int64_t gain) const {
    const double likelihood = own_[place_[family.child]].log_likelihood + static_cast<double>(gain) * nats_per_unit_;
    return likelihood - penalty(family);
}

double ConditionalGaussianEngine::score(const Family &family) const {
    if (is_continuous(family.child)) {
        return score_of(family, *Regressions(*this, family).gain(groups_of(family), nullptr));
    }
    return is_counted(family) ? counting_->score({place_[family.child], places(family.parents, false)}) : -infinity;
}

bool ConditionalGaussianEngine::additions(const Family &family, std::span<const Variable> candidates,
                                          std::span<double> scores, const Bounds *bounds, const Budget *budget) const {
    std::ranges::fill(scores, std::numeric_limits<double>::quiet_NaN());
    if (!is_continuous(family.child)) {
        return counted_additions(family, candidates, scores, bounds, budget);
    }
    const bool is_complete = regressed_additions(family, candidates, scores, budget);
    for (std::size_t i = 0; bounds != nullptr && i < candidates.size(); ++i) {
        const std::vector<Variable> parents = with_one_more(family.parents, candidates[i]);
        bounds->values[i] = score_.superset_bound(shape({family.child, parents}), {}, bounds->supersets);
    }
    return is_complete;
}

bool ConditionalGaussianEngine::counted_additions(const Family &family, std::span<const Variable> candidates,
                                                  std::span<double> scores, const Bounds *bounds,
                                                  const Budget *budget) const {
    std::vector<std::size_t> chosen;
    std::vector<Variable> counted;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!is_continuous(candidates[i]) && is_counted(family)) {
            chosen.push_back(i);
            counted.push_back(place_[candidates[i]]);
            continue;
        }
        scores[i] = -infinity;
        if (bounds != nullptr) {
            bounds->values[i] = -infinity;
        }
    }
    if (counted.empty()) {
        return true;
    }
    std::vector<double> its_scores(counted.size());
    std::vector<double> its_bounds(bounds == nullptr ? 0 : counted.size());
    const std::optional<Bounds> wanted =
        bounds == nullptr ? std::nullopt : std::optional(Bounds{bounds->supersets, its_bounds});
    const std::vector<Variable> parents = places(family.parents, false);
    const bool is_complete =
        counting_->additions({place_[family.child], parents}, counted, its_scores, wanted ? &*wanted : nullptr, budget);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        scores[chosen[i]] = its_scores[i];
        if (bounds != nullptr) {
            bounds->values[chosen[i]] = its_bounds[i];
        }
    }
    return is_complete;
}

bool ConditionalGaussianEngine::regressed_additions(const Family &family, std::span<const Variable> candidates,
                                                    std::span<double> scores, const Budget *budget) const {
    if (is_over(budget)) {
        return false;
    }
    const RowGroups groups = groups_of(family);
    Regressions regressions(*this, family);
    const auto take = [&](std::size_t i, std::int64_t gain) {
        scores[i] = score_of({family.child, with_one_more(family.parents, candidates[i])}, gain);
    };
    std::vector<std::size_t> chosen;
    std::vector<Variable> together;
    std::array<std::int64_t, most_together> gains{};
    const auto take_together = [&] {
        if (!regressions.gains_with(groups, together, std::span(gains).first(together.size()), budget)) {
            return false;
        }
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            take(chosen[i], gains[i]);
        }
        chosen.clear();
        together.clear();
        return true;
    };
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (is_continuous(candidates[i])) {
            chosen.push_back(i);
            together.push_back(place_[candidates[i]]);
            if (together.size() == most_together && !take_together()) {
                return false;
            }
        } else {
            const auto gain = regressions.gain(RowGroups(groups, discrete_, place_[candidates[i]]), budget);
            if (!gain) {
                return false;
            }
            take(i, *gain);
        }
    }
    return take_together();
}

bool ConditionalGaussianEngine::improvements(std::span<const Family> batch, std::span<Improvements> answers, Team &team,
                                             const Budget *budget) const {
    // Those of discrete children with the planes of all candidates, the others one family after the other.
    std::vector<std::size_t> counted;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        (is_counted(batch[i]) ? counted : others).push_back(i);
    }
    std::vector<std::vector<Variable>> parents;
    std::vector<Family> families;
    for (const std::size_t i : counted) {
        parents.push_back(places(batch[i].parents, false));
        families.push_back({place_[batch[i].child], parents.back()});
    }
    std::vector<Improvements> found(counted.size());
    bool is_complete = families.empty() || counting_->improvements(families, found, team, budget);
    for (std::size_t i = 0; i < counted.size(); ++i) {
        for (Variable &variable : found[i].variables) {
            variable = discrete_variables_[variable];
        }
        answers[counted[i]] = std::move(found[i]);
    }
    families.clear();
    for (const std::size_t i : others) {
        families.push_back(batch[i]);
    }
    found.assign(others.size(), {});
    is_complete = ScoreEngine::improvements(families, found, team, budget) && is_complete;
    for (std::size_t i = 0; i < others.size(); ++i) {
        answers[others[i]] = std::move(found[i]);
    }
    return is_complete;
}

void ConditionalGaussianEngine::removals(const Family &family, std::span<const std::size_t> chosen,
                                         std::span<double> scores) const {
    std::vector<std::size_t> regressed; // of the chosen
    std::vector<std::size_t> columns;   // their places among the continuous parents
    const std::vector<Variable> continuous = places(family.parents, true);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const Variable parent = family.parents[chosen[i]];
        if (is_continuous(family.child) && is_continuous(parent)) {
            regressed.push_back(i);
            const auto at = std::ranges::lower_bound(continuous, place_[parent]);
            columns.push_back(static_cast<std::size_t>(at - continuous.begin()));
        } else {
            scores[i] = score({family.child, without_one(family.parents, chosen[i])});
        }
    }
    if (regressed.empty()) {
        return;
    }
    const std::vector<std::int64_t> gains = Regressions(*this, family).gains_without(groups_of(family), columns);
    for (std::size_t i = 0; i < regressed.size(); ++i) {
        scores[regressed[i]] = score_of({family.child, without_one(family.parents, chosen[regressed[i]])}, gains[i]);
    }
}

Supersets ConditionalGaussianEngine::supersets(const Family &least, std::span<const Variable> candidates,
                                               std::size_t most_parents, const Budget &budget) const {
    if (is_counted(least)) {
        return counting_->supersets({place_[least.child], places(least.parents, false)}, places(candidates, false),
                                    most_parents, budget);
    }
    if (!is_continuous(least.child)) {
        return {0.0, most_parents}; // all of them are −∞
    }
    const Own &own = own_[place_[least.child]];
    return {own.log_likelihood - 0.5 * own.n * std::log(redundant) + rounding_, most_parents};
}

} // namespace arcwise
