#include "arcwise/best_classes.hpp"
#include "arcwise/subset_programming.hpp"

#include "random_orders.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

using namespace arcwise;
using testing::OwnedTable;
using testing::random_set;
using testing::Set;
using testing::Sets;

namespace {

using Parents = std::vector<std::set<Variable>>;

// Whole scores, so that sums are exact and many are equal; some variables lack the empty set.
std::vector<Sets> random_lists(Random &random, std::size_t n, std::size_t count) {
    std::vector<Sets> lists(n);
    for (Variable v = 0; v < n; ++v) {
        std::map<Set, double> sets;
        if (random.below(5) > 0) {
            sets[{}] = -static_cast<double>(random.below(60));
        }
        for (std::size_t i = 0; i < count || sets.empty(); ++i) {
            sets[random_set(random, n, v, random.below(n))] = -static_cast<double>(random.below(50));
        }
        for (const auto &[set, score] : sets) {
            lists[v].emplace_back(score, set);
        }
    }
    return lists;
}

std::optional<double> best_within(const Sets &sets, const std::set<Variable> &before) {
    std::optional<double> best;
    for (const auto &[score, set] : sets) {
        const bool fits = std::ranges::all_of(set, [&](Member member) { return before.contains(member); });
        if (fits && (!best || score > *best)) {
            best = score;
        }
    }
    return best;
}

std::optional<double> score_of(const std::vector<Sets> &lists, const std::vector<Variable> &order) {
    double sum = 0.0;
    std::set<Variable> before;
    for (const Variable v : order) {
        const auto best = best_within(lists[v], before);
        if (!best) {
            return std::nullopt;
        }
        sum += *best;
        before.insert(v);
    }
    return sum;
}

// The best of all orders, one after the other.
std::optional<double> best_of_all_orders(const std::vector<Sets> &lists) {
    std::vector<Variable> order(lists.size());
    std::iota(order.begin(), order.end(), Variable{0});
    std::optional<double> best;
    do {
        const auto score = score_of(lists, order);
        if (score && (!best || *score > *best)) {
            best = score;
        }
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
}

// What makes graphs equivalent: adjacent pairs and v-structures.
using Class = std::pair<std::set<std::set<Variable>>, std::set<std::pair<std::set<Variable>, Variable>>>;

Class class_of(const Parents &parents) {
    Class result;
    for (Variable v = 0; v < parents.size(); ++v) {
        for (const Variable parent : parents[v]) {
            result.first.insert({parent, v});
        }
    }
    for (Variable v = 0; v < parents.size(); ++v) {
        for (const Variable a : parents[v]) {
            for (const Variable b : parents[v]) {
                if (a != b && !result.first.contains({a, b})) {
                    result.second.insert({{a, b}, v});
                }
            }
        }
    }
    return result;
}

bool is_acyclic(const Parents &parents) {
    std::set<Variable> done;
    for (std::size_t round = 0; round < parents.size(); ++round) {
        for (Variable v = 0; v < parents.size(); ++v) {
            if (std::ranges::includes(done, parents[v])) {
                done.insert(v);
            }
        }
    }
    return done.size() == parents.size();
}

// The best score of every class of which the table has a graph, from all ways to give each variable a set.
std::map<Class, double> all_classes(const std::vector<Sets> &lists) {
    std::map<Class, double> best;
    std::vector<std::size_t> chosen(lists.size(), 0);
    std::size_t v = 0;
    while (v < lists.size()) {
        Parents parents;
        double score = 0.0;
        for (std::size_t u = 0; u < lists.size(); ++u) {
            const auto &[its_score, set] = lists[u][chosen[u]];
            parents.emplace_back(set.begin(), set.end());
            score += its_score;
        }
        if (is_acyclic(parents)) {
            const auto [at, is_new] = best.try_emplace(class_of(parents), score);
            at->second = std::max(at->second, score);
        }
        for (v = 0; v < lists.size() && ++chosen[v] == lists[v].size(); ++v) {
            chosen[v] = 0;
        }
    }
    return best;
}

} // namespace

TEST_CASE("subset programming finds the best of all orders") {
    Random random(1);
    for (int round = 0; round < 200; ++round) {
        const std::size_t n = 1 + random.below(6);
        const auto lists = random_lists(random, n, 1 + random.below(12));
        const OwnedTable owned(lists);
        const SetTable table = owned.view();
        Budget budget;
        const BestOrder found = best_order(table, 1 + random.below(3), budget);
        const auto best = best_of_all_orders(lists);
        CHECK(found.stopped_by == StopReason::none);
        CHECK(found.order.empty() == !best);
        CHECK((!best || (found.score == *best && score_of(lists, found.order) == best)));
    }
}

// The recursion by definition, over all subsets in a row.
TEST_CASE("blocks do not change the answer") {
    Random random(2);
    for (const std::size_t n : {11U, 12U, 13U, 15U}) {
        const auto lists = random_lists(random, n, 60);
        std::vector<double> best(std::size_t{1} << n, -std::numeric_limits<double>::infinity());
        best[0] = 0.0;
        for (std::size_t set = 0; set < best.size(); ++set) {
            for (Variable v = 0; v < n; ++v) {
                if ((set >> v & 1) == 0) {
                    for (const auto &[score, parents] : lists[v]) {
                        if (std::ranges::all_of(parents, [&](Member member) { return (set >> member & 1) != 0; })) {
                            double &larger = best[set | std::size_t{1} << v];
                            larger = std::max(larger, best[set] + score);
                        }
                    }
                }
            }
        }
        const OwnedTable owned(lists);
        const SetTable table = owned.view();
        Budget budget;
        std::vector<Variable> order;
        for (const std::size_t workers : {1U, 2U, 5U}) {
            const BestOrder found = best_order(table, workers, budget);
            CHECK(found.score == best.back());
            CHECK((found.order.empty() || score_of(lists, found.order) == found.score));
            CHECK((workers == 1 || found.order == order));
            order = found.order;
        }
    }
}

TEST_CASE("an ended budget ends subset programming") {
    Random random(3);
    const OwnedTable owned(random_lists(random, 14, 30));
    const SetTable table = owned.view();
    Budget none(0.0), interrupted;
    interrupted.interrupt();
    CHECK(best_order(table, 2, none).stopped_by == StopReason::time);
    CHECK(best_order(table, 2, interrupted).stopped_by == StopReason::interrupt);
    CHECK(best_order(table, 2, interrupted).order.empty());
    CHECK(best_classes(table, 3, 2, none).stopped_by == StopReason::time);
    CHECK(best_classes(table, 3, 2, none).graphs.empty());
}

TEST_CASE("memory is eight bytes for each subset and little more") {
    std::vector<Sets> lists(20, Sets{{-1.0, {}}});
    const OwnedTable owned(lists);
    const std::size_t bytes = best_order_bytes(owned.view(), 2);
    CHECK(bytes >= std::size_t{8} << 20);
    CHECK(bytes <= std::size_t{9} << 20);
    lists.resize(33, lists[0]);
    const OwnedTable large(lists);
    Budget budget;
    const SetTable table = large.view();
    CHECK_THROWS_AS(best_order(table, 1, budget), std::invalid_argument);
    CHECK_THROWS_AS(best_classes(table, 1, 1, budget), std::invalid_argument);
}

TEST_CASE("the best classes are those of all graphs") {
    Random random(4);
    for (int round = 0; round < 100; ++round) {
        const std::size_t n = 1 + random.below(4);
        const auto lists = random_lists(random, n, 1 + random.below(8));
        const auto classes = all_classes(lists);
        std::vector<double> expected;
        for (const auto &entry : classes) {
            expected.push_back(entry.second);
        }
        std::ranges::sort(expected, std::greater{});
        const std::size_t k = 1 + random.below(40);
        expected.resize(std::min(k, expected.size()));
        const OwnedTable owned(lists);
        Budget budget;
        const BestClasses found = best_classes(owned.view(), k, 1 + random.below(3), budget);
        std::vector<double> scores;
        std::set<Class> different;
        for (const ScoredGraph &graph : found.graphs) {
            Parents parents;
            for (const auto &its_parents : graph.parents) {
                parents.emplace_back(its_parents.begin(), its_parents.end());
            }
            CHECK(is_acyclic(parents));
            CHECK(classes.at(class_of(parents)) == graph.score);
            different.insert(class_of(parents));
            scores.push_back(graph.score);
        }
        CHECK(scores == expected);
        CHECK(different.size() == scores.size());
    }
}
