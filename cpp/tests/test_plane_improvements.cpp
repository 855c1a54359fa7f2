#include "arcwise/bits.hpp"
#include "arcwise/counting_engine.hpp"

#include "random_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace arcwise;
using namespace testing;

namespace {

// Families of up to three parents, among them such that are counted in other ways.
std::vector<std::pair<Variable, std::vector<Variable>>> some_families(std::size_t n, Random &random) {
    std::vector<std::pair<Variable, std::vector<Variable>>> families;
    for (Variable child = 0; child < n; ++child) {
        std::vector<Variable> parents;
        for (std::size_t i = random.below(4); i > 0; --i) {
            const auto parent = static_cast<Variable>(random.below(n));
            if (parent != child && std::ranges::find(parents, parent) == parents.end()) {
                parents.push_back(parent);
            }
        }
        std::ranges::sort(parents);
        families.emplace_back(child, parents);
    }
    return families;
}

// The same as by scoring one family after the other, to the last bit, whatever the team.
void check_improvements(const TableView &table, ScoreKind kind, const BitKernels &kernels, std::uint64_t seed) {
    const CountingEngine engine(table, kind, 1.0, kernels);
    const std::size_t n = engine.n_variables();
    Random random(seed);
    const auto families = some_families(n, random);
    std::vector<Family> batch;
    for (const auto &[child, parents] : families) {
        batch.push_back({child, parents});
    }
    std::size_t n_found = 0;
    for (const std::size_t workers : {1, 3}) {
        Team team(workers);
        std::vector<Improvements> found(batch.size());
        CHECK(engine.improvements(batch, found, team, nullptr));
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const auto &[child, parents] = batch[i];
            const double own = engine.score(batch[i]);
            CHECK(found[i].own == own);
            std::vector<std::pair<double, Variable>> expected;
            for (Variable x = 0; x < n; ++x) {
                if (x != child && std::ranges::find(parents, x) == parents.end()) {
                    const double score = engine.score({child, with_one_more(parents, x)});
                    if (score > own + engine.rounding()) {
                        expected.emplace_back(-score, x);
                    }
                }
            }
            std::ranges::sort(expected); // best first, and of equal ones the first
            REQUIRE(found[i].scores.size() == expected.size());
            for (std::size_t k = 0; k < expected.size(); ++k) {
                CHECK(found[i].scores[k] == -expected[k].first);
                CHECK(found[i].variables[k] == expected[k].second);
            }
            n_found += expected.size();
        }
    }
    CHECK(n_found > n / 4);
}

} // namespace

TEST_CASE("what improves a batch of families is what scoring them one by one finds") {
    std::vector<std::uint32_t> mixed;
    for (std::uint32_t v = 0; v < 150; ++v) {
        mixed.push_back(v % 11 == 10 ? 1 : v % 5 == 4 ? 70 : 2 + v % 3); // constants, and too many states for planes
    }
    const RandomTable<std::uint8_t> binary(700, std::vector<std::uint32_t>(200, 2), 1);
    const RandomTable<std::uint8_t> several(900, mixed, 2);
    const RandomTable<std::uint8_t> weighted(400, std::vector<std::uint32_t>(40, 3), 3, 5);
    RandomTable<std::uint8_t> with_gaps(500, std::vector<std::uint32_t>(30, 2), 4);
    with_gaps.leave_rows_out(5);
    for (const ScoreKind kind : {ScoreKind::bic, ScoreKind::bdeu, ScoreKind::bds, ScoreKind::fnml}) {
        check_improvements(binary.view(), kind, bit_kernels(), 1);
        check_improvements(several.view(), kind, bit_kernels(), 2);
        check_improvements(weighted.view(), kind, bit_kernels(), 3);
        check_improvements(with_gaps.view(), kind, bit_kernels(), 4);
    }
    check_improvements(binary.view(), ScoreKind::bic, bit_kernels("plain"), 5);
    std::vector<std::uint32_t> few_states = mixed;
    std::ranges::replace(few_states, 70U, 5U); // so that all have planes
    const RandomTable<std::uint8_t> all_planes(900, few_states, 6);
    check_improvements(all_planes.view(), ScoreKind::bic, bit_kernels(), 6);
    check_improvements(all_planes.view(), ScoreKind::ebic, bit_kernels("plain"), 7);
}

TEST_CASE("a spent budget leaves no half answers") {
    const RandomTable<std::uint8_t> table(700, std::vector<std::uint32_t>(200, 2), 1);
    const CountingEngine engine(table.view(), ScoreKind::bic, 1.0, bit_kernels());
    Team team(2);
    const Budget spent(0.0);
    const std::vector<Variable> parents{3};
    const std::vector<Family> batch{{0, {}}, {1, parents}};
    std::vector<Improvements> found(2);
    CHECK(!engine.improvements(batch, found, team, &spent));
    for (const Improvements &answer : found) {
        CHECK(std::isnan(answer.own));
        CHECK(answer.variables.empty());
    }
}
