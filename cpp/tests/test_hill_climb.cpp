#include "arcwise/ancestor_check.hpp"
#include "arcwise/hill_climb.hpp"

#include "near.hpp"
#include "random_table.hpp"
#include "rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

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
    rules.require(4, 0);
    rules.forbid(0, 1);
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

namespace {

// Who reaches whom by definition: as many rounds over all arcs as there are nodes.
std::vector<std::vector<bool>> reach_by_definition(const ParentLists &parents) {
    const std::size_t n = parents.size();
    std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n, false));
    for (std::size_t v = 0; v < n; ++v) {
        reaches[v][v] = true;
    }
    for (bool grows = true; grows;) {
        grows = false;
        for (std::size_t v = 0; v < n; ++v) {
            for (const Variable parent : parents[v]) {
                for (std::size_t u = 0; u < n; ++u) {
                    if (reaches[u][parent] && !reaches[u][v]) {
                        reaches[u][v] = true;
                        grows = true;
                    }
                }
            }
        }
    }
    return reaches;
}

} // namespace

TEST_CASE("ancestors are checked as if the steps were made") {
    Random random(15);
    const Variable n = 9;
    for (int round = 0; round < 300; ++round) {
        DagState dag{ParentLists(n)};
        for (int k = 0; k < 12; ++k) {
            const auto from = static_cast<Variable>(random.below(n));
            const auto to = static_cast<Variable>(random.below(n));
            if (from != to && !dag.has_arc(from, to) && dag.can_add(from, to)) {
                dag.add(from, to);
            }
        }
        DagState after = dag;
        std::vector<Step> steps;
        for (int k = 0; k < 3; ++k) {
            const auto node = static_cast<Variable>(random.below(n));
            const auto other = static_cast<Variable>(random.below(n));
            if (after.has_arc(other, node)) {
                after.remove(other, node);
                steps.push_back({node, other, Step::nobody});
            } else if (node != other && after.can_add(other, node)) {
                after.add(other, node);
                steps.push_back({node, Step::nobody, other});
            }
        }
        const auto reaches = reach_by_definition(after.parent_lists());
        Rules rules(n);
        for (Variable a = 0; a < n; ++a) {
            for (Variable b = 0; b < n; ++b) {
                if (a != b && random.below(12) == 0) {
                    auto &pairs = random.below(4) == 0 ? rules.required_ancestors : rules.forbidden_ancestors;
                    pairs.insert(pairs.end(), {a, b});
                }
            }
        }
        bool holds = true;
        for (std::size_t k = 0; k < rules.required_ancestors.size(); k += 2) {
            holds = holds && reaches[rules.required_ancestors[k]][rules.required_ancestors[k + 1]];
        }
        for (std::size_t k = 0; k < rules.forbidden_ancestors.size(); k += 2) {
            holds = holds && !reaches[rules.forbidden_ancestors[k]][rules.forbidden_ancestors[k + 1]];
        }
        AncestorCheck check(rules.view().ancestors, n);
        CHECK(check.holds_after(dag, steps) == holds);
    }
}

TEST_CASE("a changing graph knows what reaches what") {
    Random random(14);
    const Variable n = 70;
    DagState dag{ParentLists(n)};
    std::size_t paths = 0;
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
        const auto reaches = reach_by_definition(dag.parent_lists());
        CHECK((a == b || !reaches[a][b] || !reaches[b][a])); // no cycle
        for (Variable v = 0; v < n; ++v) {
            CHECK(dag.reaches(a, v) == reaches[a][v]);
            CHECK(dag.reaches(v, b) == reaches[v][b]);
            CHECK(std::ranges::all_of(dag.parents(v), [&](Variable u) { return dag.place(u) < dag.place(v); }));
            CHECK(std::ranges::all_of(dag.children(v), [&](Variable u) { return dag.has_arc(v, u); }));
            // The arcs of a path are arcs of the graph, and lead from one end to the other.
            std::vector<std::size_t> leaves(n, 0);
            std::vector<std::size_t> enters(n, 0);
            std::size_t length = 0;
            const bool found = dag.for_path(a, v, [&](Variable from, Variable to) {
                CHECK(dag.has_arc(from, to));
                ++leaves[from];
                ++enters[to];
                ++length;
            });
            CHECK(found == reaches[a][v]);
            for (Variable u = 0; found && length > 0 && u < n; ++u) {
                CHECK(leaves[u] <= 1);
                CHECK(leaves[u] + (u == v) == enters[u] + (u == a));
            }
            paths += length > 2;
        }
        const auto count = [&](auto &&each) {
            std::vector<bool> seen(n, false);
            each([&](Variable v) {
                CHECK(!seen[v]);
                seen[v] = true;
            });
            return seen;
        };
        CHECK(count([&](auto &&use) { dag.for_each_below(a, use); }) == reaches[a]);
        const auto above = count([&](auto &&use) { dag.for_each_above(a, use); });
        for (Variable v = 0; v < n; ++v) {
            CHECK(above[v] == reaches[v][a]);
        }
    }
    CHECK(paths > 1000);
}
