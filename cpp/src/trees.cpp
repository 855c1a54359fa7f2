#include "arcwise/trees.hpp"

#include "arcwise/check.hpp"
#include "arcwise/pair_counter.hpp"
#include "arcwise/random.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace arcwise {

TreeSearch::TreeSearch(const LocalScore &score, ScoreKind kind, double parameter, std::size_t max_bytes)
    : score_(score), by_(kind, parameter, score.counter().n_observations(), score.n_variables()),
      rows_(score.counter().table(), score.counter().kernels(), max_bytes) {
    if (!by_.is_difference()) {
        throw std::invalid_argument("this score tells equivalent trees apart");
    }
    if (score.counter().table().masks != nullptr) {
        throw std::invalid_argument("pairs are counted over all rows");
    }
    const std::vector<std::uint32_t> &arities = rows_.table().arities;
    std::vector<std::uint32_t> occurring = arities;
    std::sort(occurring.begin(), occurring.end());
    occurring.erase(std::unique(occurring.begin(), occurring.end()), occurring.end());
    for (const std::uint32_t arity : arities) {
        const auto place = std::lower_bound(occurring.begin(), occurring.end(), arity) - occurring.begin();
        arity_place_.push_back(static_cast<std::size_t>(place));
    }
    // Every replica has as many observations as the table.
    const auto most = static_cast<std::uint32_t>(by_.n_observations());
    const double nothing = by_.nats(by_.set_terms(1.0).up_to(most)(most));
    for (const double r : occurring) {
        single_terms_.push_back(by_.set_terms(r).up_to(most));
        for (const double q : occurring) {
            const double constant = nothing - by_.penalty({r, q, 1}) + by_.penalty({r, 1.0, 0});
            pair_terms_.push_back({by_.set_terms(r * q).up_to(most), constant});
        }
    }
}

// One weighting of the rows, and the best forest of the pairs that were looked at.
class TreeSearch::Sweep {
  public:
    Sweep(const TreeSearch &search, std::span<const std::uint32_t> weights, Budget &budget)
        : search_(search), rows_(search.rows_), budget_(budget), counter_(rows_, weights, budget),
          forest_(search.n_variables(), search.score_.rounding()) {
        if (counter_.is_complete()) {
            for (Variable v = 0; v < search_.n_variables(); ++v) {
                alone_.push_back(sum(search_.single_terms_[search_.arity_place_[v]], counter_.margin(v)));
                in_first_.push_back(counter_.margin(v)[0]);
            }
        }
    }

    [[nodiscard]] TreeResult all_pairs() {
        const bool is_complete = counter_.is_complete() && packed_pairs() && other_pairs();
        return {rooted(search_.n_variables(), forest_.settle()), is_complete};
    }

    // Pairs are sorted, and differ.
    [[nodiscard]] TreeResult some_pairs(std::span<const VariablePair> pairs) {
        bool is_complete = counter_.is_complete();
        for (std::size_t begin = 0; is_complete && begin < pairs.size();) {
            std::size_t end = begin;
            while (end < pairs.size() && pairs[end].first == pairs[begin].first) {
                ++end;
            }
            is_complete = !budget_.exhausted() && pairs_of_one(pairs.subspan(begin, end - begin));
            begin = end;
        }
        return {rooted(search_.n_variables(), forest_.settle()), is_complete};
    }

    // All pairs that the rules let join; those of one variable at a time, because all together may be very many.
    [[nodiscard]] TreeResult allowed_pairs(const ArcRules &rules) {
        bool is_complete = counter_.is_complete();
        std::vector<VariablePair> pairs;
        for (Variable i = 0; is_complete && i < search_.n_variables(); ++i) {
            pairs.clear();
            rules.for_each_allowed(i, [&](Variable j) {
                if (i < j) {
                    pairs.emplace_back(i, j);
                }
            });
            is_complete = pairs.empty() || (!budget_.exhausted() && pairs_of_one(pairs));
        }
        return {rooted(search_.n_variables(), forest_.settle()), is_complete};
    }

  private:
    [[nodiscard]] static std::int64_t sum(ScoreTable::Values terms, std::span<const std::uint32_t> counts) {
        return std::accumulate(counts.begin(), counts.end(), std::int64_t{0},
                               [&](std::int64_t total, std::uint32_t n) { return total + terms(n); });
    }

    [[nodiscard]] const PairTerms &terms(Variable i, Variable j) const noexcept {
        const std::size_t n_arities = search_.single_terms_.size();
        return search_.pair_terms_[search_.arity_place_[i] * n_arities + search_.arity_place_[j]];
    }

    [[nodiscard]] double gain(Variable i, Variable j, std::span<const std::uint32_t> counts) const {
        const PairTerms &its = terms(i, j);
        return gain(i, j, its, sum(its.cell, counts));
    }

    [[nodiscard]] double gain(Variable i, Variable j, const PairTerms &its, std::int64_t cells) const noexcept {
        return search_.by_.nats(cells - alone_[i] - alone_[j]) + its.constant;
    }

    // Two variables with two states each are so common that their table is not written down.
    void offer_binary(Variable i, Variable j, const PairTerms &its, std::uint32_t both) {
        const std::uint32_t neither = counter_.n_observations() - in_first_[i] - in_first_[j] + both;
        const std::int64_t cells =
            (its.cell(both) + its.cell(in_first_[i] - both)) + (its.cell(in_first_[j] - both) + its.cell(neither));
        forest_.offer(i, j, gain(i, j, its, cells));
    }

    void offer_packed(Variable i, Variable j, const std::uint32_t *counts, std::size_t stride) {
        if (rows_.n_columns(i) == 1 && rows_.n_columns(j) == 1) {
            offer_binary(i, j, terms(i, j), *counts);
        } else {
            counter_.complete(i, j, counts, stride, table_);
            forest_.offer(i, j, gain(i, j, table_));
        }
    }

    void offer_by_histogram(Variable i, Variable j) {
        counter_.count_cells(i, j, table_);
        forest_.offer(i, j, gain(i, j, table_));
        search_.score_.charge(1, &budget_);
    }

    [[nodiscard]] bool packed_pairs() {
        // A batch may go over a limit of evaluations by its own size: with a limit, it is one variable's.
        const bool one_by_one = budget_.evaluation_limit() != Budget::no_evaluation_limit;
        for (std::size_t a = 0; a < rows_.n_blocks(); ++a) {
            const std::span<const Variable> of_a = rows_.variables(a);
            const std::size_t step = one_by_one ? 1 : of_a.size();
            for (std::size_t b = a; b < rows_.n_blocks(); ++b) {
                for (std::size_t begin = 0; begin < of_a.size(); begin += step) {
                    if (a == b && begin + 1 == of_a.size()) { // the last one has no later one here
                        continue;
                    }
                    if (budget_.exhausted() || !between(of_a.subspan(begin, step), b)) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    // Pairs of some neighbours in a block with all later variables of a block.
    [[nodiscard]] bool between(std::span<const Variable> some, std::size_t block) {
        const std::size_t first = rows_.first_column(some.front());
        const std::size_t n_masks = rows_.first_column(some.back()) + rows_.n_columns(some.back()) - first;
        columns_.resize(rows_.columns_in(block));
        std::iota(columns_.begin(), columns_.end(), static_cast<std::uint32_t>(block * PackedRows::block_columns));
        if (!counter_.count_columns(first, n_masks, columns_, counts_, budget_)) {
            return false;
        }
        const std::span<const Variable> others = rows_.variables(block);
        const bool are_binary = some.size() == n_masks && others.size() == columns_.size();
        std::uint64_t n_pairs = 0;
        for (const Variable i : some) {
            const std::uint32_t *counts = counts_.data() + (rows_.first_column(i) - first);
            const PairTerms &its = terms(i, others.front());
            const auto begin = std::upper_bound(others.begin(), others.end(), i);
            for (auto j = begin; j != others.end(); ++j) {
                const std::uint32_t *of_j = counts + rows_.first_column(*j) % PackedRows::block_columns * n_masks;
                if (are_binary) {
                    offer_binary(i, *j, its, *of_j);
                } else {
                    offer_packed(i, *j, of_j, n_masks);
                }
            }
            n_pairs += static_cast<std::uint64_t>(others.end() - begin);
        }
        search_.score_.charge(n_pairs, &budget_);
        return true;
    }

    // Pairs with a variable that is not packed.
    [[nodiscard]] bool other_pairs() {
        for (const Variable i : rows_.not_packed()) {
            for (Variable j = 0; j < search_.n_variables(); ++j) {
                if (rows_.is_packed(j) || (i < j && rows_.n_columns(j) > 0)) {
                    if (budget_.exhausted()) {
                        return false;
                    }
                    offer_by_histogram(i, j);
                }
            }
        }
        return true;
    }

    // Pairs that share their first variable.
    [[nodiscard]] bool pairs_of_one(std::span<const VariablePair> pairs) {
        const Variable i = pairs.front().first;
        columns_.clear();
        for (const auto &[first, j] : pairs) {
            if (!rows_.is_packed(i) || !rows_.is_packed(j)) {
                offer_by_histogram(i, j);
                continue;
            }
            for (std::size_t column = 0; column < rows_.n_columns(j); ++column) {
                columns_.push_back(static_cast<std::uint32_t>(rows_.first_column(j) + column));
            }
        }
        if (!rows_.is_packed(i)) {
            return true;
        }
        const std::size_t n_masks = rows_.n_columns(i);
        if (!counter_.count_columns(rows_.first_column(i), n_masks, columns_, counts_, budget_)) {
            return false;
        }
        const std::uint32_t *counts = counts_.data();
        std::uint64_t n_pairs = 0;
        for (const auto &[first, j] : pairs) {
            if (rows_.is_packed(j)) {
                offer_packed(i, j, counts, n_masks);
                counts += rows_.n_columns(j) * n_masks;
                ++n_pairs;
            }
        }
        search_.score_.charge(n_pairs, &budget_);
        return true;
    }

    const TreeSearch &search_;
    const PackedRows &rows_;
    Budget &budget_;
    PairCounter counter_;
    GrowingForest forest_;
    std::vector<std::int64_t> alone_;
    std::vector<std::uint32_t> in_first_; // how often each variable is in its first state
    std::vector<std::uint32_t> columns_;
    std::vector<std::uint32_t> counts_;
    std::vector<std::uint32_t> table_;
};

TreeResult TreeSearch::best(std::span<const std::uint32_t> weights, Budget &budget) const {
    return Sweep(*this, weights_or_own(weights), budget).all_pairs();
}

TreeResult TreeSearch::near(std::span<const std::uint32_t> weights, std::span<const std::int32_t> parents,
                            std::size_t n_drawn, std::uint64_t seed, Budget &budget) const {
    const std::size_t n = n_variables();
    std::vector<VariablePair> pairs;
    for (std::size_t v = 0; v < n; ++v) {
        if (parents[v] >= 0) {
            pairs.emplace_back(static_cast<Variable>(v), static_cast<Variable>(parents[v]));
        }
    }
    Random random(seed);
    for (std::size_t drawn = 0; n > 1 && drawn < n_drawn; ++drawn) {
        const std::size_t i = random.below(n);
        const std::size_t j = random.below(n - 1);
        pairs.emplace_back(static_cast<Variable>(i), static_cast<Variable>(j < i ? j : j + 1));
    }
    return among(weights, std::move(pairs), budget);
}

TreeResult TreeSearch::among(std::span<const std::uint32_t> weights, std::vector<VariablePair> pairs,
                             Budget &budget) const {
    for (auto &[i, j] : pairs) {
        if (j < i) {
            std::swap(i, j);
        }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return Sweep(*this, weights_or_own(weights), budget).some_pairs(pairs);
}

TreeResult TreeSearch::within(const ArcRules &rules, Budget &budget) const {
    return Sweep(*this, weights_or_own({}), budget).allowed_pairs(rules);
}

std::vector<std::uint32_t> TreeSearch::counts(std::span<const VariablePair> pairs) const {
    const std::vector<std::uint32_t> &arities = rows_.table().arities;
    std::size_t n_cells = 0;
    for (const auto &[i, j] : pairs) {
        n_cells += std::size_t{arities[i]} * arities[j];
        if (n_cells > rows_.max_bytes() / sizeof(std::uint32_t)) {
            throw std::length_error("the counts of " + std::to_string(pairs.size()) + " pairs would take more than " +
                                    std::to_string(rows_.max_bytes()) + " bytes");
        }
    }
    const Budget unlimited;
    const PairCounter counter(rows_, rows_.table().weights, unlimited);
    std::vector<std::uint32_t> all;
    all.reserve(n_cells);
    std::vector<std::uint32_t> raw;
    std::vector<std::uint32_t> table;
    std::vector<std::uint32_t> columns;
    for (const auto &[i, j] : pairs) {
        if (rows_.is_packed(i) && rows_.is_packed(j)) {
            columns.resize(rows_.n_columns(j));
            std::iota(columns.begin(), columns.end(), static_cast<std::uint32_t>(rows_.first_column(j)));
            (void)counter.count_columns(rows_.first_column(i), rows_.n_columns(i), columns, raw, unlimited);
            counter.complete(i, j, raw.data(), rows_.n_columns(i), table);
        } else {
            counter.tabulate(i, j, table);
        }
        all.insert(all.end(), table.begin(), table.end());
    }
    return all;
}

} // namespace arcwise
