// Tests of conditional independence, in batches on the counting kernels.
#pragma once

#include "arcwise/local_score.hpp"

#include <span>
#include <vector>

namespace arcwise {

// The likelihood ratio, or Pearson's sum of squares.
enum class Statistic { g2, chi2 };

// What a test of "target and candidate are independent given S" says. For each configuration of S that occurs, the
// degrees of freedom are (rows − 1)(columns − 1), of those rows and columns that occur there.
struct IndependenceTest {
    double statistic;
    double degrees;
    double log_p; // the logarithm of the p-value, which itself would often be 0
};

// ln P(Χ² ≥ statistic) with so many degrees of freedom; 0 when there are none.
[[nodiscard]] double log_chi2_survival(double statistic, double degrees) noexcept;

// A test by permutations of the target within each configuration of the conditions: how its statistic compares with
// those of random tables that have the same margins. For few observations, where the statistic is not distributed like
// χ².
struct Permutations {
    std::size_t draws = 0; // none: the test is that of χ²
    std::uint64_t seed = 0;
};

// tests[i] is that of candidates[i]. Each is one evaluation. Returns false when the budget ended it early; what was not
// tested is NaN.
bool test_independence(const LocalScore &score, Statistic statistic, Variable target, std::span<const Variable> given,
                       std::span<const Variable> candidates, std::span<IndependenceTest> tests, Budget &budget);

// The same by permutations, with degrees and log p as in PermutedStatistic::test.
bool test_by_permutations(const LocalScore &score, Statistic statistic, const Permutations &permutations,
                          double log_alpha, Variable target, std::span<const Variable> given,
                          std::span<const Variable> candidates, std::span<IndependenceTest> tests, Budget &budget);

// The same test by sorting the rows: for tables of any size, and as a check.
[[nodiscard]] IndependenceTest sorted_test(const TableView &table, Statistic statistic, Variable target,
                                           std::span<const Variable> given, Variable candidate);

// Which tests are made, and what they show.
struct TestRules {
    Statistic statistic;
    double log_alpha;      // a larger log p shows independence
    double least_per_cell; // observations per cell, on average; with fewer no test is made
    std::size_t max_conditions;
    Permutations permutations{};
};

// Raises log_p[i] to the largest that a test of candidates[i] gives, over all sets of conditions that consist of
// `always` and some of `sometimes`, small ones first. Candidates may be among `sometimes`: none is a condition of its
// own test. A candidate is left alone once it is shown to be independent. Returns false when the budget ended it early.
bool weaken_associations(const LocalScore &score, const TestRules &rules, Variable target,
                         std::span<const Variable> always, std::span<const Variable> sometimes,
                         std::span<const Variable> candidates, std::span<double> log_p, Budget &budget);

} // namespace arcwise
