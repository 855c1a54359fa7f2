#include "arcwise/adjusted_engine.hpp"
#include "arcwise/parent_search.hpp"
#include "arcwise/subset_lattice.hpp"

#include "near.hpp"
#include "random_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <thread>

using namespace arcwise;
using testing::near;
using testing::RandomTable;

namespace {

using Set = std::vector<Variable>; // ascending

constexpr std::size_t unlimited = std::size_t{1} << 40;
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
constexpr Selection selections[] = {Selection::sequential, Selection::greedy, Selection::independence,
                                    Selection::balanced};

template <class Code> LocalScore bound_score(const RandomTable<Code> &table, ScoreKind kind, double ess = 1.0) {
    return {table.view(), kind, ess, bit_kernels(), 1 << 20};
}

// Penalties and parents that cost more or less than before, arcs that are likely and unlikely; one of them outweighs
// all data.
std::vector<Adjustment> adjustments() {
    const std::vector<ArcTerm> arcs{{1, 0, 4.0}, {2, 0, -3.0}, {0, 1, 0.5}, {0, 2, 900.0}, {2, 1, 2.0}};
    return {
        {2.5, 0.0, false, {}}, {0.3, 0.0, false, {}},   {1.0, -3.0, false, {}}, {1.0, 2.0, false, {}},
        {1.0, 0.0, true, {}},  {1.0, 0.0, false, arcs}, {0.3, 1.5, true, arcs}, {2.5, -1.0, true, arcs},
    };
}

LocalScore adjusted(const LocalScore &score, const Adjustment &adjustment) {
    return {std::make_shared<AdjustedEngine>(score.shared_engine(), adjustment), 1 << 20};
}

Set others(Variable n, Variable child) {
    Set all;
    for (Variable v = 0; v < n; ++v) {
        if (v != child) {
            all.push_back(v);
        }
    }
    return all;
}

std::vector<Set> subsets(const Set &members) {
    std::vector<Set> all;
    for (std::size_t bits = 0; bits < std::size_t{1} << members.size(); ++bits) {
        Set &subset = all.emplace_back();
        for (std::size_t i = 0; i < members.size(); ++i) {
            if ((bits >> i & 1) != 0) {
                subset.push_back(members[i]);
            }
        }
    }
    return all;
}

bool includes(const Set &set, const Set &subset) {
    return std::includes(set.begin(), set.end(), subset.begin(), subset.end());
}

// All sets that the rules allow, with their scores counted one by one.
std::map<Set, double> all_scores(const LocalScore &score, Variable child, const ParentRules &rules) {
    std::map<Set, double> scores;
    for (Set set : subsets(rules.candidates)) {
        set.insert(set.end(), rules.required.begin(), rules.required.end());
        std::sort(set.begin(), set.end());
        if (set.size() <= rules.max_parents) {
            scores[set] = score.engine().score({child, set});
        }
    }
    return scores;
}

// The list has the sets that beat all their subsets, best first, each with its score; rounding may decide about ties.
void check_exact(const ParentSetList &list, const std::map<Set, double> &scores) {
    std::map<Set, double> found;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto members = list.set(i);
        CHECK(std::is_sorted(members.begin(), members.end()));
        CHECK((i == 0 || list.scores[i - 1] >= list.scores[i]));
        found[Set(members.begin(), members.end())] = list.scores[i];
    }
    CHECK(found.size() == list.size());
    for (const auto &[set, score] : found) {
        REQUIRE(scores.contains(set));
        CHECK(near(score, scores.at(set)));
    }
    for (const auto &[set, score] : scores) {
        double below = minus_infinity;
        for (const auto &[subset, of_subset] : scores) {
            if (subset.size() < set.size() && includes(set, subset)) {
                below = std::max(below, of_subset);
            }
        }
        CHECK((found.contains(set) ? score > below - 1e-7 : score < below + 1e-7));
    }
}

ParentSearchResult search(const LocalScore &score, Variable child, const ParentRules &rules, Selection selection) {
    Budget budget;
    return search_parents(score, child, rules.required, rules.candidates,
                          {selection, rules.max_parents, unlimited, unlimited}, budget);
}

// Every selection and, where it can, the lattice, for every variable and the same limit on parents.
void check_every_way(const LocalScore &score, std::size_t max_parents) {
    const auto n = static_cast<Variable>(score.n_variables());
    std::vector<ParentRules> rules;
    for (Variable child = 0; child < n; ++child) {
        rules.push_back({{}, others(n, child), max_parents});
    }
    rules[1] = {{n - 1}, {0}, std::max<std::size_t>(1, max_parents)}; // one parent must be there, one may
    std::vector<std::map<Set, double>> scores;
    for (Variable child = 0; child < n; ++child) {
        scores.push_back(all_scores(score, child, rules[child]));
        for (const Selection selection : selections) {
            const ParentSearchResult result = search(score, child, rules[child], selection);
            CHECK(result.is_complete);
            CHECK(result.stopped_by == StopReason::none);
            CHECK(result.scored <= scores[child].size());
            check_exact(result.sets, scores[child]);
        }
    }
    Budget budget;
    const std::vector<ParentSearchResult> results = exhaust_parents(score, rules, unlimited, budget);
    CHECK(results.size() == n);
    for (Variable child = 0; child < n; ++child) {
        CHECK(results[child].is_complete);
        CHECK(results[child].scored == scores[child].size());
        check_exact(results[child].sets, scores[child]);
    }
}

} // namespace

TEST_CASE("parent sets are exact when the search finishes") {
    for (const ScoreKind kind : score_kinds()) {
        check_every_way(bound_score(RandomTable<std::uint8_t>(1, {2, 3, 2}, 40), kind), 2);
        check_every_way(bound_score(RandomTable<std::uint8_t>(60, {2, 3, 1, 4, 2, 2}, 41), kind), 5);
        check_every_way(bound_score(RandomTable<std::uint8_t>(200, {2, 3, 2, 2, 2, 2}, 42, 9), kind), 3);
        check_every_way(bound_score(RandomTable<std::uint8_t>(30, {3, 2, 90, 2}, 43), kind), 0);
        check_every_way(bound_score(RandomTable<std::uint16_t>(30, {3, 2, 2, 700, 2}, 44, 3), kind), 4);
    }
    for (const double ess : {0.01, 100.0}) {
        for (const ScoreKind kind : {ScoreKind::bdeu, ScoreKind::bds}) {
            check_every_way(bound_score(RandomTable<std::uint8_t>(80, {2, 3, 2, 2, 3}, 45), kind, ess), 4);
        }
    }
}

TEST_CASE("parent sets of adjusted scores are exact when the search finishes") {
    for (const ScoreKind kind : score_kinds()) {
        const RandomTable<std::uint8_t> table(60, {2, 3, 1, 4, 2}, 46);
        for (const Adjustment &adjustment : adjustments()) {
            check_every_way(adjusted(bound_score(table, kind), adjustment), 4);
            check_every_way(adjusted(bound_score(table, kind), adjustment), 2);
        }
    }
}

namespace {

// All additions to all parent sets of the first variable, with at most so many parents.
void check_bounds(const LocalScore &score, std::size_t most_parents) {
    const Variable child = 0;
    const Set all = others(static_cast<Variable>(score.n_variables()), child);
    std::map<Set, double> scores;
    for (const Set &set : subsets(all)) {
        if (set.size() <= most_parents) {
            scores[set] = score.engine().score({child, set});
        }
    }
    const Supersets known = score.engine().supersets({child, {}}, all, most_parents, Budget());
    for (const auto &[parents, of_parents] : scores) {
        CHECK(of_parents <= known.most_likelihood + known.most_added + 1e-9 * (1.0 + std::abs(of_parents)));
        if (parents.size() == most_parents) {
            continue;
        }
        Set candidates;
        std::set_difference(all.begin(), all.end(), parents.begin(), parents.end(), std::back_inserter(candidates));
        std::vector<double> added(candidates.size());
        std::vector<double> bounds(candidates.size());
        std::vector<Observed> observed(candidates.size(), nothing_counted);
        const Bounds wanted{known, bounds, observed};
        CHECK(score.new_additions({child, parents}, candidates, added, &wanted, nullptr));
        std::vector<Supersets> tails(candidates.size(), known);
        const bool has_tails = score.engine().tails({child, parents}, candidates, known, tails);
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            Set more = parents;
            more.insert(std::upper_bound(more.begin(), more.end(), candidates[i]), candidates[i]);
            CHECK(near(added[i], scores.at(more)));
            Set within = parents; // and those from this candidate on
            within.insert(within.end(), candidates.begin() + static_cast<std::ptrdiff_t>(i), candidates.end());
            std::ranges::sort(within);
            const double of_tail =
                has_tails ? score.engine().superset_bound({child, more}, observed[i], tails[i]) : bounds[i];
            for (const auto &[superset, of_superset] : scores) {
                const double slack = 1e-9 * (1.0 + std::abs(of_superset));
                CHECK((!includes(superset, more) || of_superset <= bounds[i] + slack));
                CHECK((!includes(superset, more) || !includes(within, superset) || of_superset <= of_tail + slack));
            }
        }
    }
}

} // namespace

TEST_CASE("no superset exceeds the bound") {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const RandomTable<std::uint8_t> table(15 + 40 * seed, {3, 2, 2, 1, 4, 70}, 50 + seed, seed % 2 == 0 ? 0 : 5);
        for (const ScoreKind kind : score_kinds()) {
            for (const double ess : {0.01, 1.0, 3.0, 100.0}) {
                check_bounds(bound_score(table, kind, ess), 5);
            }
            for (const Adjustment &adjustment : adjustments()) {
                check_bounds(adjusted(bound_score(table, kind), adjustment), seed % 2 == 0 ? 5 : 2);
            }
        }
    }
}

TEST_CASE("undominated sets have no subset before them") {
    Random random(60);
    for (int round = 0; round < 200; ++round) {
        const std::size_t n = 1 + random.below(10);
        std::vector<Set> sets;
        for (std::size_t i = 0; i < 1 + random.below(80); ++i) {
            Set set;
            for (Variable v = 0; v < n; ++v) {
                if (random.below(3) == 0) {
                    set.push_back(v * 7281); // up to 65,529
                }
            }
            if (std::find(sets.begin(), sets.end(), set) == sets.end()) {
                sets.push_back(set);
            }
        }
        ParentSetList list;
        for (const Set &set : sets) {
            list.push_back(-static_cast<double>(list.size()), std::vector<std::uint16_t>(set.begin(), set.end()));
        }
        const std::vector<bool> keep = undominated(list);
        for (std::size_t i = 0; i < sets.size(); ++i) {
            const bool has_subset = std::any_of(sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(i),
                                                [&](const Set &before) { return includes(sets[i], before); });
            CHECK(keep[i] == !has_subset);
        }
    }
}

TEST_CASE("a stopped search of parents has the smallest set") {
    const RandomTable<std::uint8_t> table(100, {2, 3, 2, 2}, 61);
    const LocalScore score = bound_score(table, ScoreKind::bic);
    const Set required{3};
    const Set candidates{1, 2};
    const auto check = [&](const ParentSearchResult &result, StopReason reason) {
        CHECK(result.stopped_by == reason);
        CHECK(!result.is_complete);
        CHECK(result.scored == 1);
        CHECK(result.sets.size() == 1);
        REQUIRE(result.sets.set(0).size() == 1);
        CHECK(result.sets.set(0)[0] == 3);
        CHECK(near(result.sets.scores[0], score.engine().score({0, required})));
    };
    for (const StopReason reason : {StopReason::time, StopReason::evaluations, StopReason::interrupt}) {
        Budget budget(reason == StopReason::time ? 0.0 : Budget::no_time_limit,
                      reason == StopReason::evaluations ? 0 : Budget::no_evaluation_limit);
        if (reason == StopReason::interrupt) {
            budget.interrupt();
        }
        for (const Selection selection : selections) {
            check(search_parents(score, 0, required, candidates, {selection, 3, unlimited, unlimited}, budget), reason);
        }
        const std::vector<ParentRules> rules(4, ParentRules{{}, {}, 3});
        std::vector<ParentRules> with_required = rules;
        with_required[0] = {required, candidates, 3};
        check(exhaust_parents(score, with_required, unlimited, budget).front(), reason);
    }
}

TEST_CASE("a search of parents forgets when memory is short") {
    const RandomTable<std::uint8_t> table(400, std::vector<std::uint32_t>(11, 2), 62);
    const LocalScore score = bound_score(table, ScoreKind::aic);
    const Set candidates = others(11, 0);
    const std::map<Set, double> scores = all_scores(score, 0, {{}, candidates, 10});
    for (const Selection selection : selections) {
        for (const std::size_t bytes : {std::size_t{0}, std::size_t{20'000}, std::size_t{60'000}, unlimited}) {
            Budget budget;
            const ParentSearchResult result =
                search_parents(score, 0, {}, candidates, {selection, 10, unlimited, bytes}, budget);
            CHECK(result.stopped_by == StopReason::none);
            CHECK(result.sets.size() > 0);
            if (result.is_complete) {
                check_exact(result.sets, scores);
            }
            CHECK((result.is_complete || bytes != unlimited));
            for (std::size_t i = 0; i < result.sets.size(); ++i) {
                const auto members = result.sets.set(i);
                CHECK(near(result.sets.scores[i], scores.at(Set(members.begin(), members.end()))));
            }
        }
    }
}

TEST_CASE("a list that was cut is not complete") {
    const RandomTable<std::uint8_t> table(400, {2, 3, 2, 4, 2}, 63);
    const LocalScore score = bound_score(table, ScoreKind::aic);
    const std::vector<ParentRules> rules(5, ParentRules{{}, {}, 4});
    std::vector<ParentRules> first = rules;
    first[0].candidates = others(5, 0);
    const ParentSearchResult whole = search(score, 0, first[0], Selection::sequential);
    CHECK(whole.sets.size() > 2);
    const auto check = [&](const ParentSearchResult &cut) {
        REQUIRE(cut.sets.size() == 3); // two and the smallest
        CHECK(cut.sets.set(2).empty());
        CHECK(near(cut.sets.scores[0], whole.sets.scores[0]));
        CHECK(near(cut.sets.scores[1], whole.sets.scores[1]));
        CHECK(!cut.is_complete);
    };
    Budget budget;
    for (const Selection selection : selections) {
        check(search_parents(score, 0, {}, first[0].candidates, {selection, 4, 2, unlimited}, budget));
    }
    check(exhaust_parents(score, first, 2, budget).front());
}

TEST_CASE("searches of parents share one score") {
    const RandomTable<std::uint8_t> table(300, {2, 3, 4, 2, 3, 70, 2}, 64);
    const auto n = static_cast<Variable>(table.arities.size());
    for (const ScoreKind kind : score_kinds()) {
        for (const Selection selection : selections) {
            const LocalScore shared = bound_score(table, kind);
            Budget whole;
            std::vector<ParentSearchResult> found(n);
            {
                std::vector<std::jthread> threads;
                for (Variable child = 0; child < n; ++child) {
                    threads.emplace_back([&, child] {
                        Budget part(Budget::no_time_limit, 40, &whole);
                        found[child] = search_parents(shared, child, {}, others(n, child),
                                                      {selection, n, unlimited, unlimited}, part);
                    });
                }
            }
            const LocalScore alone = bound_score(table, kind);
            std::uint64_t scored = 0;
            for (Variable child = 0; child < n; ++child) {
                Budget budget(Budget::no_time_limit, 40);
                const ParentSearchResult expected =
                    search_parents(alone, child, {}, others(n, child), {selection, n, unlimited, unlimited}, budget);
                CHECK(found[child].scored == expected.scored);
                CHECK(found[child].sets.members == expected.sets.members);
                CHECK(found[child].sets.begin == expected.sets.begin);
                scored += expected.scored;
            }
            CHECK(whole.evaluations() == scored);
        }
    }
}

TEST_CASE("another thread can interrupt a search of parents") {
    const RandomTable<std::uint8_t> table(2000, std::vector<std::uint32_t>(60, 2), 65);
    const LocalScore score = bound_score(table, ScoreKind::aic);
    for (const Selection selection : selections) {
        Budget budget;
        std::jthread impatient([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            budget.interrupt();
        });
        const ParentSearchResult result =
            search_parents(score, 0, {}, others(60, 0), {selection, 59, unlimited, unlimited}, budget);
        CHECK(result.stopped_by == StopReason::interrupt);
        CHECK(!result.is_complete);
        CHECK(result.sets.size() > 0);
    }
}
