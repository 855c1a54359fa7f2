#include "arcwise/class_graph.hpp"
#include "arcwise/random.hpp"

#include "rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

using namespace arcwise;
using testing::Rules;

namespace {

bool has_arc(const ParentLists &dag, Variable from, Variable to) {
    return std::ranges::find(dag[to], from) != dag[to].end();
}

bool are_adjacent(const ParentLists &dag, Variable a, Variable b) { return has_arc(dag, a, b) || has_arc(dag, b, a); }

bool is_acyclic(const ParentLists &dag) {
    try {
        (void)DagState(dag);
        return true;
    } catch (const std::invalid_argument &) {
        return false;
    }
}

ParentLists random_dag(std::size_t n, std::size_t sparseness, Random &random) {
    ParentLists dag(n);
    for (Variable child = 1; child < n; ++child) {
        for (Variable parent = 0; parent < child; ++parent) {
            if (random.below(sparseness) == 0) {
                dag[child].push_back(parent);
            }
        }
    }
    return dag;
}

// Reverses covered arcs, which stays within the class (Chickering 1995).
void wander(ParentLists &dag, std::size_t reversals, Random &random) {
    for (std::size_t tried = 0; tried < reversals; ++tried) {
        const auto y = static_cast<Variable>(random.below(dag.size()));
        if (dag[y].empty()) {
            continue;
        }
        const Variable x = dag[y][random.below(dag[y].size())];
        std::vector<Variable> others = dag[y];
        std::erase(others, x);
        if (std::ranges::is_permutation(others, dag[x])) {
            dag[y] = others;
            dag[x].push_back(y);
        }
    }
}

// The definition by Chickering's labels (1995): nodes in topological order, parents of each the last one first.
bool stands_for(const ClassGraph &graph, const ParentLists &dag) {
    const std::size_t n = dag.size();
    const DagState state(dag);
    std::vector<Variable> order;
    std::vector<char> is_done(n, 0);
    while (order.size() < n) {
        for (Variable node = 0; node < n; ++node) {
            if (!is_done[node] && std::ranges::all_of(dag[node], [&](Variable p) { return is_done[p] != 0; })) {
                is_done[node] = 1;
                order.push_back(node);
            }
        }
    }
    std::vector<std::vector<char>> is_compelled(n, std::vector<char>(n, 0)); // [child][parent]
    for (const Variable y : order) {
        const auto x =
            std::ranges::find_if(order.rbegin(), order.rend(), [&](Variable v) { return has_arc(dag, v, y); });
        if (x == order.rend()) {
            continue;
        }
        const bool all =
            std::ranges::any_of(dag[y], [&](Variable z) { return z != *x && !has_arc(dag, z, *x); }) ||
            std::ranges::any_of(dag[*x], [&](Variable w) { return is_compelled[*x][w] && !has_arc(dag, w, y); });
        for (const Variable w : dag[y]) {
            is_compelled[y][w] = all || (w != *x && is_compelled[*x][w]);
        }
    }
    for (Variable child = 0; child < n; ++child) {
        for (Variable other = 0; other < n; ++other) {
            const bool is_arc = has_arc(dag, other, child) && is_compelled[child][other];
            const bool is_back = has_arc(dag, child, other) && is_compelled[other][child];
            const bool is_edge = are_adjacent(dag, other, child);
            if (graph.parents(child).contains(other) != is_arc || graph.children(child).contains(other) != is_back ||
                graph.neighbours(child).contains(other) != (is_edge && !is_arc && !is_back) ||
                graph.adjacent(child).contains(other) != is_edge) {
                return false;
            }
        }
    }
    return true;
}

// The parents that y has in the graph although not all graphs of the class give them to it.
NodeSet chosen_parents(const ClassGraph &graph, const ParentLists &dag, Variable y) {
    NodeSet chosen;
    for (const Variable parent : dag[y]) {
        if (graph.neighbours(y).contains(parent)) {
            chosen.insert(parent);
        }
    }
    return chosen;
}

void change_at_random(std::size_t n, std::size_t sparseness, std::size_t steps, std::uint64_t seed) {
    Random random(seed);
    ParentLists dag = random_dag(n, sparseness, random);
    ClassGraph graph(dag);
    CHECK(stands_for(graph, dag));
    graph.begin_trial();
    ParentLists before_trial = dag;
    std::size_t made = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        wander(dag, 4 * n, random);
        const auto x = static_cast<Variable>(random.below(n));
        const auto y = static_cast<Variable>(random.below(n));
        if (x == y || (!are_adjacent(dag, x, y) && random.below(n) > 3)) { // insertions are many
            continue;
        }
        const ClassGraph before = graph;
        ParentLists next = dag;
        NodeSet clique = chosen_parents(graph, dag, y);
        clique.erase(x);
        if (has_arc(dag, x, y)) {
            std::erase(next[y], x);
            graph.remove(x, y, clique);
        } else if (has_arc(dag, y, x)) {
            std::erase(next[x], y);
            next[y].push_back(x);
            if (is_acyclic(next)) {
                graph.reverse(x, y, clique);
            }
        } else {
            next[y].push_back(x);
            if (is_acyclic(next)) {
                graph.insert(x, y, clique);
            }
        }
        if (!is_acyclic(next)) {
            continue;
        }
        ++made;
        CHECK(stands_for(graph, next));
        for (Variable node = 0; node < n; ++node) {
            const bool is_same = graph.parents(node) == before.parents(node) &&
                                 graph.children(node) == before.children(node) &&
                                 graph.neighbours(node) == before.neighbours(node);
            CHECK(is_same == (std::ranges::find(graph.changed(), node) == graph.changed().end()));
        }
        const auto member = graph.extension();
        REQUIRE(member);
        CHECK(stands_for(graph, *member));
        if (random.below(4) == 0) {
            graph.undo();
            CHECK(graph == before);
            CHECK(stands_for(graph, dag));
        } else {
            dag = next;
        }
        if (random.below(8) == 0) {
            random.below(2) == 0 ? (graph.undo_trial(), dag = before_trial) : (graph.keep_trial(), dag);
            CHECK(stands_for(graph, dag));
            graph.begin_trial();
            before_trial = dag;
        }
    }
    CHECK(made > steps / 20);
}

} // namespace

TEST_CASE("operators keep the essential graph") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        change_at_random(7, 2 + seed % 3, 200, seed);
        change_at_random(14, 3 + seed % 4, 100, seed);
    }
    change_at_random(70, 20, 400, 1); // more than one word
}

TEST_CASE("cliques are all sets of adjacent neighbours") {
    // 0 - 1, 2, 3, 4 with the triangle 1 2 3: four single nodes, three pairs, one triple, nothing.
    const ClassGraph graph({{}, {0}, {0, 1}, {0, 1, 2}, {0}});
    std::size_t count = 0;
    CHECK(graph.for_each_clique(0, [&](const NodeSet &clique) {
        ++count;
        return clique.view().size() <= 3;
    }));
    CHECK(count == 9);
    CHECK(!graph.for_each_clique(0, [&](const NodeSet &) { return false; }));
}

TEST_CASE("extensions obey the rules or do not exist") {
    const ClassGraph chain({{}, {0}, {1}}); // 0 - 1 - 2
    const auto extension = [&](const Rules &rules) {
        const ArcRules view = rules.view();
        return chain.extension(&view);
    };
    CHECK(extension(Rules(3)).has_value());
    Rules forbidding(3);
    forbidding.forbid(0, 1);
    const auto back = extension(forbidding);
    REQUIRE(back);
    CHECK(has_arc(*back, 1, 0));
    forbidding.forbid(1, 0);
    CHECK(!extension(forbidding));
    Rules limiting(3);
    limiting.max_parents = {1, 0, 1}; // from the middle outwards
    const auto outwards = extension(limiting);
    REQUIRE(outwards);
    CHECK((*outwards)[1].empty());
    limiting.max_parents = {0, 1, 0}; // one of the ends needs its neighbour as a parent
    CHECK(!extension(limiting));
    Rules requiring(3);
    requiring.require(0, 2);
    CHECK(!extension(requiring));
}
