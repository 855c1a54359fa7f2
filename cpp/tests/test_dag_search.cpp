#include "arcwise/dag_search.hpp"
#include "arcwise/hill_climb.hpp"
#include "arcwise/random.hpp"

#include "near.hpp"
#include "random_table.hpp"
#include "rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <utility>

using namespace arcwise;
using testing::near;
using testing::RandomTable;

namespace {

struct Everything : testing::Rules {
    explicit Everything(std::size_t n, int most = 3) : Rules(n, most) {}
};

double total(const LocalScore &score, const ParentLists &parents) {
    double sum = 0.0;
    for (Variable v = 0; v < parents.size(); ++v) {
        sum += score.engine().score({v, parents[v]});
    }
    return sum;
}

ParentLists random_dag(std::size_t n, std::uint64_t seed) {
    Random random(seed);
    ParentLists parents(n);
    for (Variable child = 1; child < n; ++child) {
        for (Variable parent = 0; parent < child; ++parent) {
            if (random.below(3) == 0 && parents[child].size() < 3) {
                parents[child].push_back(parent);
            }
        }
    }
    return parents;
}

constexpr DagMoves every_kind[] = {DagMoves::add_delete_reverse, DagMoves::add_delete_reverse_swap,
                                   DagMoves::break_cycles};

} // namespace

TEST_CASE("every move gains what it says and leads back") {
    const RandomTable<std::uint8_t> table(400, {2, 3, 2, 4, 2, 3, 2}, 5);
    const std::size_t n = table.arities.size();
    const LocalScore score(table.view(), ScoreKind::bdeu, 1.0, bit_kernels(), 1 << 20);
    LeadingRows rows(score, 1 << 20);
    const Everything rules(n);
    const ArcRules view = rules.view();
    std::size_t longer = 0;
    for (const DagMoves moves : every_kind) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            Budget budget;
            DagSearch state(rows, view, moves, random_dag(n, seed), budget);
            const ParentLists before = state.dag().parent_lists();
            const double start = total(score, before);
            CHECK(near(state.score(), start));
            std::vector<Move> all;
            const double floor = -1e300;
            state.for_each_move(floor,
                                [&](double gain, std::vector<Step> steps) { all.push_back({gain, std::move(steps)}); });
            CHECK(!all.empty());
            for (const Move &move : all) {
                const std::uint64_t expected = state.fingerprint_after(move.steps);
                state.make(move.steps);
                CHECK(state.fingerprint() == expected);
                const ParentLists after = state.dag().parent_lists();
                (void)DagState(after); // throws where there is a cycle
                CHECK(near(total(score, after), start + move.gain));
                CHECK(std::ranges::all_of(after, [](const auto &row) { return row.size() <= 3; }));
                const bool is_reversal = move.steps.size() == 2 && moves != DagMoves::break_cycles;
                longer += move.steps.size() > 1 && !is_reversal;
                state.make(DagSearch::inverse(move.steps));
                CHECK(state.dag().parent_lists() == before);
            }
        }
    }
    CHECK(longer > 20); // cycles were broken
}

namespace {

// All moves from a graph by definition, with what they gain: one arc more or less or the other way round, or one parent
// in the place of another.
std::vector<Move> moves_by_definition(const LocalScore &score, const ArcRules &rules, const ParentLists &graph,
                                      bool with_swaps) {
    const auto n = static_cast<Variable>(graph.size());
    const auto local = [&](Variable node, std::vector<Variable> parents, Variable out, Variable in) {
        std::erase(parents, out);
        if (in != Step::nobody) {
            parents.push_back(in);
        }
        return score.local(node, parents);
    };
    std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n, false));
    const DagState dag(graph);
    for (Variable v = 0; v < n; ++v) {
        dag.for_each_below(v, [&](Variable u) { reaches[v][u] = true; });
    }
    std::vector<Move> all;
    for (Variable node = 0; node < n; ++node) {
        const double own = score.local(node, graph[node]);
        const auto enter = [&](Variable out) {
            for (Variable x = 0; x < n; ++x) {
                if (rules.is_allowed(node, x) && !dag.has_arc(x, node) && !reaches[node][x]) {
                    all.push_back({local(node, graph[node], out, x) - own, {{node, out, x}}});
                }
            }
        };
        if (graph[node].size() < static_cast<std::size_t>(rules.max_parents[node])) {
            enter(Step::nobody);
        }
        for (const Variable parent : graph[node]) {
            if (rules.is_required(node, parent)) {
                continue;
            }
            const double deletion = local(node, graph[node], parent, Step::nobody) - own;
            all.push_back({deletion, {{node, parent, Step::nobody}}});
            const bool has_room = graph[parent].size() < static_cast<std::size_t>(rules.max_parents[parent]);
            const bool is_only_path = std::ranges::none_of(
                graph[node], [&](Variable other) { return other != parent && reaches[parent][other]; });
            if (rules.is_allowed(parent, node) && has_room && is_only_path) {
                const double addition =
                    local(parent, graph[parent], Step::nobody, node) - score.local(parent, graph[parent]);
                all.push_back({deletion + addition, {{node, parent, Step::nobody}, {parent, Step::nobody, node}}});
            }
            if (with_swaps) {
                enter(parent);
            }
        }
    }
    return all;
}

} // namespace

TEST_CASE("among more variables than a row holds, all moves are found after every move") {
    const std::size_t n = 90;
    const RandomTable<std::uint8_t> table(120, std::vector<std::uint32_t>(n, 2), 61);
    const LocalScore score(table.view(), ScoreKind::aic, 1.0, bit_kernels(), 1 << 24);
    const std::size_t little = 20'000; // rows are forgotten, and counted again
    for (const DagMoves moves : {DagMoves::add_delete_reverse, DagMoves::add_delete_reverse_swap}) {
        for (const std::size_t n_forbidden : {std::size_t{0}, n * n / 8, n * n, 4 * n * n}) {
            Random random(n_forbidden + 3);
            LeadingRows rows(score, n_forbidden == 0 ? little : 1 << 24);
            Everything rules(n, 4);
            const ParentLists start = random_dag(n, 5);
            const DagState first(start);
            for (std::size_t i = 0; i < n_forbidden; ++i) {
                const auto parent = static_cast<Variable>(random.below(n));
                const auto child = static_cast<Variable>(random.below(n));
                if (!first.has_arc(parent, child)) {
                    rules.forbid(parent, child);
                }
            }
            for (Variable node = 0; node < n; ++node) {
                for (const Variable parent : start[node]) {
                    if (random.below(8) == 0) {
                        rules.require(parent, node);
                    }
                }
            }
            Budget budget;
            const ArcRules view = rules.view();
            DagSearch state(rows, view, moves, start, budget);
            const auto found_above = [&](double floor) {
                std::vector<std::pair<std::uint64_t, double>> found;
                state.for_each_move(floor, [&](double gain, const std::vector<Step> &steps) {
                    found.emplace_back(state.fingerprint_after(steps), gain);
                });
                std::ranges::sort(found);
                return found;
            };
            for (int step = 0; step < 12; ++step) {
                const std::vector<Move> all =
                    moves_by_definition(score, view, state.dag().parent_lists(), moves != DagMoves::add_delete_reverse);
                for (const double floor : {state.tolerance(), 1.0, -1.0, -1e300, 2.0}) {
                    std::vector<std::pair<std::uint64_t, double>> expected;
                    for (const Move &move : all) {
                        if (move.gain > floor) {
                            expected.emplace_back(state.fingerprint_after(move.steps), move.gain);
                        }
                    }
                    std::ranges::sort(expected);
                    CHECK(found_above(floor) == expected);
                }
                for (int further = 0; further < 3; ++further) { // so that cycles close and open
                    const auto from_here = moves_by_definition(score, view, state.dag().parent_lists(), false);
                    const bool deletes = random.below(3) == 0;
                    std::vector<Move> chosen;
                    std::ranges::copy_if(from_here, std::back_inserter(chosen), [&](const Move &move) {
                        return deletes ? !move.steps.front().adds() : move.gain > 1.0;
                    });
                    if (!chosen.empty()) {
                        state.make(chosen[random.below(chosen.size())].steps);
                    }
                }
            }
        }
    }
}

TEST_CASE("searches with more moves end where smaller ones find nothing") {
    const RandomTable<std::uint8_t> table(300, {2, 3, 2, 2, 2, 3, 2, 2}, 9);
    const std::size_t n = table.arities.size();
    const LocalScore score(table.view(), ScoreKind::bdeu, 1.0, bit_kernels(), 1 << 20);
    LeadingRows rows(score, 1 << 20);
    const Everything rules(n);
    const ArcRules view = rules.view();
    for (const DagMoves moves : every_kind) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            Budget budget;
            const HillClimbResult end = hill_climb(rows, view, moves, random_dag(n, seed), seed, budget);
            CHECK(near(end.score, total(score, end.parents)));
            for (const DagMoves fewer : every_kind) {
                if (fewer > moves) {
                    break;
                }
                DagSearch state(rows, view, fewer, end.parents, budget);
                const double floor = state.tolerance();
                std::size_t better = 0;
                state.for_each_move(floor, [&](double, const std::vector<Step> &) { ++better; });
                CHECK(better == 0);
            }
        }
    }
}

TEST_CASE("tabu and look ahead are no worse than a climb from the same graph") {
    const RandomTable<std::uint8_t> table(300, {2, 3, 2, 2, 2, 3, 2, 2}, 10);
    const std::size_t n = table.arities.size();
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
    LeadingRows rows(score, 1 << 20);
    const Everything rules(n);
    const ArcRules view = rules.view();
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        Budget budget;
        const auto climb = hill_climb(rows, view, DagMoves::add_delete_reverse, ParentLists(n), seed, budget);
        const auto beyond =
            tabu_search(rows, view, DagMoves::add_delete_reverse, {50, 20}, climb.parents, seed, budget);
        CHECK(beyond.score >= climb.score - 1e-9);
        CHECK(near(beyond.score, total(score, beyond.parents)));
        const auto ahead = look_ahead(rows, view, {2, 4}, climb.parents, seed, budget);
        CHECK(ahead.score >= climb.score - 1e-9);
        CHECK(near(ahead.score, total(score, ahead.parents)));
        CHECK(ahead.stopped_by == StopReason::none);
    }
}

TEST_CASE("what is remembered of broken cycles is what is found anew") {
    const RandomTable<std::uint8_t> table(150, {2, 3, 2, 2, 2, 3, 2, 2, 2, 3, 2, 2, 2, 3, 2, 2}, 21);
    const std::size_t n = table.arities.size();
    const LocalScore score(table.view(), ScoreKind::aic, 1.0, bit_kernels(), 1 << 20);
    LeadingRows rows(score, 1 << 20);
    const Everything rules(n);
    const ArcRules view = rules.view();
    const auto moves_from = [](DagSearch &state) {
        std::vector<Move> all;
        const double floor = state.tolerance();
        state.for_each_move(floor,
                            [&](double gain, std::vector<Step> steps) { all.push_back({gain, std::move(steps)}); });
        return all;
    };
    std::size_t longer = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        Budget budget;
        Random random(seed);
        DagSearch state(rows, view, DagMoves::break_cycles, random_dag(n, seed), budget);
        for (int moves = 0; moves < 60; ++moves) {
            const std::vector<Move> remembered = moves_from(state);
            DagSearch anew(rows, view, DagMoves::break_cycles, state.dag().parent_lists(), budget);
            const std::vector<Move> found = moves_from(anew);
            CHECK(remembered.size() == found.size());
            for (std::size_t i = 0; i < std::min(found.size(), remembered.size()); ++i) {
                CHECK(near(remembered[i].gain, found[i].gain));
                CHECK(anew.fingerprint_after(remembered[i].steps) == anew.fingerprint_after(found[i].steps));
                longer += found[i].steps.size() > 2;
            }
            if (!found.empty() && random.below(4) != 0) {
                state.make(found[random.below(found.size())].steps);
                continue;
            }
            // now and then an arc goes that no climb would delete, so that there is always something to gain
            const auto child = static_cast<Variable>(random.below(n));
            if (!state.dag().parents(child).empty()) {
                state.make({{child, state.dag().parents(child).front(), Step::nobody}});
            }
        }
    }
    CHECK(longer > 1000);
}

TEST_CASE("limits on degrees leave just the moves that keep to them") {
    const RandomTable<std::uint8_t> table(200, {2, 3, 2, 2, 2, 3, 2, 2, 2, 3}, 31);
    const std::size_t n = table.arities.size();
    const LocalScore score(table.view(), ScoreKind::aic, 1.0, bit_kernels(), 1 << 20);
    LeadingRows rows(score, 1 << 20);
    Everything rules(n);
    const ArcRules free = rules.view();
    std::size_t refused = 0;
    std::size_t longer = 0;
    for (const DagMoves moves : every_kind) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            const ParentLists start = random_dag(n, seed);
            const DagState graph(start);
            rules.max_degree.clear();
            for (Variable node = 0; node < n; ++node) {
                rules.max_degree.push_back(static_cast<std::int32_t>(graph.degree(node) + (node + seed) % 2));
            }
            Budget budget;
            const ArcRules limits = rules.view();
            DagSearch limited(rows, limits, moves, start, budget);
            DagSearch unlimited(rows, free, moves, start, budget);
            const auto keeps = [&](const std::vector<Step> &steps) {
                DagSearch after(rows, free, moves, start, budget);
                after.make(steps);
                for (Variable node = 0; node < n; ++node) {
                    if (after.dag().degree(node) > static_cast<std::size_t>(rules.max_degree[node])) {
                        return false;
                    }
                }
                return true;
            };
            const double floor = -1e300;
            std::vector<std::uint64_t> found;
            limited.for_each_move(floor, [&](double, const std::vector<Step> &steps) {
                CHECK(keeps(steps));
                longer += steps.size() > 2;
                found.push_back(limited.fingerprint_after(steps));
            });
            // Of moves of one operator none is lost; where cycles are broken, another way may have been taken.
            unlimited.for_each_move(floor, [&](double, const std::vector<Step> &steps) {
                const bool may_be = keeps(steps);
                refused += !may_be;
                if (may_be && (steps.size() == 1 || moves != DagMoves::break_cycles)) {
                    CHECK(std::ranges::find(found, unlimited.fingerprint_after(steps)) != found.end());
                }
            });
        }
    }
    CHECK(refused > 100);
    CHECK(longer > 20);
}

TEST_CASE("climbs within limits on degrees find all moves at every step") {
    const RandomTable<std::uint8_t> table(150, {2, 3, 2, 2, 2, 3, 2, 2, 2, 3, 2, 2}, 41);
    const std::size_t n = table.arities.size();
    const LocalScore score(table.view(), ScoreKind::aic, 1.0, bit_kernels(), 1 << 20);
    LeadingRows rows(score, 1 << 20);
    Everything rules(n, static_cast<int>(n));
    rules.max_degree.assign(n, 3);
    for (const DagMoves moves : every_kind) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            Budget budget;
            const ArcRules view = rules.view();
            const HillClimbResult end = hill_climb(rows, view, moves, ParentLists(n), seed, budget);
            const DagState graph(end.parents);
            for (Variable node = 0; node < n; ++node) {
                CHECK(graph.degree(node) <= 3);
            }
            DagSearch anew(rows, view, moves, end.parents, budget); // remembers nothing
            const double floor = anew.tolerance();
            std::size_t better = 0;
            anew.for_each_move(floor, [&](double, const std::vector<Step> &) { ++better; });
            CHECK(better == 0);
        }
    }
}

TEST_CASE("the longest chain is that of the moves that were made") {
    const RandomTable<std::uint8_t> table(150, {2, 3, 2, 2, 2, 3, 2, 2, 2, 3, 2, 2, 2, 3, 2, 2}, 21);
    const std::size_t n = table.arities.size();
    const LocalScore score(table.view(), ScoreKind::k2, 1.0, bit_kernels(), 1 << 20);
    LeadingRows rows(score, 1 << 20); // moves hardly ever tie
    const Everything rules(n);
    const ArcRules view = rules.view();
    std::uint64_t longest = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        Budget budget;
        for (const DagMoves moves : {DagMoves::add_delete_reverse, DagMoves::add_delete_reverse_swap}) {
            CHECK(hill_climb(rows, view, moves, random_dag(n, seed), seed, budget).longest_chain == 1);
        }
        const auto end = hill_climb(rows, view, DagMoves::break_cycles, random_dag(n, seed), seed, budget);
        CHECK(hill_climb(rows, view, DagMoves::break_cycles, end.parents, seed, budget).longest_chain == 0);
        DagSearch state(rows, view, DagMoves::break_cycles, random_dag(n, seed), budget);
        std::uint64_t length = 0;
        for (Move best{0.0, {{}}}; !best.steps.empty();) {
            best = {state.tolerance(), {}};
            state.for_each_move(best.gain, [&](double gain, const std::vector<Step> &steps) { best = {gain, steps}; });
            const auto joins = [](const Step &step, Variable a, Variable b) {
                return step.adds() != step.drops() && step.node == a && (step.adds() ? step.in : step.out) == b;
            };
            const bool is_reversal = best.steps.size() == 2 &&
                                     joins(best.steps[0], best.steps[0].node, best.steps[1].node) &&
                                     joins(best.steps[1], best.steps[1].node, best.steps[0].node);
            length = std::max<std::uint64_t>(length, is_reversal ? 1 : best.steps.size());
            state.make(best.steps);
        }
        CHECK(state.dag().parent_lists() == end.parents);
        CHECK(length == end.longest_chain);
        longest = std::max(longest, length);
    }
    CHECK(longest >= 3);
}
