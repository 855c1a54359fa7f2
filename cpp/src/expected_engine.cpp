#include "arcwise/expected_engine.hpp"

#include "arcwise/count_table.hpp"
#include "arcwise/random.hpp"

#include "expected_counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace arcwise {

namespace {

// Keys of configurations have 47 bits; where there are more of these, keys are mixtures of bits that may coincide.
constexpr double most_keys = 0x1p46;

// A table for all cells is made up to this size.
std::size_t most_cells(std::size_t n_rows) { return std::min<std::size_t>(16 * n_rows + 4096, std::size_t{1} << 22); }

double cells_of(const GapTable &table, const Family &family) {
    double cells = static_cast<double>(table.arity(family.child));
    for (const Variable parent : family.parents) {
        cells *= static_cast<double>(table.arity(parent));
    }
    return cells;
}

// Of cells that are numbered: the first parent varies slowest, the child fastest, and one more slower than all.
FamilyStrides dense_strides(const GapTable &table, const Family &family) {
    FamilyStrides strides{1, std::vector<std::uint64_t>(family.parents.size()), 0};
    std::uint64_t stride = table.arity(family.child);
    for (std::size_t i = family.parents.size(); i-- > 0;) {
        strides.parents[i] = stride;
        stride *= table.arity(family.parents[i]);
    }
    strides.one_more = stride;
    return strides;
}

// Of SparseCounts.
FamilyStrides sparse_strides(const GapTable &table, const Family &family, Variable one_more) {
    FamilyStrides strides{1, std::vector<std::uint64_t>(family.parents.size()), 0};
    const bool has_keys = cells_of(table, family) * static_cast<double>(table.arity(one_more)) <= most_keys;
    std::uint64_t stride = 1;
    const auto next = [&](Variable v) {
        const std::uint64_t here = (has_keys ? stride : mixed(v) | 1U) << SparseCounts::bits_of_child;
        stride *= table.arity(v);
        return here;
    };
    std::ranges::transform(family.parents, strides.parents.begin(), next);
    strides.one_more = next(one_more);
    return strides;
}

// As for counts that are whole numbers (score_terms.cpp).
double finest_unit(double n) {
    constexpr double of_extremes = 1500.0;
    return std::exp2(std::ceil(std::log2((n + 1.0) * (std::log(n + 1.0) + of_extremes)) - 62.0));
}

double gamma_ratio(double n, double alpha) { return log_gamma(n + alpha) - log_gamma(alpha); }

} // namespace

bool ExpectedEngine::takes(ScoreKind kind) noexcept {
    return kind != ScoreKind::bds && kind != ScoreKind::fnml; // which look at what occurs, or at whole numbers
}

ExpectedEngine::ExpectedEngine(std::shared_ptr<const GapPosteriors> posteriors, ScoreKind kind, double parameter)
    : posteriors_(std::move(posteriors)), kind_(kind), parameter_(parameter),
      score_(kind, parameter, table().n_observations(), table().n_variables()),
      is_likelihood_(kind != ScoreKind::bdeu && kind != ScoreKind::k2),
      nats_per_unit_(finest_unit(static_cast<double>(table().n_observations()))) {
    if (!takes(kind)) {
        throw std::invalid_argument("the score is not one for expected counts");
    }
    if (!posteriors_->is_complete()) {
        throw std::invalid_argument("the posteriors of the gaps are not complete");
    }
    const auto n = static_cast<double>(table().n_observations());
    rounding_ = 1e-12 * n * std::log(n + 1.0);
}

double ExpectedEngine::seconds_per_addition(std::size_t n_parents) const noexcept {
    const auto n_rows = static_cast<double>(table().n_rows());
    const double gaps = static_cast<double>(table().n_gaps()) / std::max(1.0, static_cast<double>(n_variables()));
    return 1e-9 * (n_rows + 20.0 * std::min(n_rows, gaps * static_cast<double>(n_parents + 2)));
}

FamilyShape ExpectedEngine::shape(const Family &family) const {
    static constexpr double enough = 1e300;
    std::vector<double> arities;
    for (const Variable parent : family.parents) {
        arities.push_back(static_cast<double>(table().arity(parent)));
    }
    std::ranges::sort(arities); // the same product in whatever order they come
    const double q = std::accumulate(arities.begin(), arities.end(), 1.0,
                                     [](double product, double arity) { return std::min(product * arity, enough); });
    return {static_cast<double>(table().arity(family.child)), q, family.parents.size()};
}

std::int64_t ExpectedEngine::units_of(std::span<const double> counts, double alpha_jk, double alpha_j) const {
    const auto units = [&](double nats) { return static_cast<std::int64_t>(std::llround(nats / nats_per_unit_)); };
    std::int64_t sum = 0;
    double n_j = 0.0;
    for (const double n_jk : counts) {
        if (n_jk > 0.0) {
            n_j += n_jk;
            sum += units(is_likelihood_ ? entropy(n_jk) : gamma_ratio(n_jk, alpha_jk));
        }
    }
    return n_j > 0.0 ? sum - units(is_likelihood_ ? entropy(n_j) : gamma_ratio(n_j, alpha_j)) : 0;
}

template <class Rows> double ExpectedEngine::score_of(const FamilyShape &shape, const Rows &for_each_row) const {
    const double alpha_jk = kind_ == ScoreKind::k2 ? 1.0 : parameter_ / (shape.q * shape.r);
    const double alpha_j = kind_ == ScoreKind::k2 ? shape.r : parameter_ / shape.q;
    std::int64_t sum = 0;
    for_each_row([&](std::span<const double> counts) { sum += units_of(counts, alpha_jk, alpha_j); });
    const double constant = is_likelihood_ ? -score_.penalty(shape) : 0.0;
    return constant + static_cast<double>(sum) * nats_per_unit_;
}

namespace {

// Calls use(counts) for the rows of r counts.
auto rows_of(std::span<const double> counts, std::size_t r) {
    return [counts, r](const auto &use) {
        for (std::size_t begin = 0; begin < counts.size(); begin += r) {
            use(counts.subspan(begin, r));
        }
    };
}

} // namespace

double ExpectedEngine::score(const Family &family) const {
    const FamilyShape whole = shape(family);
    const std::size_t r = table().arity(family.child);
    if (cells_of(table(), family) <= static_cast<double>(most_cells(table().n_rows()))) {
        const std::vector<double> counts = expected_counts(*posteriors_, family, most_cells(table().n_rows()));
        return score_of(whole, rows_of(counts, r));
    }
    const Family rest{family.child, family.parents.subspan(1)};
    SparseCounts counts(r);
    FamilyRows(*posteriors_, rest, sparse_strides(table(), rest, family.parents.front()))
        .count_with(family.parents.front(), [&](std::uint64_t cell, double count) { counts.add(cell, count); });
    return score_of(whole, rows_of(counts.counts(), r));
}

bool ExpectedEngine::additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                               const Bounds *bounds, const Budget *budget) const {
    std::ranges::fill(scores, std::numeric_limits<double>::quiet_NaN());
    const std::size_t r = table().arity(family.child);
    const double cells = cells_of(table(), family);
    const auto most = static_cast<double>(most_cells(table().n_rows()));
    std::unique_ptr<const FamilyRows> rows;
    thread_local std::vector<double> counts;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (budget != nullptr && budget->exhausted()) {
            return false;
        }
        const std::size_t arity = table().arity(candidates[i]);
        const std::vector<Variable> parents = with_one_more(family.parents, candidates[i]);
        const Family more{family.child, parents};
        if (cells * static_cast<double>(arity) > most) {
            scores[i] = score(more);
        } else {
            if (rows == nullptr) {
                rows = std::make_unique<const FamilyRows>(*posteriors_, family, dense_strides(table(), family));
            }
            counts.assign(static_cast<std::size_t>(cells) * arity, 0.0);
            rows->count_with(candidates[i], [](std::uint64_t cell, double count) { counts[cell] += count; });
            scores[i] = score_of(shape(more), rows_of(counts, r));
        }
        if (bounds != nullptr) { // that of Dirichlet scores is about whole numbers
            bounds->values[i] = is_likelihood_ ? score_.superset_bound(shape(more), {}, bounds->supersets) : infinity;
        }
    }
    return true;
}

Supersets ExpectedEngine::supersets(const Family &least, std::span<const Variable> candidates, std::size_t most_parents,
                                    const Budget & /*budget*/) const {
    return {0.0, std::min(least.parents.size() + candidates.size(), most_parents)};
}

std::vector<double> expected_counts(const GapPosteriors &posteriors, const Family &family, std::size_t most_cells) {
    const GapTable &table = posteriors.table();
    const double cells = cells_of(table, family);
    if (cells > static_cast<double>(most_cells)) {
        throw std::length_error("the table of a family would have more than " + std::to_string(most_cells) + " cells");
    }
    std::vector<double> counts(static_cast<std::size_t>(cells), 0.0);
    const auto add = [&](std::uint64_t cell, double count) { counts[cell] += count; };
    if (family.parents.empty()) {
        FamilyRows(posteriors, family, dense_strides(table, family)).count(add);
    } else {
        const Family rest{family.child, family.parents.subspan(1)};
        FamilyRows(posteriors, rest, dense_strides(table, rest)).count_with(family.parents.front(), add);
    }
    return counts;
}

} // namespace arcwise
