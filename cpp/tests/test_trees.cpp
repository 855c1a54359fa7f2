#include "arcwise/trees.hpp"

#include "arcwise/pair_counter.hpp"
#include "arcwise/tree_likelihood.hpp"

#include "near.hpp"
#include "random_table.hpp"
#include "rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <thread>

using namespace arcwise;
using testing::near;
using testing::RandomTable;

namespace {

constexpr std::size_t enough_bytes = std::size_t{1} << 30;

template <class Code>
std::vector<std::uint32_t> counted(const RandomTable<Code> &table, std::span<const std::uint32_t> weights, Variable i,
                                   Variable j) {
    std::vector<std::uint32_t> counts(table.arities[i] * table.arities[j], 0);
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        counts[table.code(i, row) * table.arities[j] + table.code(j, row)] += weights.empty() ? 1 : weights[row];
    }
    return counts;
}

std::vector<std::uint32_t> random_weights(std::size_t n, std::uint32_t most, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::uint32_t> weights(n);
    std::generate(weights.begin(), weights.end(), [&] { return static_cast<std::uint32_t>(random.below(most + 1)); });
    return weights;
}

// As many observations as rows, drawn with replacement.
std::vector<std::uint32_t> replica(std::size_t n, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::uint32_t> weights(n, 0);
    for (std::size_t drawn = 0; drawn < n; ++drawn) {
        ++weights[random.below(n)];
    }
    return weights;
}

// The gain of the best forest, by trying whether each edge, best first, connects what was not connected.
double best_gain(std::size_t n, std::vector<Edge> edges, double least) {
    std::stable_sort(edges.begin(), edges.end(), [](const Edge &a, const Edge &b) { return a.gain > b.gain; });
    std::vector<Variable> tree(n);
    std::iota(tree.begin(), tree.end(), 0);
    double sum = 0.0;
    for (const Edge &edge : edges) {
        if (edge.gain > least && tree[edge.a] != tree[edge.b]) {
            sum += edge.gain;
            std::replace(tree.begin(), tree.end(), Variable{tree[edge.b]}, Variable{tree[edge.a]});
        }
    }
    return sum;
}

} // namespace

TEST_CASE("pairs are counted under any weights") {
    std::vector<std::uint32_t> arities;
    for (std::uint32_t v = 0; v < 70; ++v) {
        arities.push_back(v % 7 == 3 ? 1 : v % 11 == 5 ? 90 : 2 + v % 4);
    }
    for (const char *name : {"plain", "auto"}) {
        for (const std::size_t n_rows : {1UL, 63UL, 64UL, 700UL, 40000UL}) {
            const RandomTable<std::uint8_t> table(n_rows, arities, n_rows);
            const PackedRows rows(table.view(), bit_kernels(name), enough_bytes);
            for (const std::uint32_t most : {0U, 1U, 5U, 3'000U}) {
                std::vector<std::uint32_t> weights;
                if (most > 0) {
                    weights = random_weights(n_rows, most, most);
                }
                const Budget budget;
                const PairCounter counter(rows, weights, budget);
                CHECK(counter.is_complete());
                std::vector<std::uint32_t> raw;
                std::vector<std::uint32_t> found;
                Random random(n_rows + most);
                for (int trial = 0; trial < 40; ++trial) {
                    const auto i = static_cast<Variable>(random.below(arities.size()));
                    const auto j = static_cast<Variable>(random.below(arities.size()));
                    const auto expected = counted(table, weights, i, j);
                    if (rows.is_packed(i) && rows.is_packed(j)) {
                        std::vector<std::uint32_t> columns(rows.n_columns(j));
                        std::iota(columns.begin(), columns.end(), static_cast<std::uint32_t>(rows.first_column(j)));
                        CHECK(counter.count_columns(rows.first_column(i), rows.n_columns(i), columns, raw, budget));
                        counter.complete(i, j, raw.data(), rows.n_columns(i), found);
                        CHECK(found == expected);
                    }
                    counter.tabulate(i, j, found);
                    CHECK(found == expected);
                    counter.count_cells(i, j, found);
                    std::erase(found, 0U);
                    auto above = expected;
                    std::erase(above, 0U);
                    std::sort(found.begin(), found.end());
                    std::sort(above.begin(), above.end());
                    CHECK(found == above);
                }
            }
        }
    }
}

TEST_CASE("a growing forest is that of all edges") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Random random(seed);
        const std::size_t n = 1 + random.below(300);
        GrowingForest forest(n, 3.0);
        std::vector<Edge> all;
        for (int k = 0; k < 20'000; ++k) {
            const auto a = static_cast<Variable>(random.below(n));
            const auto b = static_cast<Variable>(random.below(n));
            if (a != b) {
                all.push_back({static_cast<double>(random.below(seed % 2 == 0 ? 10 : 1'000'000)), a, b});
                forest.offer(a, b, all.back().gain);
            }
        }
        const std::vector<Edge> edges = forest.settle();
        double sum = 0.0;
        for (const Edge &edge : edges) {
            sum += edge.gain;
        }
        CHECK(sum == best_gain(n, all, 3.0));
        const RootedForest tree = rooted(n, edges);
        CHECK(std::accumulate(tree.gains.begin(), tree.gains.end(), 0.0) == sum);
        CHECK(static_cast<std::size_t>(std::count(tree.parents.begin(), tree.parents.end(), -1)) == n - edges.size());
        for (std::size_t v = 0; v < n; ++v) { // every way up ends
            std::size_t steps = 0;
            for (std::int32_t at = tree.parents[v]; at >= 0; at = tree.parents[static_cast<std::size_t>(at)]) {
                CHECK(++steps < n);
            }
        }
    }
}

TEST_CASE("the best tree within rules is that of the pairs that they allow") {
    std::vector<std::uint32_t> arities;
    for (std::uint32_t v = 0; v < 70; ++v) {
        arities.push_back(v == 5 ? 1 : v == 7 ? 100 : 2 + v % 3);
    }
    const RandomTable<std::uint8_t> table(300, arities, 4);
    const auto n = static_cast<Variable>(arities.size());
    const LocalScore score(table.view(), ScoreKind::bdeu, 2.0, bit_kernels(), 1 << 20);
    const TreeSearch search(score, ScoreKind::bdeu, 2.0, std::size_t{1} << 28);
    Random random(5);
    for (const std::size_t percent : {0U, 50U, 100U}) {
        testing::Rules rules(n);
        std::vector<VariablePair> pairs;
        for (Variable a = 0; a < n; ++a) {
            for (Variable b = 0; b < a; ++b) {
                if (random.below(100) < percent) {
                    rules.forbid(a, b);
                    rules.forbid(b, a);
                } else {
                    pairs.emplace_back(a, b);
                }
            }
        }
        Budget budget;
        const TreeResult found = search.within(rules.view(), budget);
        CHECK(found.is_complete);
        CHECK(found.forest.gains == search.among({}, pairs, budget).forest.gains);
        CHECK(found.forest.parents == search.among({}, pairs, budget).forest.parents);
        Budget spent(Budget::no_time_limit, 0);
        CHECK(!search.within(rules.view(), spent).is_complete);
    }
}

TEST_CASE("the best tree gains what local scores say") {
    std::vector<std::uint32_t> arities;
    for (std::uint32_t v = 0; v < 80; ++v) {
        arities.push_back(v == 5 ? 1 : v == 7 ? 100 : 2 + v % 3);
    }
    const RandomTable<std::uint8_t> table(500, arities, 3);
    const auto n = static_cast<Variable>(arities.size());
    for (const ScoreKind kind : score_kinds()) {
        if (!Score(kind, 2.0, table.n_rows, n).is_difference()) {
            continue;
        }
        for (const std::uint64_t seed : {0U, 1U}) {
            const auto weights = seed == 0 ? std::vector<std::uint32_t>{} : replica(table.n_rows, seed);
            TableView weighted = table.view();
            weighted.weights = weights;
            const LocalScore score(weighted, kind, 2.0, bit_kernels(), 1 << 20);
            std::vector<Edge> edges;
            for (Variable i = 0; i < n; ++i) {
                for (Variable j = i + 1; j < n; ++j) {
                    edges.push_back({score.engine().score({j, {{i}}}) - score.engine().score({j, {}}), i, j});
                }
            }
            const LocalScore bound(table.view(), ScoreKind::k2, 1.0, bit_kernels(), 1 << 20);
            const TreeSearch search(bound, kind, 2.0, enough_bytes);
            Budget budget;
            const TreeResult found = search.best(weights, budget);
            CHECK(found.is_complete);
            double sum = 0.0;
            for (Variable v = 0; v < n; ++v) {
                if (found.forest.parents[v] >= 0) {
                    const auto parent = static_cast<Variable>(found.forest.parents[v]);
                    const double gain = score.engine().score({v, {{parent}}}) - score.engine().score({v, {}});
                    CHECK(near(gain, found.forest.gains[v], 1e-7));
                    sum += gain;
                }
            }
            CHECK(near(sum, best_gain(n, edges, score.rounding())));
            CHECK(found.forest.parents[5] == -1);
            CHECK(budget.evaluations() == bound.evaluations());
            CHECK(budget.evaluations() == (n - 1) * (n - 2) / 2); // the constant is not tried
        }
    }
}

TEST_CASE("a tree near another is the best of the pairs") {
    const RandomTable<std::uint8_t> table(300, std::vector<std::uint32_t>(60, 2), 8);
    const LocalScore score(table.view(), ScoreKind::loglik, 1.0, bit_kernels(), 1 << 20);
    const TreeSearch search(score, ScoreKind::loglik, 1.0, enough_bytes);
    Budget budget;
    const auto total = [](const TreeResult &tree) {
        return std::accumulate(tree.forest.gains.begin(), tree.forest.gains.end(), 0.0);
    };
    const TreeResult best = search.best({}, budget);
    // Its own arcs are the best ones again, with and without others.
    CHECK(near(total(search.near({}, best.forest.parents, 0, 1, budget)), total(best)));
    CHECK(near(total(search.near({}, best.forest.parents, 200, 1, budget)), total(best)));
    // Repeated, it never falls and comes near the best.
    TreeResult tree{{std::vector<std::int32_t>(60, -1), std::vector<double>(60, 0.0)}, true};
    double last = 0.0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        tree = search.near({}, tree.forest.parents, 246, seed, budget);
        CHECK(total(tree) >= last - 1e-9);
        last = total(tree);
    }
    CHECK(last > 0.99 * total(best));
}

TEST_CASE("trees end with their budget and refuse large tables") {
    const RandomTable<std::uint8_t> table(200, std::vector<std::uint32_t>(100, 3), 5);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
    const TreeSearch search(score, ScoreKind::bic, 1.0, enough_bytes);
    for (const std::uint64_t limit : {0U, 1U, 500U, 4000U}) {
        Budget budget(Budget::no_time_limit, limit);
        const TreeResult found = search.best({}, budget);
        CHECK(!found.is_complete);
        CHECK(budget.evaluations() <= limit + 99);
    }
    Budget interrupted;
    interrupted.interrupt();
    CHECK(!search.best({}, interrupted).is_complete);
    CHECK_THROWS_AS(TreeSearch(score, ScoreKind::bic, 1.0, 1000), std::length_error);
    CHECK_THROWS_AS(TreeSearch(score, ScoreKind::k2, 1.0, enough_bytes), std::invalid_argument);
}

TEST_CASE("trees are learned side by side") {
    const RandomTable<std::uint8_t> table(400, std::vector<std::uint32_t>(90, 2), 6);
    const LocalScore score(table.view(), ScoreKind::loglik, 1.0, bit_kernels(), 1 << 20);
    const TreeSearch search(score, ScoreKind::loglik, 1.0, enough_bytes);
    Budget budget;
    std::vector<std::vector<std::int32_t>> found(4);
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < found.size(); ++k) {
        threads.emplace_back([&, k] { found[k] = search.best(replica(400, k), budget).forest.parents; });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
        CHECK(found[k] == search.best(replica(400, k), budget).forest.parents);
    }
}

TEST_CASE("counts of pairs come in order") {
    const RandomTable<std::uint16_t> table(300, {2, 300, 3, 1, 4}, 2, 9);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
    const TreeSearch search(score, ScoreKind::bic, 1.0, enough_bytes);
    const std::vector<VariablePair> pairs{{4, 0}, {1, 2}, {3, 1}, {2, 4}};
    std::vector<std::uint32_t> expected;
    for (const auto &[i, j] : pairs) {
        const auto one = counted(table, table.weights, i, j);
        expected.insert(expected.end(), one.begin(), one.end());
    }
    CHECK(search.counts(pairs) == expected);
}

TEST_CASE("a mixture of two trees by hand") {
    // Two variables of two and three states: in the first tree the second follows the first, in the other it does not.
    const std::vector<double> probabilities{0.25, 0.75, 0.1, 0.2, 0.7, 0.5, 0.5, 0.0, 0.3, 0.3, 0.4};
    std::vector<double> logs(probabilities.size());
    std::transform(probabilities.begin(), probabilities.end(), logs.begin(), [](double p) { return std::log(p); });
    const std::vector<std::uint32_t> arities{2, 3};
    const std::vector<std::int32_t> parents{-1, 0, -1, -1};
    const std::vector<std::int64_t> tables{0, 2, 0, 8};
    const std::vector<double> log_weights{std::log(0.6), std::log(0.4)};
    const std::size_t n_rows = 3000;
    std::vector<std::uint16_t> codes(2 * n_rows);
    std::vector<double> expected(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::size_t x = row % 2;
        const std::size_t y = row % 3;
        codes[row] = static_cast<std::uint16_t>(x);
        codes[n_rows + row] = static_cast<std::uint16_t>(y);
        expected[row] = probabilities[x] * (0.6 * probabilities[2 + 3 * x + y] + 0.4 * probabilities[8 + y]);
    }
    std::vector<double> found(n_rows);
    tree_log_likelihoods({arities, parents, tables, logs, log_weights}, codes.data(), found);
    for (std::size_t row = 0; row < n_rows; ++row) {
        CHECK(near(std::exp(found[row]), expected[row]));
    }
}
