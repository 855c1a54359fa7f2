#include "arcwise/hill_climb.hpp"
#include "arcwise/reinsertion.hpp"

#include "near.hpp"
#include "random_table.hpp"
#include "rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

using namespace arcwise;
using testing::near;
using testing::RandomTable;

namespace {

constexpr std::size_t n = 6;
constexpr std::size_t n_graphs = 1U << (2 * n); // all parents and children of a node, also those that make no sense

struct Rules : testing::Rules {
    Rules() : testing::Rules(n, static_cast<std::int32_t>(n)) {}

    [[nodiscard]] bool allow(const ParentLists &graph) const {
        for (Variable child = 0; child < n; ++child) {
            const auto &row = graph[child];
            if (row.size() > static_cast<std::size_t>(max_parents[child])) {
                return false;
            }
            for (Variable parent = 0; parent < n; ++parent) {
                const bool has = std::ranges::find(row, parent) != row.end();
                if (has ? !is_allowed(parent, child) : is_required(parent, child)) {
                    return false;
                }
            }
        }
        return true;
    }
};

double total(const LocalScore &score, const ParentLists &parents) {
    double sum = 0.0;
    for (Variable v = 0; v < n; ++v) {
        sum += score.local(v, parents[v]);
    }
    return sum;
}

bool is_acyclic(const ParentLists &graph) {
    try {
        (void)DagState(graph);
        return true;
    } catch (const std::invalid_argument &) {
        return false;
    }
}

// A random graph, some of whose arcs are required and some of whose other arcs are forbidden.
ParentLists random_graph(Random &random, Rules &rules) {
    std::vector<Variable> order{0, 1, 2, 3, 4, 5};
    random.shuffle(order);
    ParentLists graph(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const Variable child = order[i];
            const Variable parent = order[j];
            const std::size_t kind = random.below(10);
            if (kind < 4) {
                graph[child].push_back(parent);
                if (kind == 0) {
                    rules.require(parent, child);
                }
            } else if (kind == 9) {
                rules.forbid(parent, child);
            } else if (kind == 8) {
                rules.forbid(child, parent);
            }
        }
    }
    for (Variable v = 0; v < n; ++v) {
        rules.max_parents[v] = static_cast<std::int32_t>(graph[v].size() + random.below(3));
    }
    return graph;
}

// The best score of a graph that differs in the arcs of one node; it has at most `most` parents that are not required
// there, or the parents that it has.
double best_by_definition(const LocalScore &score, const Rules &rules, const ParentLists &graph, Variable node,
                          std::size_t most) {
    double best = total(score, graph);
    for (std::size_t bits = 0; bits < n_graphs; ++bits) {
        ParentLists changed = graph;
        changed[node].clear();
        std::size_t free = 0;
        for (Variable v = 0; v < n; ++v) {
            std::erase(changed[v], node);
            if (bits >> v & 1U) {
                changed[node].push_back(v);
                free += !rules.is_required(v, node);
            }
            if (bits >> (n + v) & 1U) {
                changed[v].push_back(node);
            }
        }
        const bool is_small = free <= most || std::ranges::is_permutation(changed[node], graph[node]);
        if (is_small && rules.allow(changed) && is_acyclic(changed)) {
            best = std::max(best, total(score, changed));
        }
    }
    return best;
}

} // namespace

TEST_CASE("a reinsertion is the best of all, and gains what it says") {
    Random random(3);
    std::size_t gains = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const RandomTable<std::uint8_t> table(60, {2, 3, 2, 4, 2, 3}, seed);
        constexpr ScoreKind kinds[] = {ScoreKind::bic, ScoreKind::bdeu, ScoreKind::loglik};
        const LocalScore score(table.view(), kinds[seed % 3], 1.0, bit_kernels(), 1 << 20);
        LeadingRows rows(score, 1 << 20);
        Rules rules;
        const ParentLists start = random_graph(random, rules);
        const ArcRules view = rules.view();
        for (const std::size_t set_size : {std::size_t{1}, std::size_t{3}}) {
            Reinsertions reinsertions(score, view, {set_size, 64});
            for (Variable node = 0; node < n; ++node) {
                Budget budget;
                DagSearch state(rows, view, DagMoves::add_delete_reverse, start, budget);
                const Move move = reinsertions.best(state, node, random, budget);
                state.make(move.steps);
                const ParentLists end = state.dag().parent_lists(); // it would have thrown where there is a cycle
                CHECK(rules.allow(end));
                CHECK(near(total(score, end), total(score, start) + move.gain));
                CHECK(near(total(score, end), best_by_definition(score, rules, start, node, set_size)));
                gains += !move.steps.empty();
            }
        }
    }
    CHECK(gains > 50);
}

TEST_CASE("what came before a node may come after it, and the other way round") {
    RandomTable<std::uint8_t> table(400, {2, 2, 2, 2, 2, 2}, 6);
    Random random(7);
    for (std::size_t row = 0; row < table.n_rows; ++row) { // 0 -> 2 <- 1 and 2 -> 3
        const auto column = [&](std::size_t v) -> std::uint8_t & { return table.codes[v * table.n_rows + row]; };
        const auto noise = [&] { return static_cast<std::uint8_t>(random.below(8) == 0); };
        for (const std::size_t v : {0, 1, 4, 5}) {
            column(v) = static_cast<std::uint8_t>(random.below(2));
        }
        column(2) = column(0) ^ column(1) ^ noise();
        column(3) = column(2) ^ noise();
    }
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
    LeadingRows rows(score, 1 << 20);
    const Rules rules;
    const ArcRules view = rules.view();
    const ParentLists start{{2}, {2}, {3}, {}, {}, {}}; // the wrong way round
    Budget budget;
    DagSearch state(rows, view, DagMoves::add_delete_reverse, start, budget);
    Reinsertions reinsertions(score, view, {3, 64});
    state.make(reinsertions.best(state, 2, random, budget).steps);
    CHECK(state.dag().parent_lists() == ParentLists{{}, {}, {0, 1}, {2}, {}, {}});
    CHECK(near(state.score(), best_by_definition(score, rules, start, 2, 3)));
}

TEST_CASE("parents come from the candidates that are best alone") {
    const RandomTable<std::uint8_t> table(400, {2, 2, 2, 2, 2, 2}, 4); // each column follows the one before it
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
    LeadingRows rows(score, 1 << 20);
    const Rules rules;
    const ArcRules view = rules.view();
    Budget budget;
    Random random(1);
    for (Variable node = 1; node + 1 < n; ++node) {
        Reinsertions reinsertions(score, view, {3, 1});
        DagSearch state(rows, view, DagMoves::add_delete_reverse, ParentLists(n), budget);
        state.make(reinsertions.best(state, node, random, budget).steps);
        std::vector<Variable> others{0, 1, 2, 3, 4, 5};
        std::erase(others, node);
        const Variable best = *std::ranges::max_element(
            others, {}, [&](Variable other) { return score.local(node, std::vector<Variable>{other}); });
        CHECK(std::ranges::all_of(state.dag().parents(node), [&](Variable parent) { return parent == best; }));
        CHECK(state.score() > total(score, ParentLists(n)));
    }
}

TEST_CASE("a search by reinsertion ends where no reinsertion is a gain") {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const RandomTable<std::uint8_t> table(80, {2, 3, 2, 4, 2, 3}, 20 + seed);
        const LocalScore score(table.view(), ScoreKind::bdeu, 1.0, bit_kernels(), 1 << 20);
        LeadingRows rows(score, 1 << 20);
        Random random(seed);
        Rules rules;
        const ParentLists start = random_graph(random, rules);
        const ArcRules view = rules.view();
        Budget budget;
        const HillClimbResult end = reinsert(rows, view, {2, 64}, start, seed, budget);
        CHECK(end.stopped_by == StopReason::none);
        CHECK(near(end.score, total(score, end.parents)));
        CHECK(end.score >= total(score, start) - 1e-9);
        CHECK(rules.allow(end.parents));
        for (Variable node = 0; node < n; ++node) {
            CHECK(near(best_by_definition(score, rules, end.parents, node, 2), end.score));
        }
        const std::vector<Improvement> points = budget.best().take_points();
        CHECK(std::ranges::is_sorted(points, {}, &Improvement::score));
        CHECK(points.back().score == end.score);
        CHECK(budget.best().graph().parents == end.parents);
    }
}

TEST_CASE("a search by reinsertion returns the best it has when its budget ends") {
    const RandomTable<std::uint8_t> table(80, {2, 3, 2, 4, 2, 3}, 5);
    const Rules rules;
    double before = -1e300;
    for (const std::uint64_t limit : {0, 10, 40, 70, 100, 10'000}) {
        const LocalScore score(table.view(), ScoreKind::bdeu, 1.0, bit_kernels(), 1 << 20);
        LeadingRows rows(score, 1 << 20);
        Budget budget(Budget::no_time_limit, limit);
        const HillClimbResult end = reinsert(rows, rules.view(), {3, 64}, ParentLists(n), 1, budget);
        CHECK((end.stopped_by == StopReason::none) == (limit == 10'000));
        CHECK(budget.evaluations() <= limit + 2 * n);
        CHECK(near(end.score, total(score, end.parents)));
        CHECK(end.score >= before);
        before = end.score;
    }
}
