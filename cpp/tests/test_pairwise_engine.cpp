// Scores of tables with gaps against their definition, counted row by row.
#include "arcwise/adjusted_engine.hpp"
#include "arcwise/counting_engine.hpp"
#include "arcwise/local_score.hpp"
#include "arcwise/pairwise_engine.hpp"

#include "near.hpp"
#include "random_table.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <vector>

using namespace arcwise;
using testing::near;
using testing::RandomTable;

namespace {

double n_ln_n(double n) { return n > 0.0 ? n * std::log(n) : 0.0; }

struct Counted {
    double n = 0.0;
    double likelihood = 0.0;
    double own = 0.0;
};

// Of a child with its parents, in the rows that have all of them.
template <class Table> Counted counted(const Table &table, Variable child, const std::vector<Variable> &parents) {
    std::map<std::vector<std::size_t>, double> cells;
    std::map<std::vector<std::size_t>, double> rows;
    std::map<std::size_t, double> states;
    Counted sums;
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        if (!table.counts(row, child, parents)) {
            continue;
        }
        std::vector<std::size_t> configuration;
        for (const Variable parent : parents) {
            configuration.push_back(table.code(parent, row));
        }
        const double weight = table.weight(row);
        rows[configuration] += weight;
        configuration.push_back(table.code(child, row));
        cells[configuration] += weight;
        states[table.code(child, row)] += weight;
        sums.n += weight;
    }
    for (const auto &[cell, count] : cells) {
        sums.likelihood += n_ln_n(count);
    }
    for (const auto &[row, count] : rows) {
        sums.likelihood -= n_ln_n(count);
    }
    for (const auto &[state, count] : states) {
        sums.own += n_ln_n(count);
    }
    sums.own -= n_ln_n(sums.n);
    return sums;
}

template <class Table>
double by_definition(const Table &table, Variable child, const std::vector<Variable> &parents,
                     const Penalties &penalties, double for_missing) {
    double total = 0.0;
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        const bool forced = !table.forced.empty() && !table.forced[child].empty() && table.forced[child][row] != 0;
        total += forced ? 0.0 : table.weight(row);
    }
    double k = static_cast<double>(table.arities[child]) - 1.0;
    for (const Variable parent : parents) {
        k *= static_cast<double>(table.arities[parent]);
    }
    double choices = 0.0; // ln C(V - 1, number of parents)
    const auto others = static_cast<double>(table.arities.size()) - 1.0;
    for (std::size_t i = 0; i < parents.size(); ++i) {
        choices += std::log((others - static_cast<double>(i)) / (static_cast<double>(i) + 1.0));
    }
    const double penalty = penalties.per_parameter * k + penalties.gamma * choices;
    const Counted family = counted(table, child, parents);
    const Counted alone = counted(table, child, {});
    const double n = std::max(1.0, family.n);
    const double missing = total > 0.0 ? 1.0 - family.n / total : 0.0; // a child that was set in all rows lacks none
    total = std::max(1.0, total);
    return total * (family.likelihood - family.own) / n + total * alone.own / std::max(1.0, alone.n) -
           std::max(total / n * penalty, for_missing * missing * k);
}

template <class Table> void check_all_families(const Table &table, const Penalties &penalties, double for_missing) {
    const auto engine = std::make_shared<PairwiseEngine>(table.view(), penalties, for_missing, bit_kernels());
    const LocalScore score(engine, 1 << 20);
    const auto n = static_cast<Variable>(table.arities.size());
    for (Variable child = 0; child < n; ++child) {
        std::vector<Variable> parents;
        std::vector<Variable> others;
        for (Variable v = 0; v < n; ++v) {
            if (v != child) {
                others.push_back(v);
            }
        }
        while (true) {
            CHECK(near(score.local(child, parents), by_definition(table, child, parents, penalties, for_missing)));
            if (others.empty()) {
                break;
            }
            std::vector<double> added(others.size());
            std::vector<double> bounds(others.size());
            Budget budget;
            const Family family{child, parents};
            const Supersets supersets = engine->supersets(family, others, n, budget);
            const Bounds wanted{supersets, bounds};
            CHECK(engine->additions(family, others, added, &wanted, nullptr));
            for (std::size_t i = 0; i < others.size(); ++i) {
                const std::vector<Variable> more = with_one_more(parents, others[i]);
                CHECK(added[i] == engine->score({child, more})); // to the last bit, however it was counted
                CHECK(near(added[i], by_definition(table, child, more, penalties, for_missing)));
                CHECK(added[i] <= bounds[i] + engine->rounding());
                for (const Variable other : others) { // a bound holds for what has more parents
                    if (other != others[i]) {
                        CHECK(engine->score({child, with_one_more(more, other)}) <= bounds[i] + engine->rounding());
                    }
                }
            }
            parents.push_back(others.back());
            others.pop_back();
            std::vector<double> removed(parents.size());
            score.removals(child, parents, removed);
            for (std::size_t i = 0; i < parents.size(); ++i) {
                CHECK(near(removed[i], by_definition(table, child, without_one(parents, i), penalties, for_missing)));
            }
        }
    }
}

template <class Table> Table masked(Table table, std::uint64_t seed) {
    table.leave_rows_out(seed);
    return table;
}

} // namespace

TEST_CASE("families with gaps are averages over the rows that have them") {
    struct Prices {
        double per_parameter;
        double gamma;
        double for_missing;
    };
    for (const Prices &its : {Prices{0.0, 0.0, 0.0}, {3.2, 0.0, 15.0}, {3.2, 0.5, 4.0}, {0.1, 0.0, 30.0}}) {
        const auto check = [&](auto table, std::uint64_t seed) {
            const std::size_t n = table.arities.size();
            check_all_families(masked(std::move(table), seed), {its.per_parameter, its.gamma, n}, its.for_missing);
        };
        check(RandomTable<std::uint8_t>(1, {2, 3}, 1), 2);
        check(RandomTable<std::uint8_t>(65, {2, 3, 2, 2}, 3), 4);
        check(RandomTable<std::uint8_t>(700, {2, 3, 1, 4, 2, 2}, 5), 6);
        check(RandomTable<std::uint8_t>(700, {2, 3, 2, 4, 2, 5}, 7, 9), 8);
        check(RandomTable<std::uint8_t>(300, {70, 2, 3, 200}, 9), 10);
        check(RandomTable<std::uint16_t>(300, {2, 1000, 3, 40000}, 11, 3), 12);
    }
}

TEST_CASE("without gaps it is the ordinary score, to the last bit") {
    const auto check = [](const auto &table) {
        const double weight = 0.5 * std::log(static_cast<double>(table.view().n_observations()));
        const CountingEngine counting(table.view(), ScoreKind::bic, 1.0, bit_kernels());
        for (const char *instructions : {"plain", "auto"}) {
            const PairwiseEngine pairwise(table.view(), {weight, 0.0, table.arities.size()}, 17.0,
                                          bit_kernels(instructions));
            const std::vector<Variable> parents{1, 3};
            const std::vector<Variable> candidates{2, 4, 5};
            std::vector<double> expected(3);
            std::vector<double> found(3);
            CHECK(counting.additions({0, parents}, candidates, expected, nullptr, nullptr));
            CHECK(pairwise.additions({0, parents}, candidates, found, nullptr, nullptr));
            CHECK(found == expected);
            CHECK(pairwise.score({2, {}}) == counting.score({2, {}}));
            CHECK(pairwise.score({5, parents}) == counting.score({5, parents}));
        }
    };
    check(RandomTable<std::uint8_t>(700, {2, 3, 2, 4, 2, 5}, 20));
    check(RandomTable<std::uint8_t>(700, {2, 3, 2, 4, 2, 5}, 21, 9));
    check(RandomTable<std::uint16_t>(700, {2, 3, 300, 4, 2, 5}, 22));
    // Gaps of a variable that is not in the family.
    RandomTable<std::uint8_t> table(700, {2, 3, 2, 4, 2, 5}, 23);
    const CountingEngine counting(table.view(), ScoreKind::aic, 1.0, bit_kernels());
    table.forced.resize(6);
    table.gaps.resize(6);
    table.gaps[1].assign(700, 1);
    const PairwiseEngine pairwise(table.view(), {1.0, 0.0, 6}, 17.0, bit_kernels());
    CHECK(pairwise.score({0, std::vector<Variable>{2, 3}}) == counting.score({0, std::vector<Variable>{2, 3}}));
}

TEST_CASE("parents are added to a family that no row has") {
    for (const std::size_t rows : {30U, 100U, 5000U}) { // counted in different ways
        RandomTable<std::uint8_t> table(rows, {2, 2, 2, 3, 2}, 31);
        table.forced.resize(5);
        table.gaps.resize(5);
        for (const std::size_t v : {0U, 1U, 4U}) {
            table.gaps[v].assign(rows, 0);
        }
        for (std::size_t row = 0; row < rows; ++row) {
            table.gaps[row < rows / 2 ? 0 : 1][row] = 1;
            table.gaps[4][row] = row % 3 == 0 ? 1 : 0;
        }
        const PairwiseEngine engine(table.view(), {1.0, 0.0, 5}, 1.0, bit_kernels());
        const std::vector<Variable> candidates{2, 3, 4};
        std::vector<double> scores(candidates.size());
        CHECK(engine.additions({0, std::vector<Variable>{1}}, candidates, scores, nullptr, nullptr));
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            CHECK(scores[i] == engine.score({0, std::vector<Variable>{1, candidates[i]}}));
        }
    }
}

TEST_CASE("a parent that no row has together with the child is never worth an arc") {
    RandomTable<std::uint8_t> table(100, {2, 2, 2}, 30);
    table.forced.resize(3);
    table.gaps.resize(3);
    table.gaps[0].assign(100, 0);
    table.gaps[1].assign(100, 0);
    for (std::size_t row = 0; row < 100; ++row) {
        table.gaps[row < 50 ? 0 : 1][row] = 1;
    }
    for (const double per_parameter : {0.0, 1.0, 2.3}) {
        const PairwiseEngine engine(table.view(), {per_parameter, 0.0, 3}, per_parameter, bit_kernels());
        const double alone = engine.score({0, {}});
        const double together = engine.score({0, std::vector<Variable>{1}});
        CHECK(std::isfinite(together));
        CHECK(together <= alone);
        CHECK((per_parameter == 0.0 || together < alone));
    }
}
