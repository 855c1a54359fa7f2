#include "arcwise/counting_engine.hpp"

#include "arcwise/tail_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace arcwise {

namespace {

double rounding_of(std::size_t n_observations) {
    const auto n = static_cast<double>(n_observations);
    return 1e-12 * n * std::log(n + 1.0);
}

} // namespace

CountingEngine::CountingEngine(TableView table, ScoreKind kind, double parameter, const BitKernels &kernels)
    : counter_(std::move(table), kernels),
      score_(std::make_shared<const Score>(kind, parameter, counter_.n_observations(), counter_.table().n_variables())),
      rounding_(rounding_of(counter_.n_observations())) {}

CountingEngine::CountingEngine(TableView table, const Penalties &penalties, const BitKernels &kernels)
    : counter_(std::move(table), kernels), score_(std::make_shared<const Score>(penalties, counter_.n_observations())),
      rounding_(rounding_of(counter_.n_observations())) {}

CountingEngine::CountingEngine(MergedRows rows, const CountingEngine &whole)
    : own_rows_(std::move(rows)), counter_(own_rows_->view, whole.counter_.kernels()), score_(whole.score_),
      rounding_(whole.rounding_) {}

std::unique_ptr<const ScoreEngine> CountingEngine::restricted(std::span<const Variable> variables) const {
    std::optional<MergedRows> merged = merge_rows(counter_.table(), variables, 2 * counter_.table().n_rows / 3);
    return merged ? std::make_unique<const CountingEngine>(std::move(*merged), *this) : nullptr;
}

double CountingEngine::seconds_per_addition(std::size_t n_parents) const noexcept {
    constexpr double of_score = 50e-9; // for the terms of a few cells
    return of_score + counter_.seconds_per_addition(n_parents);
}

double CountingEngine::configurations(std::span<const Variable> parents, std::size_t states_of_one_more) const {
    return arcwise::configurations(counter_.table().arities, parents, states_of_one_more);
}

FamilyShape CountingEngine::shape(const Family &family) const {
    return {static_cast<double>(counter_.arity(family.child)), configurations(family.parents), family.parents.size()};
}

FamilyShape CountingEngine::shape_with(const Family &family, std::size_t states_of_one_more) const {
    return {static_cast<double>(counter_.arity(family.child)), configurations(family.parents, states_of_one_more),
            family.parents.size() + 1};
}

namespace {

// Rows of r counts that are not all zero.
std::size_t count_rows(std::span<const std::uint32_t> counts, std::size_t r) {
    std::size_t rows = 0;
    for (std::size_t row = 0; row < counts.size(); row += r) {
        const auto states = counts.subspan(row, r);
        rows += std::any_of(states.begin(), states.end(), [](std::uint32_t n) { return n > 0; });
    }
    return rows;
}

} // namespace

double CountingEngine::score(const Family &family) const {
    thread_local FamilyTable table;
    if (counter_.tabulate(family.child, family.parents, table)) {
        return score_->of_counts(table.counts, table.r, shape(family));
    }
    return score_of_sorted_rows(family);
}

double CountingEngine::score_of_sorted_rows(const Family &family) const {
    std::vector<std::uint32_t> cells;
    std::vector<std::uint32_t> rows;
    counter_.visit_cells(
        family.child, family.parents, [&](std::uint32_t n_jk) { cells.push_back(n_jk); },
        [&](std::uint32_t n_j) { rows.push_back(n_j); });
    const auto observed = std::count_if(rows.begin(), rows.end(), [](std::uint32_t n_j) { return n_j > 0; });
    const ScoreTerms terms = score_->terms(shape(family), static_cast<std::size_t>(observed));
    const std::uint32_t largest = rows.empty() ? 0 : *std::max_element(rows.begin(), rows.end()); // no row may count
    const ScoreTable::Values cell = terms.cell->up_to(largest);
    const ScoreTable::Values row = terms.row->up_to(largest);
    std::uint64_t sum = 0; // may go beyond 64 bits on the way, and comes back
    for (const std::uint32_t n_jk : cells) {
        sum += static_cast<std::uint64_t>(cell(n_jk));
    }
    for (const std::uint32_t n_j : rows) {
        sum += static_cast<std::uint64_t>(row(n_j));
    }
    return terms.constant + score_->nats(static_cast<std::int64_t>(sum));
}

bool CountingEngine::additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                               const Bounds *bounds, const Budget *budget) const {
    const std::size_t r = counter_.arity(family.child);
    std::ranges::fill(scores, std::numeric_limits<double>::quiet_NaN());
    // The terms depend on the candidate only through its arity, of which there are few.
    std::vector<std::pair<std::size_t, ScoreTerms>> terms_of_arity;
    const auto terms = [&](std::size_t arity) -> const ScoreTerms & {
        for (const auto &[known, its_terms] : terms_of_arity) {
            if (known == arity) {
                return its_terms;
            }
        }
        return terms_of_arity.emplace_back(arity, score_->terms(shape_with(family, arity), 0)).second;
    };
    const auto bound = [&](std::size_t i, const Observed &observed) {
        if (bounds != nullptr) {
            if (!bounds->observed.empty()) {
                bounds->observed[i] = observed;
            }
            const FamilyShape more = shape_with(family, counter_.arity(candidates[i]));
            bounds->values[i] = score_->superset_bound(more, observed, bounds->supersets);
        }
    };
    const auto use = [&](std::size_t i, std::span<const std::uint32_t> counts, std::uint32_t largest) {
        const std::size_t arity = counter_.arity(candidates[i]);
        scores[i] = score_->needs_observed_configurations()
                        ? score_->of_counts(counts, r, shape_with(family, arity))
                        : terms(arity).constant + score_->nats(sum_of_terms(counts, r, largest, terms(arity)));
        if (bounds != nullptr && score_->bound_needs_counts()) {
            const auto cells = std::count_if(counts.begin(), counts.end(), [](auto n) { return n > 0; });
            bound(i, {count_rows(counts, r), static_cast<std::size_t>(cells)});
        } else {
            bound(i, nothing_counted);
        }
    };
    const auto misfit = [&](std::size_t i) {
        scores[i] = score({family.child, with_one_more(family.parents, candidates[i])});
        bound(i, nothing_counted); // a weak bound is still a bound
    };
    return counter_.count({family.child, family.parents, candidates, use, misfit, budget});
}

Supersets CountingEngine::supersets(const Family &least, std::span<const Variable> candidates, std::size_t most_parents,
                                    const Budget &budget) const {
    std::vector<Variable> all(least.parents.begin(), least.parents.end());
    all.insert(all.end(), candidates.begin(), candidates.end());
    Supersets known{0.0, std::min(all.size(), most_parents)}; // no likelihood is above 0
    // A tenth of the time that is left, at most.
    constexpr double seconds_per_code = 2e-9;
    const double codes = static_cast<double>(counter_.table().n_rows) * static_cast<double>(all.size());
    if (!budget.exhausted() && 10 * seconds_per_code * codes <= budget.seconds() - budget.elapsed()) {
        known.most_likelihood = log_likelihood({least.child, all});
    }
    return known;
}

bool CountingEngine::fill(std::span<std::int64_t> values, Budget &budget) const {
    return fill_joint_lattice(counter_, *score_, values, budget);
}

double CountingEngine::log_likelihood(const Family &family) const {
    const ScoreTable::Values term = score_->entropy().up_to(1); // above, the same value is computed each time
    std::int64_t sum = 0;
    counter_.visit_cells(
        family.child, family.parents, [&](std::uint32_t n_jk) { sum += term(n_jk); },
        [&](std::uint32_t n_j) { sum -= term(n_j); });
    return score_->nats(sum);
}

bool CountingEngine::tails(const Family &family, std::span<const Variable> candidates, const Supersets &known,
                           std::span<Supersets> tails) const {
    thread_local TailRows rows;
    rows.begin(counter_, family.child, family.parents);
    for (std::size_t i = candidates.size(); i-- > 0;) {
        rows.split(candidates[i]);
        tails[i] = known;
        tails[i].most_likelihood = std::min(known.most_likelihood, score_->nats(rows.likelihood(score_->entropy())));
        if (score_->bound_needs_counts()) {
            tails[i].least_mixed = std::max(known.least_mixed, rows.n_mixed());
        }
    }
    return true;
}

void CountingEngine::removals(const Family &family, std::span<const std::size_t> chosen,
                              std::span<double> scores) const {
    const std::span<const Variable> parents = family.parents;
    thread_local FamilyTable table;
    const bool one_table = counter_.tabulate(family.child, parents, table) && table.is_complete;
    const FamilyShape whole = shape(family);
    std::vector<std::uint32_t> rest;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const std::size_t i = chosen[k];
        const std::size_t states = counter_.arity(parents[i]);
        if (one_table && !counter_.has_gaps(parents[i])) { // sums over the states of parent i
            const double after = configurations(parents.subspan(i + 1)) * static_cast<double>(table.r);
            const auto inner = static_cast<std::size_t>(after);
            const std::size_t outer = table.counts.size() / (states * inner);
            rest.assign(outer * inner, 0);
            const std::uint32_t *count = table.counts.data();
            for (std::size_t o = 0; o < outer; ++o) {
                for (std::size_t state = 0; state < states; ++state) {
                    for (std::size_t t = 0; t < inner; ++t) {
                        rest[o * inner + t] += *count++;
                    }
                }
            }
            scores[k] =
                score_->of_counts(rest, table.r, {whole.r, whole.q / static_cast<double>(states), whole.n_parents - 1});
        } else {
            scores[k] = score({family.child, without_one(parents, i)});
        }
    }
}

} // namespace arcwise
