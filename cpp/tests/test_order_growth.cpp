#include "arcwise/order_growth.hpp"

#include "near.hpp"
#include "random_orders.hpp"
#include "random_table.hpp"
#include "rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <thread>

using namespace arcwise;
using testing::near;
using testing::random_order;
using testing::random_set;
using testing::RandomTable;
using testing::Rules;
using testing::Set;

namespace {

bool same(const OrderClimbResult &a, const OrderClimbResult &b) {
    return a.order == b.order && a.parents == b.parents && a.score == b.score && a.moves == b.moves;
}

bool same(const std::map<Variable, ParentSetList> &a, const std::map<Variable, ParentSetList> &b) {
    return std::ranges::equal(a, b, [](const auto &one, const auto &other) {
        return one.first == other.first && one.second.scores == other.second.scores &&
               one.second.members == other.second.members && one.second.begin == other.second.begin;
    });
}

} // namespace

TEST_CASE("rows are the same from all threads and when they are forgotten") {
    const RandomTable<std::uint8_t> table(300, {2, 3, 2, 4, 2, 3, 2, 2}, 21);
    const std::size_t n = table.arities.size();
    const LocalScore score(table.view(), ScoreKind::bdeu, 1.0, bit_kernels(), 1 << 20);
    for (const std::size_t max_bytes : {std::size_t{0}, std::size_t{3000}, std::size_t{1} << 20}) {
        AdditionRows rows(score, max_bytes);
        std::vector<int> wrong(4, 0);
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < wrong.size(); ++t) {
            threads.emplace_back([&, t] {
                Random random(t);
                for (int asked = 0; asked < 60; ++asked) {
                    const auto child = static_cast<Variable>(random.below(n));
                    auto handle = rows.lock(child);
                    Budget budget;
                    Team team(1);
                    for (int family = 0; family < 3; ++family) {
                        const Set parents = random_set(random, n, child, random.below(4));
                        const auto row = handle.row(parents, budget, team);
                        std::vector<Variable> more(parents.begin(), parents.end());
                        if (!row || !near(row->own, score.engine().score({child, more}))) {
                            ++wrong[t];
                            continue;
                        }
                        std::size_t listed = 0;
                        for (Variable x = 0; x < n; ++x) {
                            if (x == child || std::ranges::find(parents, x) != parents.end()) {
                                continue;
                            }
                            more.push_back(x);
                            const double expected = score.engine().score({child, more});
                            more.pop_back();
                            const auto at = std::ranges::find(row->variables, x) - row->variables.begin();
                            const bool is_listed = at < static_cast<std::ptrdiff_t>(row->variables.size());
                            listed += is_listed;
                            wrong[t] += is_listed ? !near(row->scores[static_cast<std::size_t>(at)], expected)
                                                  : expected > row->own + 1e-6;
                        }
                        wrong[t] += listed != row->variables.size();
                        wrong[t] += !std::ranges::is_sorted(row->scores, std::greater<>());
                    }
                }
            });
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
        CHECK(std::accumulate(wrong.begin(), wrong.end(), 0) == 0);
        // One row for each child remains whatever the limit.
        CHECK(rows.bytes() <= max_bytes + n * (100 + n * 10));
    }
}

TEST_CASE("rows end with the budget") {
    const RandomTable<std::uint8_t> table(100, {2, 2, 2, 2}, 22);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
    AdditionRows rows(score, 1 << 20);
    Budget spent(Budget::no_time_limit, 0);
    Team team(1);
    CHECK(!rows.lock(0).row(std::span<const Variable>(), spent, team));
    CHECK(rows.bytes() == 0);
    Budget budget;
    CHECK(rows.lock(0).row(std::span<const Variable>(), budget, team).has_value());
    CHECK(rows.lock(0).row(std::span<const Variable>(), spent, team).has_value()); // known: costs nothing
    CHECK(budget.evaluations() == 4);
}

TEST_CASE("rows that were forgotten are counted again") {
    const RandomTable<std::uint8_t> table(100, {2, 2, 2, 2}, 26);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
    AdditionRows rows(score, 0);
    Budget budget;
    Team team(1);
    for (const std::uint64_t expected : {4U, 4U, 7U, 11U}) { // three additions and the family, two and the family
        CHECK(rows.lock(0).row(expected == 7 ? Set{1} : Set{}, budget, team).has_value());
        CHECK(budget.evaluations() == expected);
    }
}

TEST_CASE("lists grow by what is new") {
    ParentSetList first;
    first.push_back(-3.0, Set{1});
    first.push_back(-9.0, Set{});
    GrowingLists lists(std::vector<ParentSetList>(4, first), 1e-9);
    const GrowingLists before = lists;
    ParentSetList fresh;
    fresh.push_back(-9.0 - 1e-12, Set{}); // known but for rounding
    fresh.push_back(-5.0, Set{1, 2});     // in between
    fresh.push_back(-3.0 + 1e-12, {{1}}); // known but for rounding
    fresh.push_back(-3.0, Set{1, 3});     // a tie with an old one, which stays in front
    fresh.push_back(-1.0, Set{3});        // in front
    fresh.push_back(-5.0, Set{2});        // a tie with a new one
    fresh.push_back(-5.0, Set{1, 2});     // twice
    CHECK(lists.grow(0, fresh));
    CHECK(!lists.grow(0, fresh));
    CHECK(!lists.grow(1, first));
    CHECK(lists.n_sets() == 12);
    CHECK(before.n_sets() == 8); // copies do not grow along
    const SetList list = lists.view(0);
    const std::vector<Set> expected{{3}, {1}, {1, 3}, {1, 2}, {2}, {}};
    CHECK(list.size() == expected.size());
    CHECK(std::ranges::is_sorted(list.scores, std::greater<>()));
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(std::ranges::equal(list.set(i), expected[i]));
    }
    CHECK(std::ranges::equal(list.masks->universe(), Set{3, 1, 2}));
    CHECK(std::ranges::equal(list.masks->first_ranks(), std::vector<std::uint32_t>{0, 1, 3}));
}

TEST_CASE("growing climbs are the same side by side") {
    const RandomTable<std::uint8_t> table(400, {2, 3, 2, 2, 3, 2, 2, 3, 2, 2, 2, 3}, 23);
    const std::size_t n = table.arities.size();
    const Rules rules(n);
    const auto climb = [&](AdditionRows &rows, std::uint64_t seed) {
        Random random(seed);
        Budget budget;
        return grow_and_climb(rows, rules.view(), first_lists(rows, rules.view(), budget), random_order(random, n), {},
                              seed, budget);
    };
    const std::size_t climbs = 6;
    std::vector<GrowthResult> alone;
    for (std::uint64_t seed = 0; seed < climbs; ++seed) {
        const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
        AdditionRows rows(score, std::size_t{1} << 24);
        alone.push_back(climb(rows, seed));
    }
    for (const std::size_t max_bytes : {std::size_t{0}, std::size_t{20'000}, std::size_t{1} << 24}) {
        const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
        AdditionRows rows(score, max_bytes);
        std::vector<GrowthResult> together(climbs);
        std::vector<std::thread> threads;
        for (std::uint64_t seed = 0; seed < climbs; ++seed) {
            threads.emplace_back([&, seed] { together[seed] = climb(rows, seed); });
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
        for (std::size_t seed = 0; seed < climbs; ++seed) {
            CHECK(same(together[seed].climb, alone[seed].climb));
            CHECK(together[seed].rounds == alone[seed].rounds);
            CHECK(same(together[seed].fresh, alone[seed].fresh));
        }
    }
}

TEST_CASE("growing climbs keep the rules and score what they find") {
    const RandomTable<std::uint8_t> table(300, {2, 3, 2, 2, 3, 2, 2, 2}, 24);
    const std::size_t n = table.arities.size();
    Rules rules(n);
    const std::vector<Variable> chain{2, 5, 1, 7, 0}; // each must be a parent of the next
    for (std::size_t i = 1; i < chain.size(); ++i) {
        rules.require(chain[i - 1], chain[i]);
        rules.forbid(chain[i], chain[i - 1]);
    }
    rules.forbid(4, 3);
    for (Variable v = 1; v < n; ++v) { // what each column follows most
        if (!rules.is_required(v - 1, v)) {
            rules.forbid(v - 1, v);
        }
    }
    rules.max_parents.assign(n, 2);
    const LocalScore score(table.view(), ScoreKind::k2, 1.0, bit_kernels(), 1 << 20);
    AdditionRows rows(score, std::size_t{1} << 24);
    for (std::uint64_t seed = 0; seed < 40; ++seed) { // most orders tear the chain apart
        Random random(seed);
        Budget budget;
        const GrowthResult end = grow_and_climb(rows, rules.view(), first_lists(rows, rules.view(), budget),
                                                random_order(random, n), {}, seed, budget);
        for (const auto &[child, fresh] : end.fresh) {
            for (std::size_t i = 0; i < fresh.size(); ++i) {
                const std::vector<Variable> parents(fresh.set(i).begin(), fresh.set(i).end());
                CHECK(near(fresh.scores[i], score.engine().score({child, parents})));
                CHECK(parents.size() <= 2);
                for (Variable x = 0; x < n; ++x) {
                    const bool is_parent = std::ranges::find(parents, x) != parents.end();
                    CHECK((!is_parent || rules.is_allowed(x, child)));
                    CHECK((is_parent || !rules.is_required(x, child)));
                }
            }
        }
    }
}

TEST_CASE("growing climbs end with the budget") {
    const RandomTable<std::uint8_t> table(200, {2, 3, 2, 2, 3, 2}, 25);
    const std::size_t n = table.arities.size();
    const Rules rules(n);
    for (std::uint64_t limit = 0; limit < 120; limit += 7) {
        const LocalScore score(table.view(), ScoreKind::aic, 1.0, bit_kernels(), 1 << 20);
        AdditionRows rows(score, std::size_t{1} << 24);
        Budget budget(Budget::no_time_limit, limit);
        Random random(limit);
        const GrowthResult end = grow_and_climb(rows, rules.view(), first_lists(rows, rules.view(), budget),
                                                random_order(random, n), {}, limit, budget);
        CHECK(end.climb.is_feasible);
        CHECK(budget.evaluations() <= limit + 2 * n);
        CHECK((end.climb.stopped_by == StopReason::evaluations) == (budget.evaluations() >= limit));
        double sum = 0.0;
        for (Variable v = 0; v < n; ++v) {
            sum += score.engine().score({v, end.climb.parents[v]});
        }
        CHECK(near(sum, end.climb.score));
    }
}

TEST_CASE("climbs that keep their state end as those that begin anew") {
    const RandomTable<std::uint8_t> table(300, {2, 3, 2, 2, 3, 2, 2, 3, 2, 2, 2, 3, 2, 2, 2, 2, 3, 2, 2, 2}, 27);
    const std::size_t n = table.arities.size();
    Rules free(n);
    Rules bound(n);
    bound.require(5, 3);
    bound.forbid(3, 5);
    bound.max_parents.assign(n, 2);
    for (const Rules *rules : {&free, &bound}) {
        const LocalScore score(table.view(), ScoreKind::aic, 1.0, bit_kernels(), 1 << 20);
        AdditionRows rows(score, std::size_t{1} << 24);
        Budget budget;
        const ArcRules view = rules->view();
        GrowingLists lists = first_lists(rows, view, budget);
        GrowingClimb kept(rows, view);
        Random random(5);
        std::vector<Variable> order = random_order(random, n);
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            const auto five = std::ranges::find(order, Variable{5});
            const auto three = std::ranges::find(order, Variable{3});
            if (three < five) { // required parents first
                std::iter_swap(three, five);
            }
            OrderClimbRules climb;
            climb.tolerance = 1e-7;
            const GrowthResult again = kept.run(lists, order, climb, seed, budget);
            const GrowthResult anew = grow_and_climb(rows, view, lists, order, climb, seed, budget);
            CHECK(same(again.climb, anew.climb));
            CHECK(again.climb.start_score == anew.climb.start_score);
            CHECK(same(again.fresh, anew.fresh));
            if (seed % 3 == 0) { // shared only now and then, so that lists lack what earlier climbs have found
                for (const auto &[v, fresh] : again.fresh) {
                    lists.grow(v, fresh);
                }
            }
            order = again.climb.order;
            if (seed % 7 == 0) {
                order = random_order(random, n);
            } else {
                std::swap(order[random.below(n)], order[random.below(n)]);
            }
        }
    }
}
