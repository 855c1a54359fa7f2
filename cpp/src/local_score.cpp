#include "arcwise/local_score.hpp"

#include "arcwise/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace arcwise {

LocalScore::LocalScore(TableView table, ScoreKind kind, double parameter, const BitKernels &kernels,
                       std::size_t cache_bytes)
    : counter_(std::move(table), kernels),
      score_(kind, parameter, counter_.n_observations(), counter_.table().n_variables()),
      rounding_(1e-12 * static_cast<double>(counter_.n_observations()) *
                std::log(static_cast<double>(counter_.n_observations()) + 1.0)),
      cache_(counter_.table().n_variables(), cache_bytes) {}

namespace {

// Products up to here are not rounded, in whatever order they are made.
constexpr double most_exact = 0x1p53;

} // namespace

double LocalScore::configurations(std::span<const Variable> parents, std::size_t states_of_one_more) const {
    static constexpr double enough = 1e300; // a thousand binary parents: keeps q r and its inverse finite
    auto q = static_cast<double>(states_of_one_more);
    for (const Variable parent : parents) {
        q *= static_cast<double>(counter_.arity(parent));
    }
    if (q <= most_exact) {
        return q;
    }
    std::vector<std::size_t> arities{states_of_one_more};
    for (const Variable parent : parents) {
        arities.push_back(counter_.arity(parent));
    }
    std::sort(arities.begin(), arities.end());
    return std::accumulate(arities.begin(), arities.end(), 1.0, [](double product, std::size_t arity) {
        return std::min(product * static_cast<double>(arity), enough);
    });
}

FamilyShape LocalScore::shape(Variable child, std::span<const Variable> parents) const {
    return {static_cast<double>(counter_.arity(child)), configurations(parents), parents.size()};
}

FamilyShape LocalScore::shape_with(Variable child, std::span<const Variable> parents,
                                   std::size_t states_of_one_more) const {
    return {static_cast<double>(counter_.arity(child)), configurations(parents, states_of_one_more),
            parents.size() + 1};
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

double LocalScore::score_of(std::span<const std::uint32_t> counts, std::size_t r, const FamilyShape &shape) const {
    std::size_t q_observed = 0;
    std::uint32_t largest = 0;
    for (std::size_t row = 0; row < counts.size(); row += r) {
        const auto states = counts.subspan(row, r);
        const std::uint32_t n_j = std::accumulate(states.begin(), states.end(), std::uint32_t{0});
        q_observed += n_j > 0;
        largest = std::max(largest, n_j);
    }
    const ScoreTerms terms = score_.terms(shape, q_observed);
    return terms.constant + score_.nats(sum_of_terms(counts, r, largest, terms));
}

void LocalScore::charge(std::uint64_t evaluations, Budget *budget) const noexcept {
    evaluations_.fetch_add(evaluations, std::memory_order_relaxed);
    if (budget != nullptr) {
        budget->charge(evaluations);
    }
}

double LocalScore::recounted(Variable child, std::span<const Variable> parents) const {
    const FamilyShape its_shape = shape(child, parents);
    thread_local FamilyTable table;
    if (counter_.tabulate(child, parents, table)) {
        return score_of(table.counts, table.r, its_shape);
    }
    return score_of_sorted_rows(child, parents, its_shape);
}

double LocalScore::score_of_sorted_rows(Variable child, std::span<const Variable> parents,
                                        const FamilyShape &shape) const {
    std::vector<std::uint32_t> cells;
    std::vector<std::uint32_t> rows;
    counter_.visit_cells(
        child, parents, [&](std::uint32_t n_jk) { cells.push_back(n_jk); },
        [&](std::uint32_t n_j) { rows.push_back(n_j); });
    const auto observed = std::count_if(rows.begin(), rows.end(), [](std::uint32_t n_j) { return n_j > 0; });
    const ScoreTerms terms = score_.terms(shape, static_cast<std::size_t>(observed));
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
    return terms.constant + score_.nats(static_cast<std::int64_t>(sum));
}

double LocalScore::local(Variable child, std::span<const Variable> parents, Budget *budget) const {
    const SetKey key = cache_.keys().of(parents);
    if (const auto known = cache_.lock(child).find(key)) {
        cache_hits_.fetch_add(1, std::memory_order_relaxed);
        ARCWISE_ASSERT(*known == recounted(child, parents)); // to the last bit, whoever counted it and how
        return *known;
    }
    const double score = counted(child, parents, budget);
    cache_.lock(child).insert(key, score);
    return score;
}

double LocalScore::counted(Variable child, std::span<const Variable> parents, Budget *budget) const {
    charge(1, budget);
    return recounted(child, parents);
}

bool LocalScore::additions(Variable child, std::span<const Variable> parents, std::span<const Variable> candidates,
                           std::span<double> scores, Budget *budget) const {
    const SetKey base = cache_.keys().of(parents);
    const auto key = [&](Variable candidate) { return base ^ cache_.keys().member(candidate); };
    std::vector<std::size_t> missing;
    std::vector<Variable> to_count;
    {
        const auto shard = cache_.lock(child);
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const auto known = shard.find(key(candidates[i]));
            scores[i] = known.value_or(std::numeric_limits<double>::quiet_NaN());
            if (!known) {
                missing.push_back(i);
                to_count.push_back(candidates[i]);
            }
        }
    }
    cache_hits_.fetch_add(candidates.size() - missing.size(), std::memory_order_relaxed);
    std::vector<double> counted(missing.size());
    const bool complete = count_additions(child, parents, to_count, counted, {}, {}, budget);
    auto shard = cache_.lock(child);
    for (std::size_t i = 0; i < missing.size(); ++i) {
        scores[missing[i]] = counted[i];
        if (!std::isnan(counted[i])) {
            shard.insert(key(to_count[i]), counted[i]);
        }
    }
    return complete;
}

bool LocalScore::count_additions(Variable child, std::span<const Variable> parents,
                                 std::span<const Variable> candidates, std::span<double> scores,
                                 std::span<double> bounds, const Supersets &supersets, Budget *budget) const {
    const std::size_t r = counter_.arity(child);
    std::fill(scores.begin(), scores.end(), std::numeric_limits<double>::quiet_NaN());
    const auto with = [&](Variable candidate) {
        std::vector<Variable> more(parents.begin(), parents.end());
        more.push_back(candidate);
        return more;
    };
    // The terms depend on the candidate only through its arity, of which there are few.
    std::vector<std::pair<std::size_t, ScoreTerms>> terms_of_arity;
    const auto terms = [&](std::size_t arity) -> const ScoreTerms & {
        for (const auto &[known, its_terms] : terms_of_arity) {
            if (known == arity) {
                return its_terms;
            }
        }
        return terms_of_arity.emplace_back(arity, score_.terms(shape_with(child, parents, arity), 0)).second;
    };
    const auto bound = [&](std::size_t i, const Observed &observed) {
        if (!bounds.empty()) {
            const FamilyShape more = shape_with(child, parents, counter_.arity(candidates[i]));
            bounds[i] = score_.superset_bound(more, observed, supersets);
        }
    };
    std::uint64_t counted = 0;
    const auto use = [&](std::size_t i, std::span<const std::uint32_t> counts, std::uint32_t largest) {
        const std::size_t arity = counter_.arity(candidates[i]);
        scores[i] = score_.needs_observed_configurations()
                        ? score_of(counts, r, shape_with(child, parents, arity))
                        : terms(arity).constant + score_.nats(sum_of_terms(counts, r, largest, terms(arity)));
        if (!bounds.empty() && score_.bound_needs_counts()) {
            const auto cells = std::count_if(counts.begin(), counts.end(), [](auto n) { return n > 0; });
            bound(i, {count_rows(counts, r), static_cast<std::size_t>(cells)});
        } else {
            bound(i, {});
        }
        ++counted;
    };
    const auto misfit = [&](std::size_t i) {
        scores[i] = recounted(child, with(candidates[i]));
        bound(i, {1, 1}); // not counted: a weak bound is still a bound
        ++counted;
    };
    const bool complete = counter_.count({child, parents, candidates, use, misfit, budget});
    charge(counted, budget);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        ARCWISE_ASSERT(std::isnan(scores[i]) || scores[i] == recounted(child, with(candidates[i])));
    }
    return complete;
}

double LocalScore::log_likelihood(Variable child, std::span<const Variable> parents) const {
    const Score likelihood(ScoreKind::loglik, 1.0, counter_.n_observations(), n_variables());
    const ScoreTerms terms = likelihood.terms(shape(child, parents), 0);
    const ScoreTable::Values cell = terms.cell->up_to(1); // above, the same value is computed each time
    const ScoreTable::Values row = terms.row->up_to(1);
    std::int64_t sum = 0;
    counter_.visit_cells(
        child, parents, [&](std::uint32_t n_jk) { sum += cell(n_jk); }, [&](std::uint32_t n_j) { sum += row(n_j); });
    return likelihood.nats(sum);
}

void LocalScore::removals(Variable child, std::span<const Variable> parents, std::span<double> scores,
                          Budget *budget) const {
    const SetKey base = cache_.keys().of(parents);
    const auto key = [&](std::size_t i) { return base ^ cache_.keys().member(parents[i]); };
    std::vector<std::size_t> missing;
    {
        const auto shard = cache_.lock(child);
        for (std::size_t i = 0; i < parents.size(); ++i) {
            const auto known = shard.find(key(i));
            scores[i] = known.value_or(0.0);
            if (!known) {
                missing.push_back(i);
            }
        }
    }
    cache_hits_.fetch_add(parents.size() - missing.size(), std::memory_order_relaxed);
    if (missing.empty()) {
        return;
    }
    thread_local FamilyTable table;
    const bool one_table = counter_.tabulate(child, parents, table) && table.is_complete;
    const FamilyShape whole = shape(child, parents);
    const std::vector<Variable> all(parents.begin(), parents.end());
    std::vector<std::uint32_t> rest;
    for (const std::size_t i : missing) {
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
            scores[i] = score_of(rest, table.r, {whole.r, whole.q / static_cast<double>(states), whole.n_parents - 1});
        } else {
            std::vector<Variable> fewer = all;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            scores[i] = recounted(child, fewer);
        }
    }
    charge(missing.size(), budget);
    auto shard = cache_.lock(child);
    for (const std::size_t i : missing) {
        shard.insert(key(i), scores[i]);
    }
}

} // namespace arcwise
