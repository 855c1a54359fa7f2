#include "arcwise/bits.hpp"
#include "arcwise/class_search.hpp"
#include "arcwise/hill_climb.hpp"
#include "arcwise/order_growth.hpp"

#include "random_table.hpp"
#include "rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

using namespace arcwise;
using namespace testing;

namespace {

constexpr std::size_t plenty = std::size_t{1} << 28;

// Enough rows for a first sweep over all nodes to be shared.
struct Wide {
    std::size_t n = 90;
    RandomTable<std::uint8_t> table{8'000, std::vector<std::uint32_t>(90, 2), 31};
    Rules at_most_three{n, 3};

    [[nodiscard]] ArcRules rules() const { return at_most_three.view(); }
    [[nodiscard]] LocalScore score() const { return {table.view(), ScoreKind::bic, 1.0, bit_kernels(), plenty}; }
};

Budget with_threads(std::size_t threads) {
    return Budget(Budget::no_time_limit, Budget::no_evaluation_limit, nullptr, 0.0, false, threads);
}

struct End {
    ParentLists parents;
    double score;
    friend bool operator==(const End &, const End &) = default;
};

// What a climb finds with one thread is what it finds with several.
template <class Climb> void check_same(const Climb &climb) {
    const Wide wide;
    const auto end = [&](std::size_t threads) {
        const LocalScore score = wide.score();
        Budget budget = with_threads(threads);
        return climb(score, wide.rules(), budget);
    };
    const End alone = end(1);
    CHECK(std::accumulate(alone.parents.begin(), alone.parents.end(), std::size_t{0},
                          [](std::size_t sum, const auto &list) { return sum + list.size(); }) > 60);
    CHECK(end(4) == alone);
}

} // namespace

TEST_CASE("threads are one where evaluations are limited, here or in the whole") {
    Budget whole(Budget::no_time_limit, 100);
    CHECK(Budget(Budget::no_time_limit, Budget::no_evaluation_limit, &whole, 0.0, false, 4).threads() == 1);
    CHECK(Budget(Budget::no_time_limit, 100, nullptr, 0.0, false, 4).threads() == 1);
    CHECK(with_threads(4).threads() == 4);
    CHECK(Budget().threads() == 1);
}

TEST_CASE("threads do not change a climb over classes") {
    check_same([&](const LocalScore &score, const ArcRules &rules, Budget &budget) {
        AdditionRows rows(score, plenty);
        const auto found = search_classes(rows, rules, 1.0, true, ParentLists(score.n_variables()), 3, budget);
        return End{found.parents, found.score};
    });
}

TEST_CASE("threads do not change a climb over graphs") {
    check_same([&](const LocalScore &score, const ArcRules &rules, Budget &budget) {
        LeadingRows rows(score, plenty);
        const ParentLists start(score.n_variables());
        const auto found = hill_climb(rows, rules, DagMoves::add_delete_reverse_swap, start, 3, budget);
        return End{found.parents, found.score};
    });
}

TEST_CASE("threads do not change a climb over orders") {
    check_same([&](const LocalScore &score, const ArcRules &rules, Budget &budget) {
        AdditionRows rows(score, plenty);
        std::vector<Variable> order(score.n_variables());
        std::iota(order.rbegin(), order.rend(), Variable{0});
        GrowthRules climb;
        climb.climb.tolerance = 4.0 * score.rounding();
        climb.kicks = 20;
        const auto found = grow_and_climb(rows, rules, first_lists(rows, rules, budget), order, climb, 3, budget);
        return End{found.climb.parents, found.climb.score};
    });
}

TEST_CASE("the candidates of one row are shared") {
    const std::size_t n = 4'000; // so that one row is worth a batch
    const RandomTable<std::uint8_t> table(150, std::vector<std::uint32_t>(n, 2), 32);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), plenty);
    AdditionRows alone(score, plenty);
    AdditionRows shared(score, plenty);
    Budget budget;
    Team one(1);
    Team team(4);
    for (Variable child = 0; child < 20; ++child) { // threads start when there has been enough to do
        const std::vector<Member> parents{static_cast<Member>(child + 1), static_cast<Member>(child + 7)};
        auto own = alone.lock(child);
        auto others = shared.lock(child);
        const auto expected = own.row(parents, budget, one);
        const auto row = others.row(parents, budget, team);
        CHECK(row->own == expected->own);
        CHECK(std::ranges::equal(row->scores, expected->scores));
        CHECK(std::ranges::equal(row->variables, expected->variables));
    }
}

TEST_CASE("a budget ends the batches of all threads") {
    const Wide wide;
    const LocalScore score = wide.score();
    AdditionRows rows(score, plenty);
    Budget spent(0.0, Budget::no_evaluation_limit, nullptr, 0.0, false, 4);
    CHECK(search_classes(rows, wide.rules(), 1.0, true, ParentLists(wide.n), 3, spent).stopped_by == StopReason::time);
    LeadingRows leading(score, plenty);
    CHECK(hill_climb(leading, wide.rules(), DagMoves::add_delete_reverse, ParentLists(wide.n), 3, spent).stopped_by ==
          StopReason::time);
}
