#include "arcwise/adjusted_engine.hpp"

#include "arcwise/counting_engine.hpp"
#include "arcwise/local_score.hpp"

#include "near.hpp"
#include "random_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

using namespace arcwise;
using testing::near;
using testing::RandomTable;

namespace {

using Set = std::vector<Variable>;

// 0.1 and 0.3 are not sums of powers of two: in floating point, what they add up to depends on the order.
const std::vector<ArcTerm> arcs{{1, 0, 0.1}, {2, 0, 0.3}, {3, 0, -1e-3}, {4, 0, 250.7}, {0, 3, 0.7}};

std::shared_ptr<const ScoreEngine> counting(const RandomTable<std::uint8_t> &table, ScoreKind kind) {
    return std::make_shared<CountingEngine>(table.view(), kind, 1.0, bit_kernels());
}

double binomial(double n, double k) {
    return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
}

} // namespace

TEST_CASE("adjusted scores are what they are by definition") {
    const RandomTable<std::uint8_t> table(200, {2, 3, 2, 4, 2}, 70);
    for (const ScoreKind kind : score_kinds()) {
        const auto inner = counting(table, kind);
        const AdjustedEngine engine(inner, {2.5, -0.4, true, arcs});
        const auto expected = [&](Variable child, const Set &parents) {
            double sum = inner->score({child, parents}) - 1.5 * inner->penalty({child, parents}) -
                         0.4 * static_cast<double>(parents.size()) -
                         std::log(binomial(4, static_cast<double>(parents.size())));
            for (const ArcTerm &arc : arcs) {
                const bool is_there = std::find(parents.begin(), parents.end(), arc.parent) != parents.end();
                sum += arc.child == child && is_there ? arc.added : 0.0;
            }
            return sum;
        };
        for (const Set &parents : {Set{}, Set{1}, Set{4, 2}, Set{3, 1, 2}, Set{1, 2, 3, 4}}) {
            CHECK(near(engine.score({0, parents}), expected(0, parents)));
        }
        CHECK(near(engine.score({3, Set{0, 1}}), expected(3, {0, 1})));
        CHECK(near(engine.score({1, Set{0}}), expected(1, {0})));
    }
}

TEST_CASE("adjusted scores are the same to the last bit in whatever way they come") {
    const RandomTable<std::uint8_t> table(200, {2, 3, 2, 4, 2}, 71);
    for (const ScoreKind kind : score_kinds()) {
        const AdjustedEngine engine(counting(table, kind), {1.3, 0.1, true, arcs});
        Set order{1, 2, 3, 4};
        const double whole = engine.score({0, order});
        do {
            CHECK(engine.score({0, order}) == whole);
            for (std::size_t k = 0; k < order.size(); ++k) {
                const Set fewer = without_one(order, k);
                const Variable last = order[k];
                double added = 0.0;
                CHECK(engine.additions({0, fewer}, {&last, 1}, {&added, 1}, nullptr, nullptr));
                CHECK(added == whole);
                double removed = 0.0;
                engine.removals({0, order}, {&k, 1}, {&removed, 1});
                CHECK(removed == engine.score({0, fewer}));
            }
        } while (std::next_permutation(order.begin(), order.end()));
        if (const SetFunction *function = engine.set_function()) {
            std::vector<std::int64_t> g(1 << 5);
            Budget budget;
            CHECK(function->fill(g, budget));
            CHECK(function->score_of(g[0b11111] - g[0b11110], {0, order}) == whole);
        }
    }
}

TEST_CASE("what is not scored any more stays without a number") {
    class Nothing final : public ScoreEngine {
      public:
        [[nodiscard]] std::size_t n_variables() const noexcept override { return 3; }
        [[nodiscard]] double rounding() const noexcept override { return 0.0; }
        [[nodiscard]] bool is_equivalent() const noexcept override { return true; }
        [[nodiscard]] double seconds_per_addition(std::size_t /*n_parents*/) const noexcept override { return 0.0; }
        [[nodiscard]] double score(const Family & /*family*/) const override { return 0.0; }
    };
    const AdjustedEngine engine(std::make_shared<Nothing>(), {1.0, 3.0, false, {}});
    const Set candidates{1, 2};
    std::vector<double> scores(2);
    std::vector<double> values(2);
    const Bounds bounds{engine.supersets({0, {}}, candidates, 2, Budget()), values};
    CHECK(engine.additions({0, {}}, candidates, scores, &bounds, nullptr));
    CHECK(scores == std::vector<double>{3.0, 3.0});
    CHECK(values == std::vector<double>(2, ScoreEngine::infinity)); // nothing is known of this score
    const Budget over(0.0);
    CHECK(!engine.additions({0, {}}, candidates, scores, &bounds, &over));
    CHECK(std::all_of(scores.begin(), scores.end(), [](double score) { return std::isnan(score); }));
}

TEST_CASE("adjusted scores say whether equivalent graphs share them") {
    const RandomTable<std::uint8_t> table(50, {2, 3, 2, 2, 2}, 73);
    const std::vector<ArcTerm> both_ways{{1, 0, 0.1}, {0, 1, 0.1}, {4, 2, -2.0}, {2, 4, -2.0}};
    const std::vector<ArcTerm> unlike{{1, 0, 0.1}, {0, 1, 0.2}};
    const auto is_equivalent = [&](ScoreKind kind, const Adjustment &adjustment) {
        return AdjustedEngine(counting(table, kind), adjustment).is_equivalent();
    };
    CHECK(is_equivalent(ScoreKind::bic, {2.0, -1.0, true, {}}));
    CHECK(is_equivalent(ScoreKind::bdeu, {1.0, 0.0, false, both_ways}));
    CHECK(!is_equivalent(ScoreKind::bdeu, {1.0, 0.0, false, unlike}));
    CHECK(!is_equivalent(ScoreKind::bdeu, {1.0, 0.0, false, arcs}));
    CHECK(!is_equivalent(ScoreKind::k2, {1.0, 0.0, false, both_ways}));
}

TEST_CASE("arcs that cannot be are refused") {
    const RandomTable<std::uint8_t> table(50, {2, 3, 2}, 74);
    const auto inner = counting(table, ScoreKind::bic);
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<Adjustment> wrong{
        {1.0, 0.0, false, {{0, 3, 1.0}}},
        {1.0, 0.0, false, {{3, 0, 1.0}}},
        {1.0, 0.0, false, {{1, 1, 1.0}}},
        {1.0, 0.0, false, {{0, 1, 1.0}, {0, 1, 2.0}}},
        {1.0, 0.0, false, {{0, 1, infinity}}},
        {-1.0, 0.0, false, {}},
        {1.0, infinity, false, {}},
    };
    for (const Adjustment &adjustment : wrong) {
        CHECK_THROWS_AS(AdjustedEngine(inner, adjustment), std::invalid_argument);
    }
    const auto once = std::make_shared<AdjustedEngine>(inner, Adjustment{});
    CHECK_THROWS_AS(AdjustedEngine(once, Adjustment{}), std::invalid_argument);
}

TEST_CASE("what improves an adjusted score is found among what improves the score, or one by one") {
    const RandomTable<std::uint8_t> table(300, {2, 2, 2, 3, 2, 2}, 71);
    const std::vector<Set> sets{{}, {1}, {4, 2}, {3, 1, 2}, {1, 2, 3, 4, 5}};
    std::vector<Family> batch;
    for (const Set &parents : sets) {
        batch.push_back({0, parents});
    }
    for (const ScoreKind kind : score_kinds()) {
        for (const Adjustment &adjustment :
             {Adjustment{2.0, 0.0, false, {}}, Adjustment{1.0, -0.3, true, {}}, Adjustment{0.1, 0.0, false, {}},
              Adjustment{1.0, 0.5, false, {}}, Adjustment{1.5, 0.0, false, {{1, 0, -0.2}, {2, 0, -0.1}}},
              Adjustment{1.5, 0.0, true, arcs}}) {
            const AdjustedEngine engine(counting(table, kind), adjustment);
            Team team(1);
            std::vector<Improvements> found(batch.size());
            std::vector<Improvements> expected(batch.size());
            CHECK(engine.improvements(batch, found, team, nullptr));
            CHECK(engine.ScoreEngine::improvements(batch, expected, team, nullptr));
            for (std::size_t i = 0; i < batch.size(); ++i) {
                CHECK(found[i].own == expected[i].own);
                CHECK(found[i].scores == expected[i].scores);
                CHECK(found[i].variables == expected[i].variables);
            }
        }
    }
}
