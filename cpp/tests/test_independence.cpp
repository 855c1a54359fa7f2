#include "arcwise/independence.hpp"

#include "near.hpp"
#include "random_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace arcwise;
using testing::near;
using testing::RandomTable;

namespace {

constexpr std::size_t cache_bytes = 1 << 20;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Expected {
    double statistic = 0.0;
    double degrees = 0.0;
};

// A test by its definition, over the cells with their expected counts.
template <class Code>
Expected by_definition(const RandomTable<Code> &table, Statistic statistic, Variable target,
                       const std::vector<Variable> &given, Variable candidate) {
    using Cells = std::map<std::pair<std::size_t, std::size_t>, double>;
    std::map<std::vector<std::size_t>, Cells> strata;
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        std::vector<std::size_t> configuration;
        for (const Variable variable : given) {
            configuration.push_back(table.code(variable, row));
        }
        strata[configuration][{table.code(candidate, row), table.code(target, row)}] += table.weight(row);
    }
    Expected sum;
    for (auto &[configuration, cells] : strata) {
        std::map<std::size_t, double> of_candidate;
        std::map<std::size_t, double> of_target;
        double n = 0.0;
        for (const auto &[cell, count] : cells) {
            if (count > 0.0) {
                of_candidate[cell.first] += count;
                of_target[cell.second] += count;
                n += count;
            }
        }
        for (const auto &[x, n_x] : of_candidate) {
            for (const auto &[t, n_t] : of_target) {
                const double expected = n_x * n_t / n;
                const double observed = cells[{x, t}];
                if (statistic == Statistic::chi2) {
                    sum.statistic += (observed - expected) * (observed - expected) / expected;
                } else if (observed > 0.0) {
                    sum.statistic += 2.0 * observed * std::log(observed / expected);
                }
            }
        }
        if (n > 0.0) {
            sum.degrees += static_cast<double>((of_candidate.size() - 1) * (of_target.size() - 1));
        }
    }
    return sum;
}

template <class Code> void check_all_tests(const RandomTable<Code> &table) {
    const auto n = static_cast<Variable>(table.arities.size());
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), cache_bytes);
    for (Variable target = 0; target < n; ++target) {
        std::vector<Variable> given;
        std::vector<Variable> others;
        for (Variable v = 0; v < n; ++v) {
            if (v != target) {
                others.push_back(v);
            }
        }
        for (; !others.empty(); given.push_back(others.back()), others.pop_back()) {
            for (const Statistic statistic : {Statistic::g2, Statistic::chi2}) {
                Budget budget;
                std::vector<IndependenceTest> tests(others.size());
                CHECK(test_independence(score, statistic, target, given, others, tests, budget));
                CHECK(budget.evaluations() == others.size());
                for (std::size_t i = 0; i < others.size(); ++i) {
                    const Expected expected = by_definition(table, statistic, target, given, others[i]);
                    CHECK(near(tests[i].statistic, expected.statistic, 1e-8));
                    CHECK(tests[i].degrees == expected.degrees);
                    CHECK(tests[i].log_p == log_chi2_survival(tests[i].statistic, tests[i].degrees));
                    const IndependenceTest sorted = sorted_test(table.view(), statistic, target, given, others[i]);
                    CHECK(near(sorted.statistic, expected.statistic, 1e-8));
                    CHECK(sorted.degrees == expected.degrees);
                }
            }
        }
    }
}

} // namespace

TEST_CASE("chi2 survival has closed forms") {
    for (const double x : {1e-12, 0.1, 1.0, 1.9, 2.1, 5.9, 6.1, 50.0, 1000.0, 1e6}) {
        CHECK(near(log_chi2_survival(x, 2.0), -x / 2.0, 1e-13));
        CHECK(near(log_chi2_survival(x, 4.0), -x / 2.0 + std::log1p(x / 2.0), 1e-13));
        if (x < 1000.0) {
            CHECK(near(log_chi2_survival(x, 1.0), std::log(std::erfc(std::sqrt(x / 2.0))), 1e-13));
        }
    }
    CHECK(log_chi2_survival(3.0, 0.0) == 0.0);
    CHECK(log_chi2_survival(0.0, 3.0) == 0.0);
    // Near its mean a χ² with many degrees is normal, a little skewed.
    CHECK(std::abs(log_chi2_survival(1e6, 1e6) - std::log(0.5)) < 1e-3);
}

TEST_CASE("tests by definition") {
    check_all_tests(RandomTable<std::uint8_t>(200, {2, 3, 2, 4, 2}, 1));
    check_all_tests(RandomTable<std::uint8_t>(300, {2, 1, 3, 2}, 2));
    check_all_tests(RandomTable<std::uint8_t>(100, {2, 3, 2, 4}, 3, 5)); // weights, some of them 0
    check_all_tests(RandomTable<std::uint16_t>(150, {2, 300, 3, 2}, 4));
    check_all_tests(RandomTable<std::uint8_t>(50, {40, 40, 40, 2}, 5)); // more cells than a table may have
    check_all_tests(RandomTable<std::uint8_t>(1, {2, 2, 2}, 6));
}

TEST_CASE("an ended budget makes no test") {
    const RandomTable<std::uint8_t> table(100, {2, 3, 2}, 1);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), cache_bytes);
    Budget budget(Budget::no_time_limit, 0);
    std::vector<IndependenceTest> tests(2);
    const std::vector<Variable> candidates{1, 2};
    CHECK(!test_independence(score, Statistic::g2, 0, {}, candidates, tests, budget));
    CHECK(std::isnan(tests[0].statistic));
    CHECK(std::isnan(tests[1].log_p));
    std::vector<double> log_p(2, -infinity);
    const TestRules rules{Statistic::g2, std::log(0.05), 5.0, 3};
    CHECK(!weaken_associations(score, rules, 0, {}, {}, candidates, log_p, budget));
    CHECK(log_p[0] == -infinity);
    CHECK(score.evaluations() == 0);
}

TEST_CASE("weakest association over all sets") {
    const RandomTable<std::uint8_t> table(400, {2, 3, 2, 2, 3, 2}, 7);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), cache_bytes);
    const std::vector<Variable> always{1};
    const std::vector<Variable> sometimes{2, 3, 4};
    const std::vector<Variable> candidates{5};
    for (const double least : {0.0, 5.0, 10.0, 40.0}) {
        for (const std::size_t most : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{9}}) {
            double expected = -infinity;
            std::uint64_t made = 0;
            for (unsigned subset = 0; subset < 8; ++subset) {
                std::vector<Variable> given = always;
                double cells = 2.0 * 2.0 * 3.0;
                for (unsigned i = 0; i < 3; ++i) {
                    if (subset >> i & 1) {
                        given.push_back(sometimes[i]);
                        cells *= table.arities[sometimes[i]];
                    }
                }
                if (given.size() <= most && cells * least <= 400.0) {
                    const Expected test = by_definition(table, Statistic::g2, 0, given, 5);
                    expected = std::max(expected, log_chi2_survival(test.statistic, test.degrees));
                    ++made;
                }
            }
            Budget budget;
            std::vector<double> log_p{-infinity};
            const TestRules rules{Statistic::g2, 1.0, least, most}; // nothing ever shows independence
            CHECK(weaken_associations(score, rules, 0, always, sometimes, candidates, log_p, budget));
            CHECK((log_p[0] == expected || near(log_p[0], expected, 1e-8)));
            CHECK(budget.evaluations() == made);
            // A candidate among the conditions is none of its own.
            const std::vector<Variable> with_candidate{5, 2, 3, 4};
            std::vector<double> again{-infinity};
            CHECK(weaken_associations(score, rules, 0, always, with_candidate, candidates, again, budget));
            CHECK(again == log_p);
        }
    }
}

TEST_CASE("independent candidates are left alone") {
    const RandomTable<std::uint8_t> table(400, {2, 3, 2, 2, 3, 2}, 7);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), cache_bytes);
    const std::vector<Variable> sometimes{1, 2, 3};
    const std::vector<Variable> candidates{4, 5};
    Budget budget;
    std::vector<double> log_p{-0.01, -0.02};
    const TestRules rules{Statistic::g2, std::log(0.05), 5.0, 3};
    CHECK(weaken_associations(score, rules, 0, {}, sometimes, candidates, log_p, budget));
    CHECK(log_p[0] == -0.01);
    CHECK(log_p[1] == -0.02);
    CHECK(budget.evaluations() == 0);
}

TEST_CASE("tests by permutations are those of Fisher") {
    // Two columns of 12 rows, each with six ones, five of them together: P(at least 5 or at most 1) = 74 / 924.
    std::vector<std::uint8_t> codes(24, 0);
    std::fill(codes.begin(), codes.begin() + 6, std::uint8_t{1});
    std::fill(codes.begin() + 12, codes.begin() + 17, std::uint8_t{1});
    codes[18] = 1;
    const TableView table{12, {2, 2}, codes.data(), {}};
    const LocalScore score(table, ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
    Budget budget;
    const std::vector<Variable> candidates{1};
    std::vector<IndependenceTest> tests(1);
    for (const Statistic statistic : {Statistic::g2, Statistic::chi2}) {
        // An alpha just below p: the draws end when they must be above it.
        CHECK(test_by_permutations(score, statistic, {20'000, 3}, std::log(0.079), 0, {}, candidates, tests, budget));
        CHECK(std::abs(std::exp(tests[0].log_p) - 74.0 / 924.0) < 0.01);
        // One above it: the pair counts as dependent.
        CHECK(test_by_permutations(score, statistic, {20'000, 3}, std::log(0.2), 0, {}, candidates, tests, budget));
        CHECK(tests[0].log_p <= std::log(0.2));
    }
    // χ² has a known mean: N (r − 1)(c − 1) / (N − 1).
    CHECK(std::abs(tests[0].degrees - 12.0 / 11.0) < 0.05);
    budget.interrupt();
    CHECK(!test_by_permutations(score, Statistic::g2, {100, 3}, 0.0, 0, {}, candidates, tests, budget));
    CHECK(std::isnan(tests[0].log_p));
}

TEST_CASE("tests by permutations take tables of any shape") {
    const RandomTable<std::uint8_t> table(300, {3, 2, 90, 5, 1, 4}, 7, 3);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
    Budget budget;
    const std::vector<Variable> given{1, 3};
    const std::vector<Variable> candidates{2, 4, 5};
    for (const Statistic statistic : {Statistic::g2, Statistic::chi2}) {
        std::vector<IndependenceTest> drawn(3);
        std::vector<IndependenceTest> plain(3);
        CHECK(test_by_permutations(score, statistic, {200, 1}, std::log(0.05), 0, given, candidates, drawn, budget));
        CHECK(test_independence(score, statistic, 0, given, candidates, plain, budget));
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(near(drawn[i].statistic, plain[i].statistic));
        }
        CHECK(drawn[1].log_p == 0.0); // constant
    }
}
