#include "arcwise/initial_orders.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

using namespace arcwise;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Graph {
    std::vector<std::int64_t> begin{0};
    std::vector<std::uint16_t> parents;
    std::vector<double> weights;

    void add_node(const std::vector<std::uint16_t> &of, const std::vector<double> &heavy = {}) {
        parents.insert(parents.end(), of.begin(), of.end());
        weights.insert(weights.end(), heavy.begin(), heavy.end());
        weights.resize(parents.size(), 1.0);
        begin.push_back(static_cast<std::int64_t>(parents.size()));
    }
    [[nodiscard]] RelaxedGraph view() const { return {begin, parents, weights}; }
};

Graph random_graph(std::size_t n, std::size_t percent, Random &random) {
    Graph graph;
    for (std::size_t node = 0; node < n; ++node) {
        std::vector<std::uint16_t> parents;
        std::vector<double> weights;
        for (std::size_t parent = 0; parent < n; ++parent) {
            if (parent != node && random.below(100) < percent) {
                parents.push_back(static_cast<std::uint16_t>(parent));
                const std::size_t drawn = random.below(8);
                weights.push_back(drawn == 7 ? infinite : static_cast<double>(drawn)); // ties and zeros, too
            }
        }
        graph.add_node(parents, weights);
    }
    return graph;
}

std::vector<std::size_t> positions(const std::vector<Variable> &order) {
    std::vector<std::size_t> at(order.size(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        at[order[i]] = i;
    }
    CHECK(std::count(at.begin(), at.end(), order.size()) == 0);
    return at;
}

// Whether a path of arcs that are not feedback leads from one node to the other.
bool reaches(const RelaxedGraph &graph, const std::vector<bool> &is_feedback, std::size_t from, std::size_t to) {
    std::vector<bool> reached(graph.n_nodes(), false);
    reached[from] = true;
    for (std::size_t round = 0; round < graph.n_nodes(); ++round) {
        for (std::size_t node = 0; node < graph.n_nodes(); ++node) {
            for (auto arc = static_cast<std::size_t>(graph.begin[node]);
                 arc < static_cast<std::size_t>(graph.begin[node + 1]); ++arc) {
                reached[node] = reached[node] || (!is_feedback[arc] && reached[graph.parents[arc]]);
            }
        }
    }
    return reached[to];
}

} // namespace

TEST_CASE("weights are what a variable falls back to") {
    // 0: {1,2,3} 0, {2,3} -1, {1,4} -2, {1,2} -3, {1} -4, {} -9; 1: {0} -1; 2: {} 0; 3: {0} 0, {} -2; 4: {} 0.
    const std::vector<std::int64_t> variable_begin{0, 6, 7, 8, 10, 11};
    const std::vector<std::int64_t> set_begin{0, 3, 5, 7, 9, 10, 10, 11, 11, 12, 12, 12};
    const std::vector<std::uint16_t> members{1, 2, 3, 2, 3, 1, 4, 1, 2, 1, 0, 0};
    const std::vector<double> scores{0, -1, -2, -3, -4, -9, -1, 0, 0, -2, 0};
    // {1,3} is missing: without 2 it is {1}. Variable 1 has nothing without 0.
    CHECK((relaxed_weights({variable_begin, set_begin, members, scores}) == std::vector<double>{1, 4, 3, infinite, 2}));
}

TEST_CASE("products of the same value tie") {
    // 0 has children with 2 and 6 parents, 1 has children with 3 and 4; the rest of their parents is on a ring.
    Graph graph;
    graph.add_node({});
    graph.add_node({});
    for (std::uint16_t i = 0; i < 5; ++i) {
        graph.add_node({static_cast<std::uint16_t>(2 + (i + 1) % 5)});
    }
    graph.add_node({0, 2});
    graph.add_node({0, 2, 3, 4, 5, 6});
    graph.add_node({1, 2, 3});
    graph.add_node({1, 2, 3, 4});
    std::map<Variable, int> first;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        ++first[dfs_order(graph.view(), seed).front()];
    }
    CHECK(first.size() == 2);
    CHECK(first[0] > 60);
    CHECK(first[1] > 60);
}

TEST_CASE("products that no double holds are told apart") {
    // 2^1200 for node 0, 4^600 for node 1, 4^601 for node 2; node 3 is a parent of all but the ring.
    for (const bool with_tie : {false, true}) {
        Graph graph;
        graph.add_node({});
        graph.add_node({});
        graph.add_node({});
        graph.add_node({4});
        graph.add_node({5});
        graph.add_node({3});
        for (int i = 0; i < (with_tie ? 1200 : 1203); ++i) {
            graph.add_node({0, 3});
        }
        for (int i = 0; i < 600; ++i) {
            graph.add_node({1, 3, 4, 5});
        }
        for (int i = 0; i < 601; ++i) {
            graph.add_node({2, 3, 4, 5});
        }
        std::set<Variable> first;
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            first.insert(dfs_order(graph.view(), seed).front());
        }
        CHECK(first == (with_tie ? std::set<Variable>{0, 1} : std::set<Variable>{1}));
    }
}

TEST_CASE("feedback arcs meet every cycle and none is too many") {
    Random random(3);
    for (int trial = 0; trial < 150; ++trial) {
        const Graph graph = random_graph(1 + random.below(9), 10 + random.below(60), random);
        const RelaxedGraph view = graph.view();
        const std::uint64_t seed = random.below(1000);
        Random same(seed);
        const std::vector<bool> is_feedback = feedback_arcs(view, same);
        const auto at = positions(fas_order(view, seed));
        for (std::size_t node = 0; node < view.n_nodes(); ++node) {
            for (auto arc = static_cast<std::size_t>(view.begin[node]);
                 arc < static_cast<std::size_t>(view.begin[node + 1]); ++arc) {
                const bool is_backward = at[view.parents[arc]] > at[node];
                CHECK(is_backward == is_feedback[arc]);
                CHECK(is_backward == reaches(view, is_feedback, node, view.parents[arc]));
            }
        }
    }
}

TEST_CASE("the heaviest arc goes back first") {
    // a=0, b=1, c=2; a->b 5, b->a 2, b->c 3, c->a 10. Whichever cycle is first, a->b, b->a and b->c are cut; a->b may
    // return, and then neither of the others.
    Graph graph;
    graph.add_node({1, 2}, {2.0, 10.0});
    graph.add_node({0}, {5.0});
    graph.add_node({1}, {3.0});
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        CHECK((fas_order(graph.view(), seed) == std::vector<Variable>{2, 0, 1}));
    }
}

TEST_CASE("orders of acyclic graphs lead all arcs forward") {
    Random random(4);
    for (int trial = 0; trial < 50; ++trial) {
        Graph graph;
        const std::size_t n = 1 + random.below(30);
        for (std::size_t node = 0; node < n; ++node) { // parents have larger numbers
            std::vector<std::uint16_t> parents;
            for (std::size_t parent = node + 1; parent < n; ++parent) {
                if (random.below(4) == 0) {
                    parents.push_back(static_cast<std::uint16_t>(parent));
                }
            }
            graph.add_node(parents);
        }
        for (const auto &order : {dfs_order(graph.view(), 1), fas_order(graph.view(), 1)}) {
            const auto at = positions(order);
            for (std::size_t node = 0; node < n; ++node) {
                for (const std::uint16_t parent : graph.view().parents_of(node)) {
                    CHECK(at[parent] < at[node]);
                }
            }
        }
    }
}

TEST_CASE("restarts begin from different orders") {
    Random random(5);
    const Graph graph = random_graph(60, 6, random);
    std::set<std::vector<Variable>> dfs;
    std::set<std::vector<Variable>> fas;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        dfs.insert(dfs_order(graph.view(), seed));
        fas.insert(fas_order(graph.view(), seed));
        CHECK(dfs.contains(dfs_order(graph.view(), seed)));
        CHECK(fas.contains(fas_order(graph.view(), seed)));
    }
    CHECK(dfs.size() > 1);
    CHECK(fas.size() == 20);
}
