#include "arcwise/price_ascent.hpp"

#include "near.hpp"
#include "random_orders.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

using namespace arcwise;
using testing::OwnedTable;
using testing::random_set;
using testing::Set;
using testing::Sets;

namespace {

std::vector<Sets> random_lists(Random &random, std::size_t n, std::size_t count, std::size_t most_members) {
    std::vector<Sets> lists(n);
    for (Variable v = 0; v < n; ++v) {
        std::map<Set, double> sets{{{}, -100.0}};
        for (std::size_t i = 0; i < count; ++i) {
            sets[random_set(random, n, v, 1 + random.below(most_members))] = -static_cast<double>(random.below(90));
        }
        for (const auto &[set, score] : sets) {
            lists[v].emplace_back(score, set);
        }
    }
    return lists;
}

std::vector<Cluster> random_clusters(Random &random, std::size_t n, std::size_t count) {
    std::vector<Cluster> clusters;
    for (std::size_t i = 0; i < count; ++i) {
        const std::vector<Variable> order = testing::random_order(random, n);
        Cluster cluster{{order.begin(), order.begin() + 2 + static_cast<std::ptrdiff_t>(random.below(n - 2))},
                        static_cast<std::uint32_t>(1 + random.below(4))};
        std::ranges::sort(cluster.nodes);
        clusters.push_back(cluster);
    }
    return clusters;
}

bool keeps(const Cluster &cluster, Variable child, std::span<const Member> set) {
    const auto inside = [&](Variable v) { return std::ranges::binary_search(cluster.nodes, v); };
    return inside(child) && std::ranges::count_if(set, inside) < static_cast<std::ptrdiff_t>(cluster.first);
}

// Calls use(child, set, members) for all sets, counted through the table.
void for_each_set(const SetTable &table,
                  const std::function<void(Variable, std::size_t, std::span<const Member>)> &use) {
    std::size_t count = 0;
    for (Variable v = 0; v < table.n_variables(); ++v) {
        for (std::size_t i = 0; i < table.lists()[v].size(); ++i) {
            use(v, count++, table.lists()[v].set(i));
        }
    }
}

double sum_of_best(const SetTable &table, const std::vector<double> &values) {
    double sum = 0;
    std::size_t first = 0;
    for (const SetList &list : table.lists()) {
        sum += *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(first),
                                 values.begin() + static_cast<std::ptrdiff_t>(first + list.size()));
        first += list.size();
    }
    return sum;
}

} // namespace

TEST_CASE("priced scores and kept rows agree with counting members") {
    Random random(1);
    for (const std::size_t n : {3, 10, 70, 150, 200, 300}) { // one word and more of them
        const OwnedTable owned(random_lists(random, n, n > 100 ? 300 : 40, std::min<std::size_t>(n - 1, 7)));
        const SetTable table = owned.view();
        const std::vector<Cluster> clusters = random_clusters(random, n, 12);
        std::vector<double> prices;
        for (std::size_t i = 0; i < clusters.size(); ++i) {
            prices.push_back(static_cast<double>(random.below(8)) / 4);
        }
        for (const std::size_t workers : {1, 3}) {
            const std::vector<double> values = priced_scores(table, clusters, prices, workers);
            CHECK(values.size() == owned.scores.size());
            for_each_set(table, [&](Variable child, std::size_t at, std::span<const Member> set) {
                double expected = owned.scores[at];
                for (std::size_t i = 0; i < clusters.size(); ++i) {
                    expected += keeps(clusters[i], child, set) ? prices[i] : 0;
                }
                CHECK(values[at] == expected); // quarters: exact
            });
        }
        std::vector<std::int64_t> some;
        for (std::size_t at = 0; at < owned.scores.size(); ++at) {
            if (random.below(3) > 0) {
                some.push_back(static_cast<std::int64_t>(at));
            }
        }
        const KeptRows kept = kept_rows(table, clusters, some);
        std::vector<std::vector<std::int64_t>> expected(clusters.size());
        for_each_set(table, [&](Variable child, std::size_t at, std::span<const Member> set) {
            const auto place = std::ranges::lower_bound(some, static_cast<std::int64_t>(at));
            for (std::size_t i = 0; i < clusters.size(); ++i) {
                if (place != some.end() && *place == static_cast<std::int64_t>(at) && keeps(clusters[i], child, set)) {
                    expected[i].push_back(place - some.begin());
                }
            }
        });
        for (std::size_t i = 0; i < clusters.size(); ++i) {
            CHECK(std::vector<std::int64_t>(kept.places.begin() + kept.begin[i],
                                            kept.places.begin() + kept.begin[i + 1]) == expected[i]);
        }
    }
}

TEST_CASE("raised prices lower the bound by their sum") {
    Random random(2);
    for (std::size_t trial = 0; trial < 40; ++trial) {
        const std::size_t n = 3 + random.below(trial < 30 ? 10 : 120);
        const OwnedTable owned(random_lists(random, n, 10, std::min<std::size_t>(n - 1, 4)));
        const SetTable table = owned.view();
        Budget budget;
        const PricedClusters found = raise_prices(table, trial, budget);
        CHECK(found.stopped_by == StopReason::none);
        CHECK(std::ranges::all_of(found.prices, [](double price) { return price > 0; }));
        const std::vector<double> values = priced_scores(table, found.clusters, found.prices, 1);
        CHECK(testing::near(sum_of_best(table, values), sum_of_best(table, owned.scores)));
        // Nothing more can be raised: sets that are as good as the best give every variable its turn in some order.
        std::vector<char> placed(n, 0);
        for (std::size_t round = 0; round < n; ++round) {
            std::size_t first = 0;
            for (Variable v = 0; v < n; ++v) {
                const SetList &list = table.lists()[v];
                const double best =
                    *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(first),
                                      values.begin() + static_cast<std::ptrdiff_t>(first + list.size()));
                for (std::size_t i = 0; i < list.size(); ++i) {
                    const bool fits = std::ranges::all_of(list.set(i), [&](Member m) { return placed[m] != 0; });
                    placed[v] |= static_cast<char>(fits && values[first + i] > best - 1e-6);
                }
                first += list.size();
            }
        }
        CHECK(std::ranges::all_of(placed, [](char is) { return is != 0; }));
    }
}

TEST_CASE("a circle costs what its cheapest way out costs") {
    // Each wants the next one: the bound without prices is 0, the best graph gives up the cheapest of the three.
    const OwnedTable owned({{{0, {1}}, {-5, {}}}, {{0, {2}}, {-3, {}}}, {{0, {0}}, {-4, {}}}});
    Budget budget;
    const PricedClusters found = raise_prices(owned.view(), 0, budget);
    CHECK(found.clusters.size() == 1);
    CHECK(found.clusters[0].nodes == (std::vector<Variable>{0, 1, 2}));
    CHECK(found.prices == std::vector<double>{3});
}

TEST_CASE("prices end with the budget and without any graph") {
    const OwnedTable no_graph({{{0, {1}}}, {{0, {0}}}});
    Budget budget;
    CHECK(raise_prices(no_graph.view(), 0, budget).clusters.empty());
    Budget over(0.0);
    const OwnedTable circle({{{0, {1}}, {-5, {}}}, {{0, {0}}, {-3, {}}}});
    const PricedClusters found = raise_prices(circle.view(), 0, over);
    CHECK(found.clusters.empty());
    CHECK(found.stopped_by == StopReason::time);
}
