#include "arcwise/expected_engine.hpp"

#include "arcwise/class_search.hpp"
#include "arcwise/counting_engine.hpp"
#include "arcwise/hill_climb.hpp"
#include "arcwise/order_growth.hpp"

#include "random_table.hpp"
#include "rules.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

using namespace arcwise;
using testing::RandomTable;
using testing::Rules;

namespace {

constexpr std::size_t plenty = std::size_t{1} << 30;

// A chain of all variables, each with its own random probabilities.
NetworkTables chain(const std::vector<std::uint32_t> &arities, std::uint64_t seed) {
    Random random(seed);
    NetworkTables network;
    for (Variable v = 0; v < arities.size(); ++v) {
        network.parents.push_back(v == 0 ? std::vector<Variable>{} : std::vector<Variable>{v - 1});
        const std::size_t q = v == 0 ? 1 : arities[v - 1];
        std::vector<double> logarithms;
        for (std::size_t j = 0; j < q; ++j) {
            std::vector<double> row(arities[v]);
            for (double &value : row) {
                value = 0.05 + random.fraction();
            }
            const double sum = std::accumulate(row.begin(), row.end(), 0.0);
            for (const double value : row) {
                logarithms.push_back(std::log(value / sum));
            }
        }
        network.logarithms.push_back(logarithms);
    }
    return network;
}

// Takes away one cell in so many.
void make_gaps(RandomTable<std::uint8_t> &table, std::size_t one_in, std::uint64_t seed) {
    Random random(seed);
    for (std::size_t v = 0; v < table.arities.size(); ++v) {
        for (std::size_t row = 0; row < table.n_rows; ++row) {
            if (random.below(one_in) == 0) {
                table.codes[v * table.n_rows + row] = static_cast<std::uint8_t>(table.arities[v]);
            }
        }
    }
}

std::shared_ptr<const GapPosteriors> posteriors_of(const RandomTable<std::uint8_t> &table,
                                                   std::size_t most_cells = 4096, std::size_t threads = 1,
                                                   std::size_t most_bytes = plenty) {
    Budget budget(Budget::no_time_limit, Budget::no_evaluation_limit, nullptr, 0.0, false, threads);
    return std::make_shared<const GapPosteriors>(std::make_shared<const GapTable>(table.view()),
                                                 chain(table.arities, 7), GapLimits{most_cells, most_bytes, 1}, budget);
}

// The probability of a complete row in the chain.
double probability(const RandomTable<std::uint8_t> &table, const std::vector<std::size_t> &states) {
    const NetworkTables network = chain(table.arities, 7);
    double sum = 0.0;
    for (Variable v = 0; v < states.size(); ++v) {
        const std::size_t j = v == 0 ? 0 : states[v - 1];
        sum += network.logarithms[v][j * table.arities[v] + states[v]];
    }
    return std::exp(sum);
}

// Calls use(states, posterior) for all ways to fill the gaps of a row; returns the probability of what is there.
template <class Use> double fill(const RandomTable<std::uint8_t> &table, std::size_t row, const Use &use) {
    std::vector<std::vector<std::size_t>> all{{}};
    for (Variable v = 0; v < table.arities.size(); ++v) {
        std::vector<std::vector<std::size_t>> longer;
        for (const auto &states : all) {
            for (std::size_t state = 0; state < table.arities[v]; ++state) {
                if (table.code(v, row) == table.arities[v] || table.code(v, row) == state) {
                    longer.push_back(states);
                    longer.back().push_back(state);
                }
            }
        }
        all = longer;
    }
    double total = 0.0;
    for (const auto &states : all) {
        total += probability(table, states);
    }
    for (const auto &states : all) {
        use(states, probability(table, states) / total);
    }
    return total;
}

} // namespace

TEST_CASE("posteriors of gaps, and expected counts, are those of all ways to fill them") {
    RandomTable<std::uint8_t> table(40, {2, 3, 1, 2, 3}, 5, 3);
    make_gaps(table, 3, 6);
    const auto posteriors = posteriors_of(table);
    REQUIRE(posteriors->is_complete());
    double log_likelihood = 0.0;
    const std::vector<std::vector<Variable>> families{{0}, {3, 1}, {4, 0, 3}, {1, 4, 2, 0}};
    for (const auto &family : families) {
        const std::vector<Variable> parents(family.begin() + 1, family.end());
        const std::vector<double> counts = expected_counts(*posteriors, {family[0], parents}, 1000);
        std::vector<double> slow(counts.size(), 0.0);
        log_likelihood = 0.0;
        for (std::size_t row = 0; row < table.n_rows; ++row) {
            const double total = fill(table, row, [&](const std::vector<std::size_t> &states, double posterior) {
                std::size_t cell = 0;
                for (const Variable parent : parents) {
                    cell = cell * table.arities[parent] + states[parent];
                }
                slow[cell * table.arities[family[0]] + states[family[0]]] += table.weight(row) * posterior;
            });
            log_likelihood += table.weight(row) * std::log(total);
            CHECK(posteriors->row_log_likelihoods()[row] == doctest::Approx(std::log(total)));
        }
        for (std::size_t i = 0; i < counts.size(); ++i) {
            CHECK(counts[i] == doctest::Approx(slow[i]).epsilon(1e-6));
        }
    }
    CHECK(posteriors->log_likelihood() == doctest::Approx(log_likelihood));
}

TEST_CASE("what is too large to be listed has the same likelihood, and entries that sum to one") {
    RandomTable<std::uint8_t> table(60, {3, 3, 2, 3, 3, 2, 3}, 8);
    make_gaps(table, 2, 9);
    const auto listed = posteriors_of(table);
    const auto drawn = posteriors_of(table, 64);
    CHECK(listed->n_drawn_rows() == 0);
    CHECK(drawn->n_drawn_rows() > 0);
    CHECK(drawn->log_likelihood() == doctest::Approx(listed->log_likelihood()));
    const std::vector<Variable> parents{2, 4};
    const std::vector<double> exact = expected_counts(*listed, {3, parents}, 1000);
    const std::vector<double> rough = expected_counts(*drawn, {3, parents}, 1000);
    CHECK(std::accumulate(rough.begin(), rough.end(), 0.0) == doctest::Approx(60.0));
    for (std::size_t i = 0; i < exact.size(); ++i) {
        CHECK(std::abs(rough[i] - exact[i]) < 1.0);
    }
}

TEST_CASE("posteriors do not depend on the number of threads, and end with the budget") {
    RandomTable<std::uint8_t> table(2000, {2, 3, 2, 4, 2, 3}, 10);
    make_gaps(table, 4, 11);
    const auto one = posteriors_of(table, 64, 1);
    const auto four = posteriors_of(table, 64, 4);
    CHECK(one->log_likelihood() == four->log_likelihood());
    CHECK(one->draw(5) == four->draw(5));
    CHECK(one->draw(5) != one->draw(6));
    const std::vector<Variable> parents{0, 5};
    CHECK(expected_counts(*one, {3, parents}, 1000) == expected_counts(*four, {3, parents}, 1000));
    Budget spent(Budget::no_time_limit, 0);
    const GapPosteriors none(std::make_shared<const GapTable>(table.view()), chain(table.arities, 7),
                             GapLimits{64, plenty, 1}, spent);
    CHECK(!none.is_complete());
}

TEST_CASE("posteriors keep to the memory that they are given, or say how much they need") {
    RandomTable<std::uint8_t> table(300, {4, 4, 4, 4, 4, 4}, 12);
    make_gaps(table, 2, 13);
    const auto plenty_of_it = posteriors_of(table);
    const auto little = posteriors_of(table, 4096, 1, 300 * 64 * 24);
    CHECK(plenty_of_it->most_cells() == 4096);
    CHECK(little->most_cells() < 4096);
    CHECK(little->n_entries() < plenty_of_it->n_entries());
    CHECK_THROWS_AS((void)posteriors_of(table, 4096, 1, 100), std::length_error);
}

TEST_CASE("draws keep what is there") {
    RandomTable<std::uint8_t> table(200, {2, 3, 2}, 14);
    make_gaps(table, 3, 15);
    const std::vector<std::uint16_t> codes = posteriors_of(table)->draw(1);
    for (Variable v = 0; v < table.arities.size(); ++v) {
        for (std::size_t row = 0; row < table.n_rows; ++row) {
            const std::size_t before = table.code(v, row);
            CHECK(codes[v * table.n_rows + row] < table.arities[v]);
            CHECK((before == table.arities[v] || before == codes[v * table.n_rows + row]));
        }
    }
}

TEST_CASE("without gaps the score is that of counts") {
    const RandomTable<std::uint8_t> table(300, {2, 3, 2, 4}, 16, 3);
    const auto posteriors = posteriors_of(table);
    for (const ScoreKind kind : score_kinds()) {
        if (!ExpectedEngine::takes(kind)) {
            CHECK_THROWS_AS(ExpectedEngine(posteriors, kind, 1.0), std::invalid_argument);
            continue;
        }
        const ExpectedEngine expected(posteriors, kind, 2.0);
        const CountingEngine counted(table.view(), kind, 2.0, bit_kernels());
        const std::vector<Variable> parents{0, 3};
        CHECK(expected.score({1, parents}) == doctest::Approx(counted.score({1, parents})).epsilon(1e-10));
        CHECK(expected.score({2, {}}) == doctest::Approx(counted.score({2, {}})).epsilon(1e-10));
        CHECK(expected.is_equivalent() == counted.is_equivalent());
        CHECK(expected.penalty({1, parents}) == doctest::Approx(counted.penalty({1, parents})));
    }
}

TEST_CASE("no larger family exceeds the bounds of expected counts") {
    RandomTable<std::uint8_t> table(120, {2, 3, 2, 2, 3}, 17);
    make_gaps(table, 4, 18);
    const auto posteriors = posteriors_of(table);
    Budget budget;
    for (const ScoreKind kind : {ScoreKind::bic, ScoreKind::ebic, ScoreKind::bdeu}) {
        const ExpectedEngine engine(posteriors, kind, 1.0);
        const std::vector<Variable> candidates{1, 2, 3, 4};
        std::vector<double> scores(4);
        std::vector<double> bounds(4);
        const Bounds wanted{engine.supersets({0, {}}, candidates, 4, budget), bounds};
        CHECK(engine.additions({0, {}}, candidates, scores, &wanted, nullptr));
        for (std::size_t i = 0; i < 4; ++i) {
            for (Variable other = 1; other < 5; ++other) {
                if (other != candidates[i]) {
                    const std::vector<Variable> both{candidates[i], other};
                    CHECK(engine.score({0, both}) <= bounds[i] + engine.rounding());
                }
            }
        }
    }
}

TEST_CASE("all kernels search on expected counts, with one thread or several") {
    RandomTable<std::uint8_t> table(400, {2, 3, 2, 4, 2, 3, 2}, 31);
    make_gaps(table, 5, 32);
    const auto n = static_cast<Variable>(table.arities.size());
    const Rules rules(n);
    const auto engine = std::make_shared<const ExpectedEngine>(posteriors_of(table), ScoreKind::bic, 1.0);
    const auto searched = [&](std::size_t threads) {
        const LocalScore score(engine, std::size_t{1} << 22);
        Budget budget(Budget::no_time_limit, Budget::no_evaluation_limit, nullptr, 0.0, false, threads);
        AdditionRows rows(score, std::size_t{1} << 22);
        LeadingRows leading(score, std::size_t{1} << 22);
        std::vector<Variable> order(n);
        std::iota(order.begin(), order.end(), Variable{0});
        return std::vector{
            hill_climb(leading, rules.view(), {}, ParentLists(n), 3, budget).parents,
            search_classes(rows, rules.view(), 1.0, true, ParentLists(n), 5, budget).parents,
            grow_and_climb(rows, rules.view(), first_lists(rows, rules.view(), budget), order, {}, 7, budget)
                .climb.parents};
    };
    const auto found = searched(1);
    CHECK(found == searched(4));
    for (const ParentLists &parents : found) {
        double with = 0.0;
        double without = 0.0;
        for (Variable v = 0; v < n; ++v) {
            with += engine->score({v, parents[v]});
            without += engine->score({v, {}});
        }
        CHECK(with > without);
    }
}
