#include "arcwise/hill_climb.hpp"

#include "near.hpp"
#include "random_table.hpp"
#include "rules.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace arcwise;
using testing::near;
using testing::RandomTable;
using testing::Rules;

namespace {

constexpr DagMoves adr = DagMoves::add_delete_reverse;

} // namespace

TEST_CASE("a climb ends where no move improves") {
    const RandomTable<std::uint8_t> table(600, {2, 3, 2, 4, 2, 3, 2}, 11);
    const std::size_t n = table.arities.size();
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
        LeadingRows rows(score, 1 << 20);
        Budget budget;
        const HillClimbResult end = hill_climb(rows, Rules(n).view(), adr, ParentLists(n), seed, budget);
        CHECK(end.stopped_by == StopReason::none);
        const auto total = [&](const ParentLists &parents) {
            double sum = 0.0;
            for (Variable v = 0; v < n; ++v) {
                sum += score.engine().score({v, parents[v]});
            }
            return sum;
        };
        CHECK(near(end.score, total(end.parents)));
        // Every single change of an arc, by definition.
        for (Variable a = 0; a < n; ++a) {
            for (Variable b = 0; b < n; ++b) {
                for (const bool reverse : {false, true}) {
                    ParentLists changed = end.parents;
                    const bool has = std::erase(changed[b], a) > 0;
                    if (reverse && !has) {
                        continue;
                    }
                    if (reverse) {
                        changed[a].push_back(b);
                    } else if (!has) {
                        changed[b].push_back(a);
                    }
                    try {
                        (void)DagState(changed);
                    } catch (const std::invalid_argument &) {
                        continue;
                    }
                    CHECK(total(changed) <= end.score + 1e-6);
                }
            }
        }
        const std::vector<Improvement> points = budget.best().take_points();
        for (std::size_t i = 1; i < points.size(); ++i) {
            CHECK(points[i].score > points[i - 1].score);
        }
        CHECK(points.back().score == end.score);
        CHECK(budget.best().graph().parents == end.parents);
    }
}

TEST_CASE("a climb keeps the rules") {
    const RandomTable<std::uint8_t> table(600, {2, 3, 2, 4, 2}, 12);
    const std::size_t n = table.arities.size();
    Rules rules(n);
    rules.max_parents.assign(n, 1);
    rules.required[0 * n + 4] = 1; // 4 -> 0
    rules.allowed[1 * n + 0] = 0;  // not 0 -> 1
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
    LeadingRows rows(score, 1 << 20);
    Budget budget;
    ParentLists start(n);
    start[0] = {4};
    const HillClimbResult end = hill_climb(rows, rules.view(), adr, start, 0, budget);
    CHECK(end.parents[0] == std::vector<Variable>{4});
    for (Variable v = 0; v < n; ++v) {
        CHECK(end.parents[v].size() <= 1);
    }
    CHECK(end.parents[1] != std::vector<Variable>{0});
}

TEST_CASE("a spent budget returns the start") {
    const RandomTable<std::uint8_t> table(100, {2, 2, 2}, 13);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
    LeadingRows rows(score, 1 << 20);
    Budget budget(0.0);
    const HillClimbResult end = hill_climb(rows, Rules(3).view(), adr, ParentLists(3), 0, budget);
    CHECK(end.stopped_by == StopReason::time);
    CHECK(end.parents == ParentLists(3));
}

TEST_CASE("a cyclic start is refused") {
    ParentLists cyclic(2);
    cyclic[0] = {1};
    cyclic[1] = {0};
    CHECK_THROWS_AS(DagState(cyclic), std::invalid_argument);
}

TEST_CASE("a changing graph knows what reaches what") {
    Random random(14);
    const Variable n = 70; // more than one word
    DagState dag{ParentLists(n)};
    for (int step = 0; step < 600; ++step) {
        const auto a = static_cast<Variable>(random.below(n));
        const auto b = static_cast<Variable>(random.below(n));
        if (a == b) {
            continue;
        }
        if (!dag.has_arc(a, b)) {
            if (dag.can_add(a, b)) {
                dag.add(a, b);
            }
        } else if (random.below(2) == 0) {
            dag.remove(a, b);
        } else if (dag.can_reverse(a, b)) {
            dag.reverse(a, b);
        }
        const DagState fresh(dag.parent_lists()); // throws when there is a cycle
        for (Variable v = 0; v < n; ++v) {
            CHECK(fresh.reaches(a, v) == dag.reaches(a, v));
            CHECK(fresh.reaches(v, b) == dag.reaches(v, b));
        }
    }
}
