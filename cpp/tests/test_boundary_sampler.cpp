#include "arcwise/boundary_sampler.hpp"

#include "near.hpp"
#include "random_table.hpp"
#include "rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace arcwise;
using testing::near;
using testing::RandomTable;
using testing::Rules;

namespace {

constexpr std::size_t plenty = 1 << 22;

double total(const LocalScore &score, const ParentLists &parents) {
    double sum = 0.0;
    for (Variable v = 0; v < parents.size(); ++v) {
        sum += score.engine().score({v, parents[v]});
    }
    return sum;
}

ParentLists random_graph(std::size_t n, Random &random) {
    ParentLists graph(n);
    for (Variable child = 1; child < n; ++child) {
        for (Variable parent = 0; parent < child; ++parent) {
            if (random.below(5) < 2) {
                graph[child].push_back(parent);
            }
        }
    }
    return graph;
}

std::vector<ClassGraph> classes_of(const std::vector<ClassNeighbour> &neighbours) {
    std::vector<ClassGraph> classes;
    for (const ClassNeighbour &next : neighbours) {
        classes.emplace_back(next.parents);
    }
    return classes;
}

} // namespace

TEST_CASE("what is drawn is the boundary, all of it and nothing else") {
    const RandomTable<std::uint8_t> table(200, {2, 3, 2, 2, 3, 2}, 8);
    const std::size_t n = table.arities.size();
    const LocalScore score(table.view(), ScoreKind::bdeu, 1.0, bit_kernels(), plenty);
    AdditionRows additions(score, plenty);
    const Rules rules(n);
    const ArcRules view = rules.view();
    Random random(4);
    for (int graphs = 0; graphs < 12; ++graphs) {
        const ParentLists start = random_graph(n, random);
        Budget budget;
        const std::vector<ClassNeighbour> boundary = neighbours_of_class(additions, view, false, start, budget);
        const std::vector<ClassGraph> expected = classes_of(boundary);
        std::vector<bool> is_drawn(expected.size(), false);
        const ClassGraph its_class(start);
        BoundarySampler sampler(score, view, start, 7, budget);
        for (int draws = 0; draws < 20'000; ++draws) {
            sampler.wander(4);
            const auto change = sampler.draw();
            REQUIRE(change);
            if (draws % 50 == 0) {
                CHECK(ClassGraph(sampler.parents()) == its_class);
            }
            ParentLists next = sampler.parents();
            auto &family = next[change->to];
            change->adds ? family.push_back(change->from) : static_cast<void>(std::erase(family, change->from));
            const auto place = std::ranges::find(expected, ClassGraph(next)) - expected.begin();
            REQUIRE(place < static_cast<std::ptrdiff_t>(expected.size()));
            CHECK(near(change->gain, boundary[static_cast<std::size_t>(place)].gain, 1e-7));
            is_drawn[static_cast<std::size_t>(place)] = true;
        }
        CHECK(std::ranges::all_of(is_drawn, [](bool is) { return is; }));
    }
}

TEST_CASE("with rules, every graph on the way obeys them") {
    const RandomTable<std::uint8_t> table(100, {2, 3, 2, 2, 3, 2}, 5);
    const std::size_t n = table.arities.size();
    const LocalScore score(table.view(), ScoreKind::bdeu, 10.0, bit_kernels(), plenty);
    Rules rules(n);
    rules.max_parents = {2, 1, 2, 2, 0, 2};
    rules.require(0, 1);
    rules.forbid(3, 2);
    const ArcRules view = rules.view();
    ParentLists start(n);
    start[1] = {0};
    Budget budget;
    BoundarySampler sampler(score, view, start, 3, budget);
    std::size_t n_made = 0;
    for (int draws = 0; draws < 3000; ++draws) {
        sampler.wander(3);
        if (const auto change = sampler.draw(); change && draws % 10 == 0) {
            sampler.remember(*change);
            sampler.make_remembered();
            ++n_made;
        }
        CHECK(near(sampler.score(), total(score, sampler.parents()), 1e-7));
        for (Variable child = 0; child < n; ++child) {
            const auto &parents = sampler.parents()[child];
            CHECK(parents.size() <= static_cast<std::size_t>(rules.max_parents[child]));
            for (const Variable parent : parents) {
                CHECK(rules.is_allowed(parent, child));
            }
        }
        CHECK(std::ranges::find(sampler.parents()[1], Variable{0}) != sampler.parents()[1].end());
    }
    CHECK(n_made > 50);
}

TEST_CASE("with many draws it makes the steps of greedy equivalence search") {
    for (unsigned seed = 0; seed < 8; ++seed) {
        const RandomTable<std::uint8_t> table(120, {2, 3, 2, 2, 3, 2, 2}, seed);
        const std::size_t n = table.arities.size();
        const LocalScore score(table.view(), ScoreKind::bdeu, 5.0, bit_kernels(), plenty);
        AdditionRows additions(score, plenty);
        const Rules rules(n);
        const ArcRules view = rules.view();
        Budget budget;
        const auto expected = search_classes(additions, view, 1.0, false, ParentLists(n), 1, budget);
        const BoundaryDraws draws{200 * n * n, 1, 4};
        const auto found = search_classes_by_draws(score, view, draws, ParentLists(n), seed, budget);
        CHECK(found.parents == expected.parents);
        CHECK(near(found.score, expected.score, 1e-7));
        CHECK(found.insertions == expected.insertions);
        CHECK(found.deletions == expected.deletions);
    }
}

TEST_CASE("draws end with the budget, and need two nodes") {
    const RandomTable<std::uint8_t> table(50, {2, 2, 2}, 1);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), plenty);
    const Rules rules(3);
    Budget spent(0.0);
    const BoundaryDraws forever{10, ~std::uint64_t{0}, 4};
    const auto found = search_classes_by_draws(score, rules.view(), forever, ParentLists(3), 1, spent);
    CHECK(found.stopped_by == StopReason::time);
    CHECK(found.insertions == 0);
    const RandomTable<std::uint8_t> single(50, {2}, 1);
    const LocalScore of_one(single.view(), ScoreKind::bic, 1.0, bit_kernels(), plenty);
    const Rules none(1);
    Budget budget;
    const auto alone = search_classes_by_draws(of_one, none.view(), forever, ParentLists(1), 1, budget);
    CHECK(alone.stopped_by == StopReason::none);
    CHECK(near(alone.score, of_one.engine().score({0, {}}), 1e-9));
}
