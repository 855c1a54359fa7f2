#include "arcwise/gaussian_engine.hpp"

#include "arcwise/count_table.hpp"
#include "arcwise/log_choices.hpp"

#include "gaussian_log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>

namespace arcwise {

namespace {

// As parts of the diagonal: what a residual is taken for where it is less, and how much more that is for each
// observation.
constexpr double least_residual = 1e-12;
constexpr double least_per_observation = 1e-15;
// Above so many rows the lanes of a family would leave the cache, and candidates are scored one by one.
constexpr std::size_t most_rows_in_lanes = 256;
constexpr std::size_t most_columns = 1U << 20; // the matrix would have 8 TiB

bool is_over(const Budget *budget) { return budget != nullptr && budget->exhausted(); }

double log_of(double x) { return natural_log<double, std::uint64_t>(x); }

// Throws where the matrix is not symmetric and finite.
void check_matrix(std::span<const double> gram, std::size_t p) {
    constexpr std::size_t tile = 64; // both sides of the diagonal from the cache
    for (std::size_t i = 0; i < p; ++i) {
        const double diagonal = gram[i * p + i];
        // Pivots down to 1e-12 of it must be normal numbers.
        const bool is_allowed = diagonal == 0.0 || (diagonal >= 1e-280 && diagonal <= 1e280);
        if (!is_allowed) {
            throw std::invalid_argument("the diagonal of the matrix must be 0 or between 1e-280 and 1e280, not " +
                                        std::to_string(diagonal) + " in column " + std::to_string(i));
        }
    }
    for (std::size_t i0 = 0; i0 < p; i0 += tile) {
        for (std::size_t j0 = 0; j0 <= i0; j0 += tile) {
            for (std::size_t i = i0; i < std::min(p, i0 + tile); ++i) {
                for (std::size_t j = j0; j < std::min(i, j0 + tile); ++j) {
                    if (!std::isfinite(gram[i * p + j]) || gram[i * p + j] != gram[j * p + i]) {
                        throw std::invalid_argument("the matrix is not symmetric and finite at row " +
                                                    std::to_string(i) + ", column " + std::to_string(j));
                    }
                }
            }
        }
    }
}

} // namespace

// The columns of a family with its parents eliminated one after the other, as GaussianFactor has it. Kept by each
// thread for the next family.
class GaussianEngine::Elimination {
  public:
    void start(const GaussianMatrix &matrix, std::size_t n_parents, std::size_t n_rows) {
        n_parents_ = n_parents;
        m_ = n_rows;
        n_done_ = 0;
        logarithms_ = {0.0, 0.0};
        values_.resize(m_ * m_);
        scaled_.resize(m_ * m_);
        inverses_.resize(m_);
        for (std::size_t a = 0; a < m_; ++a) {
            const double *row = matrix.values + columns_[a] * matrix.n_columns;
            for (std::size_t b = 0; b <= a; ++b) {
                values_[a * m_ + b] = row[columns_[b]];
            }
        }
    }

    // The same family without some rows, none of which is eliminated.
    void start_without(const Elimination &whole, std::size_t first, std::size_t count) {
        *this = whole;
        m_ = whole.m_ - count;
        n_parents_ = whole.n_parents_ - count;
        columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(first),
                       columns_.begin() + static_cast<std::ptrdiff_t>(first + count));
        for (std::size_t a = 0; a < m_; ++a) {
            const double *values = whole.values_.data() + (a < first ? a : a + count) * whole.m_;
            const double *scaled = whole.scaled_.data() + (a < first ? a : a + count) * whole.m_;
            for (std::size_t b = 0; b <= a; ++b) {
                values_[a * m_ + b] = values[b < first ? b : b + count];
                scaled_[a * m_ + b] = scaled[b < first ? b : b + count];
            }
        }
    }

    void eliminate_next(const GaussianMatrix &matrix, bool with_pivots) {
        const std::size_t j = n_done_;
        const std::size_t column = columns_[j];
        const double pivot = values_[j * m_ + j];
        const double inverse = pivot > matrix.diagonal[column] * redundant_pivot ? 1.0 / pivot : 0.0;
        inverses_[j] = inverse;
        for (std::size_t a = j + 1; a < m_; ++a) {
            double *row = values_.data() + a * m_;
            scaled_[a * m_ + j] = row[j] * inverse;
            for (std::size_t b = j + 1; b <= a; ++b) {
                row[b] -= row[j] * scaled_[b * m_ + j];
            }
        }
        if (j >= n_parents_) {
            logarithms_.residuals += log_of(std::max(pivot, matrix.floors[column]));
        } else if (with_pivots) {
            logarithms_.pivots += log_of(std::max(pivot, matrix.floors[column]));
        }
        ++n_done_;
    }

    Logarithms finish(const GaussianMatrix &matrix, bool with_pivots) {
        while (n_done_ < m_) {
            eliminate_next(matrix, with_pivots);
        }
        return logarithms_;
    }

    [[nodiscard]] double next_pivot() const noexcept { return values_[n_done_ * m_ + n_done_]; }

    [[nodiscard]] GaussianFactor factor() const noexcept {
        return {columns_.data(),   m_, n_parents_, n_done_, values_.data(), scaled_.data(), inverses_.data(),
                logarithms_.pivots};
    }
    [[nodiscard]] std::size_t n_done() const noexcept { return n_done_; }
    [[nodiscard]] std::size_t n_rows() const noexcept { return m_; }
    [[nodiscard]] std::span<const std::uint32_t> parents() const noexcept { return {columns_.data(), n_parents_}; }
    [[nodiscard]] std::vector<std::uint32_t> &columns() noexcept { return columns_; }

  private:
    std::vector<std::uint32_t> columns_;
    std::size_t n_parents_ = 0;
    std::size_t m_ = 0;
    std::size_t n_done_ = 0;
    Logarithms logarithms_{};
    std::vector<double> values_;
    std::vector<double> scaled_;
    std::vector<double> inverses_;
};

GaussianEngine::GaussianEngine(GaussianData data, const GaussianKernels &kernels)
    : data_(std::move(data)), kernels_(kernels) {
    const std::size_t n = data_.widths.size();
    const auto p = std::accumulate(data_.widths.begin(), data_.widths.end(), std::size_t{0});
    if (n == 0 || n > most_columns || p > most_columns || data_.gram.size() != p * p) {
        throw std::invalid_argument("a matrix of " + std::to_string(data_.gram.size()) + " numbers is not that of " +
                                    std::to_string(n) + " variables with " + std::to_string(p) + " columns, " +
                                    std::to_string(p * p) + " numbers; at most " + std::to_string(most_columns) +
                                    " columns are possible");
    }
    const auto is_bad = [](double x) { return !std::isfinite(x); };
    if (data_.log_scales.size() != n || std::ranges::any_of(data_.log_scales, is_bad)) {
        throw std::invalid_argument("there must be a finite scale for each of " + std::to_string(n) + " variables");
    }
    if (!std::isfinite(data_.n_observations) || !(data_.n_observations > 0.0)) {
        throw std::invalid_argument("the number of observations must be positive and finite");
    }
    check_matrix(data_.gram, p);
    begin_.resize(n + 1);
    std::partial_sum(data_.widths.begin(), data_.widths.end(), begin_.begin() + 1);
}

GaussianEngine::GaussianEngine(GaussianData data, const PenalisedGaussian &score, const GaussianKernels &kernels)
    : GaussianEngine(std::move(data), kernels) {
    if (!std::isfinite(score.per_parameter) || score.per_parameter < 0.0 || !std::isfinite(score.gamma) ||
        score.gamma < 0.0) {
        throw std::invalid_argument("a penalty must be finite and not negative");
    }
    penalised_ = score;
    if (score.gamma > 0.0) {
        choices_ = log_choices(n_variables());
    }
    constants_.resize(n_variables());
    const double n = data_.n_observations;
    const double of_column = 1.0 + std::log(2.0 * std::numbers::pi) - std::log(n);
    for (Variable v = 0; v < n_variables(); ++v) {
        constants_[v] = -0.5 * n * static_cast<double>(width(v)) * of_column - n * data_.log_scales[v];
    }
    take_diagonal(n);
    find_rounding();
}

GaussianEngine::GaussianEngine(GaussianData data, const BayesianGaussian &score, const GaussianKernels &kernels)
    : GaussianEngine(std::move(data), kernels) {
    const auto n = static_cast<double>(n_variables());
    const double n_observations = data_.n_observations;
    const double t = score.alpha_mu * (score.alpha_w - n - 1.0) / (score.alpha_mu + 1.0);
    if (!std::isfinite(t) || !(score.alpha_mu > 0.0) || !(t > 0.0)) {
        throw std::invalid_argument(
            "alpha_mu must be positive and alpha_w more than the number of variables and one, " +
            std::to_string(n_variables() + 1));
    }
    if (std::ranges::any_of(data_.widths, [](std::uint32_t w) { return w != 1; })) {
        throw std::invalid_argument("the Bayesian score takes one column for each variable");
    }
    is_bayesian_ = true;
    a_ = score.alpha_w - n;
    log_t_ = std::log(t);
    constants_.resize(n_variables());
    const double of_mean = 0.5 * std::log(score.alpha_mu / (n_observations + score.alpha_mu)) -
                           0.5 * n_observations * std::log(std::numbers::pi);
    for (std::size_t k = 0; k < constants_.size(); ++k) {
        const auto l = static_cast<double>(k + 1);
        constants_[k] = of_mean + log_gamma(0.5 * (n_observations + a_ + l)) - log_gamma(0.5 * (a_ + l)) +
                        0.5 * (a_ + 2.0 * l - 1.0) * log_t_;
    }
    take_diagonal(1.0);
    find_rounding();
}

void GaussianEngine::take_diagonal(double of_constant) {
    const std::size_t p = begin_.back();
    const double least = std::max(least_residual, least_per_observation * data_.n_observations);
    diagonal_.resize(p);
    floors_.resize(p);
    for (std::size_t i = 0; i < p; ++i) {
        diagonal_[i] = data_.gram[i * p + i];
        floors_[i] = diagonal_[i] > 0.0 ? least * diagonal_[i] : of_constant;
    }
}

void GaussianEngine::find_rounding() {
    constexpr double relative = 1e-12;
    double largest = data_.n_observations;
    for (Variable v = 0; v < n_variables(); ++v) {
        largest = std::max(largest, std::abs(score({v, {}})));
    }
    rounding_ = relative * largest;
}

std::size_t GaussianEngine::bytes() const noexcept {
    return (diagonal_.capacity() + floors_.capacity() + choices_.capacity() + constants_.capacity() +
            data_.log_scales.capacity()) *
               sizeof(double) +
           (begin_.capacity() + data_.widths.capacity()) * sizeof(std::uint32_t);
}

double GaussianEngine::seconds_per_addition(std::size_t n_parents) const noexcept {
    const double mean_width = static_cast<double>(begin_.back()) / static_cast<double>(n_variables());
    const double b = static_cast<double>(n_parents) * std::max(1.0, mean_width);
    const double f = 0.5 * b; // in the middle of its parents
    const double flops = f * f + 2.0 * f + (f + 1.0) * (2.0 * f + 3.0) + f * (f + 1.0) * (2.0 * f + 13.0) / 6.0;
    constexpr double of_score = 6e-9;
    constexpr double per_flop = 0.06e-9;
    return of_score + per_flop * flops;
}

bool GaussianEngine::has_single_columns() const noexcept {
    return std::ranges::all_of(data_.widths, [](std::uint32_t width) { return width == 1; });
}

std::size_t GaussianEngine::n_columns(std::span<const Variable> variables) const noexcept {
    std::size_t n = 0;
    for (const Variable v : variables) {
        n += width(v);
    }
    return n;
}

double GaussianEngine::choices(std::size_t n_parents) const noexcept {
    return choices_.empty() ? 0.0 : choices_[std::min(n_parents, choices_.size() - 1)];
}

double GaussianEngine::penalty(Variable child, const Numbers &parents) const noexcept {
    const double w = width(child);
    const double n_parameters = w * static_cast<double>(parents.n_columns) + 0.5 * w * (w + 1.0) + w;
    return penalised_.per_parameter * n_parameters + penalised_.gamma * choices(parents.n_parents);
}

double GaussianEngine::penalty(const Family &family) const {
    return is_bayesian_ ? 0.0 : penalty(family.child, {family.parents.size(), n_columns(family.parents)});
}

// ln C(n − 1, k) rises and then falls: it is least at one of the ends.
double GaussianEngine::least_penalty(const Family &family, std::size_t most_parents) const {
    const std::size_t k = family.parents.size();
    const double own = penalty(family);
    const double more = penalised_.gamma * (choices(std::max(k, most_parents)) - choices(k));
    return own + std::min(0.0, more);
}

GaussianEngine::Line GaussianEngine::line(Variable child, const Numbers &parents) const noexcept {
    const double n = data_.n_observations;
    if (is_bayesian_) {
        return {constants_[parents.n_parents], 0.5 * (n + a_ + static_cast<double>(parents.n_parents + 1))};
    }
    return {constants_[child] - penalty(child, parents), 0.5 * n};
}

double GaussianEngine::value(Variable child, const Numbers &parents, const Logarithms &logarithms) const noexcept {
    return at(line(child, parents), logarithms);
}

GaussianEngine::Elimination &GaussianEngine::prepared(const Family &family) const {
    thread_local Elimination elimination;
    std::vector<std::uint32_t> &columns = elimination.columns();
    columns.clear();
    const auto take = [&](Variable v) {
        for (std::uint32_t column = begin_[v]; column < begin_[v + 1]; ++column) {
            columns.push_back(column);
        }
    };
    std::ranges::for_each(family.parents, take);
    std::ranges::sort(columns);
    const std::size_t n_parents = columns.size();
    take(family.child);
    elimination.start(matrix(), n_parents, columns.size());
    return elimination;
}

double GaussianEngine::score(const Family &family) const {
    const Numbers numbers{family.parents.size(), n_columns(family.parents)};
    return value(family.child, numbers, prepared(family).finish(matrix(), is_bayesian_));
}

bool GaussianEngine::additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                               const Bounds *bounds, const Budget *budget) const {
    std::ranges::fill(scores, std::numeric_limits<double>::quiet_NaN());
    const std::size_t n_parents = family.parents.size() + 1;
    const std::size_t n_own_columns = n_columns(family.parents);
    const auto bound = [&](std::size_t i, double log_pivots) {
        if (bounds != nullptr) {
            const Numbers numbers{n_parents, n_own_columns + width(candidates[i])};
            bounds->values[i] = bound_of_supersets(family.child, numbers, log_pivots, bounds->supersets);
        }
    };
    // Those of one column, in the order of the columns; the others one by one.
    const bool fits = n_own_columns + width(family.child) <= most_rows_in_lanes;
    std::vector<std::size_t> places;
    places.reserve(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (fits && width(candidates[i]) == 1) {
            places.push_back(i);
            continue;
        }
        if (is_over(budget)) {
            return false;
        }
        const std::vector<Variable> parents = with_one_more(family.parents, candidates[i]);
        const Logarithms logarithms = prepared({family.child, parents}).finish(matrix(), is_bayesian_);
        scores[i] = value(family.child, {n_parents, n_own_columns + width(candidates[i])}, logarithms);
        bound(i, logarithms.pivots);
    }
    const auto earlier = [&](std::size_t i, std::size_t j) { return candidates[i] < candidates[j]; };
    if (!std::ranges::is_sorted(places, earlier)) {
        std::ranges::sort(places, earlier);
    }

    constexpr std::size_t most_at_once = 64;
    std::uint32_t columns[most_at_once];
    double residuals[most_at_once];
    double pivots[most_at_once] = {};
    const Line its_line = line(family.child, Numbers{n_parents, n_own_columns + 1});
    Elimination &elimination = prepared(family);
    thread_local std::vector<double, BlockAllocator<double>> work;
    work.resize(std::max(work.size(), gaussian_work(elimination.n_rows())));
    const std::span<const std::uint32_t> own = elimination.parents();
    for (std::size_t begin = 0; begin < places.size();) {
        if (is_over(budget)) {
            return false;
        }
        const std::uint32_t first = begin_[candidates[places[begin]]];
        while (elimination.n_done() < own.size() && own[elimination.n_done()] < first) {
            elimination.eliminate_next(matrix(), is_bayesian_);
        }
        const std::size_t done = elimination.n_done();
        const std::uint32_t last = done < own.size() ? own[done] : begin_.back();
        std::size_t n = 0;
        while (n < most_at_once && begin + n < places.size() && begin_[candidates[places[begin + n]]] < last) {
            columns[n] = begin_[candidates[places[begin + n]]];
            ++n;
        }
        kernels_.add_columns(matrix(), elimination.factor(), columns, n, work.data(), residuals,
                             is_bayesian_ ? pivots : nullptr);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t place = places[begin + i];
            scores[place] = at(its_line, {residuals[i], pivots[i]});
            bound(place, pivots[i]);
        }
        begin += n;
    }
    return true;
}

bool GaussianEngine::rough_additions(const Family &family, std::span<const Variable> candidates,
                                     std::span<double> scores, const Budget *budget) const {
    const std::size_t n_own_columns = n_columns(family.parents);
    const bool is_plain = begin_.back() == n_variables() && n_own_columns < most_rows_in_lanes;
    if (!is_plain) {
        return additions(family, candidates, scores, nullptr, budget);
    }
    if (is_over(budget)) {
        std::ranges::fill(scores, std::numeric_limits<double>::quiet_NaN());
        return false;
    }
    constexpr std::size_t most_at_once = 64;
    double residuals[most_at_once];
    double pivots[most_at_once] = {};
    const Line its_line = line(family.child, Numbers{family.parents.size() + 1, n_own_columns + 1});
    Elimination &elimination = prepared(family);
    while (elimination.n_done() < n_own_columns) {
        elimination.eliminate_next(matrix(), is_bayesian_);
    }
    thread_local std::vector<double, BlockAllocator<double>> work;
    work.resize(std::max(work.size(), gaussian_work(elimination.n_rows())));
    for (std::size_t begin = 0; begin < candidates.size(); begin += most_at_once) {
        const std::size_t n = std::min(most_at_once, candidates.size() - begin);
        kernels_.add_columns(matrix(), elimination.factor(), candidates.data() + begin, n, work.data(), residuals,
                             is_bayesian_ ? pivots : nullptr);
        for (std::size_t i = 0; i < n; ++i) {
            scores[begin + i] = at(its_line, {residuals[i], pivots[i]});
        }
    }
    return true;
}

void GaussianEngine::rough_removals(const Family &family, std::span<const std::size_t> chosen,
                                    std::span<double> scores) const {
    const std::size_t k = family.parents.size();
    if (chosen.empty()) {
        return;
    }
    if (begin_.back() != n_variables() || !std::ranges::is_sorted(family.parents)) {
        return removals(family, chosen, scores);
    }
    Elimination &elimination = prepared(family);
    while (elimination.n_done() < k) {
        elimination.eliminate_next(matrix(), is_bayesian_);
    }
    const GaussianFactor factor = elimination.factor();
    const std::size_t m = factor.n_rows;
    const double residual = elimination.next_pivot();
    const double floor = floors_[begin_[family.child]];
    const Line its_line = line(family.child, k - 1);
    thread_local std::vector<double> column; // of the inverse of the unit triangle
    column.resize(k);
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        const std::size_t i = chosen[c];
        column[i] = 1.0;
        double coefficient = factor.scaled[k * m + i];
        double inverse = factor.inverses[i];
        for (std::size_t a = i + 1; a < k; ++a) {
            double entry = 0.0;
            for (std::size_t b = i; b < a; ++b) {
                entry -= factor.scaled[a * m + b] * column[b];
            }
            column[a] = entry;
            coefficient += factor.scaled[k * m + a] * entry;
            inverse += entry * entry * factor.inverses[a];
        }
        const double without = inverse > 0.0 ? residual + coefficient * coefficient / inverse : residual;
        const double log_pivots = is_bayesian_ ? factor.log_pivots + log_of(std::max(inverse, 1e-300)) : 0.0;
        scores[c] = at(its_line, {log_of(std::max(without, floor)), log_pivots});
    }
}

void GaussianEngine::removals(const Family &family, std::span<const std::size_t> chosen,
                              std::span<double> scores) const {
    std::vector<std::size_t> order(chosen.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return family.parents[chosen[i]]; });
    thread_local Elimination rest;
    Elimination &whole = prepared(family);
    const std::size_t all_columns = n_columns(family.parents);
    for (const std::size_t i : order) {
        const Variable gone = family.parents[chosen[i]];
        while (whole.n_done() < whole.parents().size() && whole.parents()[whole.n_done()] < begin_[gone]) {
            whole.eliminate_next(matrix(), is_bayesian_);
        }
        rest.start_without(whole, whole.n_done(), width(gone));
        scores[i] = value(family.child, {family.parents.size() - 1, all_columns - width(gone)},
                          rest.finish(matrix(), is_bayesian_));
    }
}

double GaussianEngine::bound_of_supersets(Variable child, const Numbers &parents, double log_pivots,
                                          const Supersets &supersets) const noexcept {
    if (is_bayesian_) { // the parents that are there have the pivots that they have
        return supersets.most_likelihood - 0.5 * (log_pivots - static_cast<double>(parents.n_parents) * log_t_);
    }
    const double more =
        penalised_.gamma * (choices(std::max(parents.n_parents, supersets.most_parents)) - choices(parents.n_parents));
    return supersets.most_likelihood - penalty(child, parents) - std::min(0.0, more);
}

// No family with some of these parents has less, as it is computed: a little is taken off for rounding. A pivot that is
// rounding itself belongs to a column that depends on others; but one that is neither this nor enough to be used is
// used in some of the smaller families, and then nothing is known but the floor.
double GaussianEngine::least_log_residuals(const Family &family) const {
    constexpr double nothing = 1e-14;
    constexpr double slack = 1e-8;
    const GaussianMatrix columns = matrix();
    Elimination &elimination = prepared(family);
    const std::size_t n_parents = elimination.parents().size();
    bool is_known = true;
    double sum = 0.0;
    while (elimination.n_done() < elimination.n_rows()) {
        const std::size_t column = elimination.columns()[elimination.n_done()];
        const double pivot = elimination.next_pivot();
        const double diagonal = columns.diagonal[column];
        if (elimination.n_done() >= n_parents) {
            const double least = is_known ? pivot - slack * diagonal : 0.0;
            sum += log_of(std::max(least, columns.floors[column]));
        } else {
            is_known = is_known && (pivot <= nothing * diagonal || pivot > redundant_pivot * diagonal);
        }
        elimination.eliminate_next(columns, false);
    }
    return sum;
}

Supersets GaussianEngine::supersets(const Family &least, std::span<const Variable> candidates, std::size_t most_parents,
                                    const Budget &budget) const {
    std::vector<Variable> all(least.parents.begin(), least.parents.end());
    all.insert(all.end(), candidates.begin(), candidates.end());
    const std::size_t most = std::min(all.size(), most_parents);
    // The least logarithms that the child's pivots can have: those of their floors.
    double residuals = 0.0;
    for (std::uint32_t column = begin_[least.child]; column < begin_[least.child + 1]; ++column) {
        residuals += log_of(floors_[column]);
    }
    // A tenth of the time that is left, at most.
    constexpr double seconds_per_flop = 1e-9;
    const auto m = static_cast<double>(n_columns(all) + width(least.child));
    if (!budget.exhausted() && 10.0 * seconds_per_flop * m * m * m / 3.0 <= budget.seconds() - budget.elapsed()) {
        residuals = std::max(residuals, least_log_residuals({least.child, all}));
    }
    if (!is_bayesian_) {
        const double penalty_of_none = penalty(least.child, {0, 0});
        return {value(least.child, {0, 0}, {residuals, 0.0}) + penalty_of_none + rounding_, most};
    }
    double largest = -infinity;
    for (std::size_t k = least.parents.size(); k <= most; ++k) {
        largest = std::max(largest, value(least.child, {k, k}, {residuals, static_cast<double>(k) * log_t_}));
    }
    return {largest + rounding_, most};
}

} // namespace arcwise
