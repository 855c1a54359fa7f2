#include "arcwise/pairwise_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace arcwise {

PairwiseEngine::PairwiseEngine(TableView table, const Penalties &penalties, double for_missing,
                               const BitKernels &kernels)
    : counter_(std::move(table), kernels), score_(penalties, counter_.n_observations()) {
    const auto n = static_cast<double>(counter_.n_observations());
    rounding_ = 1e-12 * n * std::log(n + 1.0);
    if (!std::isfinite(for_missing) || for_missing < 0.0) {
        throw std::invalid_argument("the price of what is missing must be finite and not negative");
    }
    for (Variable child = 0; child < n_variables(); ++child) {
        averaging_.push_back(averaging_of(child, for_missing));
    }
}

Averaging PairwiseEngine::averaging_of(Variable child, double for_missing) const {
    const TableView &table = counter_.table();
    std::uint64_t whole = 0;
    for_each_row(table.masks == nullptr ? nullptr : table.masks->unforced(child), table.n_rows,
                 [&](std::size_t row) { whole += table.weights.empty() ? 1 : table.weights[row]; });
    Averaging averaging{static_cast<double>(std::max<std::uint64_t>(1, whole)), 0.0, for_missing, whole};
    FamilyTable counted;
    if (counter_.tabulate(child, {}, std::numeric_limits<std::size_t>::max(), counted)) {
        const Sums sums = sums_of(counted.counts, counted.r);
        averaging.own = averaging.factor(sums.n) * score_.nats(sums.own);
    }
    return averaging;
}

double PairwiseEngine::seconds_per_addition(std::size_t n_parents) const noexcept {
    constexpr double of_score = 60e-9; // for the terms of a few cells
    return of_score + counter_.seconds_per_addition(n_parents);
}

FamilyShape PairwiseEngine::shape(const Family &family) const {
    static constexpr double enough = 1e300; // a thousand binary parents: keeps q r and its inverse finite
    std::vector<std::size_t> arities;
    for (const Variable parent : family.parents) {
        arities.push_back(counter_.arity(parent));
    }
    std::ranges::sort(arities); // so that the product is rounded in one way
    const double q = std::accumulate(arities.begin(), arities.end(), 1.0, [](double product, std::size_t arity) {
        return std::min(product * static_cast<double>(arity), enough);
    });
    return {static_cast<double>(counter_.arity(family.child)), q, family.parents.size()};
}

PairwiseEngine::Sums PairwiseEngine::sums_of(std::span<const std::uint32_t> counts, std::size_t r) const {
    thread_local std::vector<std::uint32_t> margin;
    margin.assign(r, 0);
    std::uint32_t largest = 0;
    Sums sums;
    for (std::size_t row = 0; row < counts.size(); row += r) {
        std::uint32_t n_j = 0;
        for (std::size_t k = 0; k < r; ++k) {
            margin[k] += counts[row + k];
            n_j += counts[row + k];
        }
        largest = std::max(largest, n_j);
        sums.n += n_j;
    }
    const FamilyShape any{static_cast<double>(r), 1.0, 0};
    const ScoreTerms terms = score_.terms(any, 0);
    sums.likelihood = sum_of_terms(counts, r, largest, terms);
    sums.own = sum_of_terms(margin, r, static_cast<std::uint32_t>(sums.n), terms);
    return sums;
}

PairwiseEngine::Sums PairwiseEngine::sums_of_sorted_rows(const Family &family) const {
    const ScoreTerms terms = score_.terms(shape({family.child, {}}), 0);
    const ScoreTable::Values cell = terms.cell->up_to(1); // above, the same value is computed each time
    const ScoreTable::Values row = terms.row->up_to(1);
    std::uint64_t likelihood = 0; // may go beyond 64 bits on the way, and comes back
    counter_.visit_cells(
        family.child, family.parents, [&](std::uint32_t n_jk) { likelihood += static_cast<std::uint64_t>(cell(n_jk)); },
        [&](std::uint32_t n_j) { likelihood += static_cast<std::uint64_t>(row(n_j)); });
    const TableView &table = counter_.table();
    std::vector<std::uint32_t> margin(counter_.arity(family.child), 0);
    BitBlocks buffer;
    table.with_column(family.child, [&](const auto *codes) {
        for_each_row(counter_.rows_of_family(family.child, family.parents, buffer), table.n_rows,
                     [&](std::size_t i) { margin[codes[i]] += table.weights.empty() ? 1 : table.weights[i]; });
    });
    Sums sums = sums_of(margin, margin.size());
    sums.likelihood = static_cast<std::int64_t>(likelihood);
    return sums;
}

double PairwiseEngine::score_of(Variable child, const FamilyShape &shape, const Sums &sums) const {
    const Averaging &averaging = averaging_[child];
    const double penalty = score_.penalty(shape);
    if (sums.n == averaging.whole) {
        return -penalty + score_.nats(sums.likelihood);
    }
    return averaging.score(sums.n, score_.nats(sums.likelihood - sums.own), penalty, shape.q * (shape.r - 1.0));
}

double PairwiseEngine::score(const Family &family) const {
    thread_local FamilyTable table;
    const Sums sums = counter_.tabulate(family.child, family.parents, table) ? sums_of(table.counts, table.r)
                                                                             : sums_of_sorted_rows(family);
    return score_of(family.child, shape(family), sums);
}

bool PairwiseEngine::additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                               const Bounds *bounds, const Budget *budget) const {
    const std::size_t r = counter_.arity(family.child);
    const Averaging &averaging = averaging_[family.child];
    std::ranges::fill(scores, std::numeric_limits<double>::quiet_NaN());
    const auto bound = [&](std::size_t i, const FamilyShape &more, std::uint64_t n) {
        if (bounds != nullptr) { // larger families have no more rows, and no fewer parameters
            const double penalty = score_.least_penalty(more, bounds->supersets.most_parents);
            bounds->values[i] = bounds->supersets.most_likelihood -
                                averaging.price(std::min(n, averaging.whole), penalty, more.q * (more.r - 1.0));
        }
    };
    const auto shape_with = [&](std::size_t i) {
        return shape({family.child, with_one_more(family.parents, candidates[i])});
    };
    const auto use = [&](std::size_t i, std::span<const std::uint32_t> counts, std::uint32_t) {
        const FamilyShape more = shape_with(i);
        const Sums sums = sums_of(counts, r);
        scores[i] = score_of(family.child, more, sums);
        bound(i, more, sums.n);
    };
    const auto misfit = [&](std::size_t i) {
        scores[i] = score({family.child, with_one_more(family.parents, candidates[i])});
        bound(i, shape_with(i), averaging.whole); // not counted: a weak bound is still a bound
    };
    return counter_.count({family.child, family.parents, candidates, use, misfit, budget});
}

Supersets PairwiseEngine::supersets(const Family &least, std::span<const Variable> candidates, std::size_t most_parents,
                                    const Budget & /*budget*/) const {
    const Averaging &averaging = averaging_[least.child];
    const double most_gained = averaging.total * std::log(static_cast<double>(counter_.arity(least.child)));
    return {averaging.own + most_gained + rounding_, std::min(least.parents.size() + candidates.size(), most_parents)};
}

} // namespace arcwise
