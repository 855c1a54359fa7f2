#include "arcwise/best_first.hpp"
#include "arcwise/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace arcwise;

namespace {

// The slow twin: comparisons only.
std::vector<ScoredVariable> by_comparisons(std::vector<ScoredVariable> all) {
    std::ranges::sort(all, {}, &ScoredVariable::variable);
    std::ranges::stable_sort(all, [](const auto &a, const auto &b) { return a.score > b.score; });
    return all;
}

void check(const std::vector<ScoredVariable> &all) {
    std::vector<ScoredVariable> sorted = all;
    sort_best_first(sorted);
    const std::vector<ScoredVariable> expected = by_comparisons(all);
    const auto is_same = [](const ScoredVariable &a, const ScoredVariable &b) {
        return a.score == b.score && std::signbit(a.score) == std::signbit(b.score) && a.variable == b.variable;
    };
    CHECK(std::ranges::equal(sorted, expected, is_same));
}

} // namespace

TEST_CASE("variables are sorted by their scores, and among equals by their number") {
    Random random(1);
    const double infinity = std::numeric_limits<double>::infinity();
    for (const std::size_t n : {0U, 1U, 2U, 100U, 127U, 128U, 129U, 1000U, 5000U}) {
        std::vector<ScoredVariable> all;
        for (std::size_t i = 0; i < n; ++i) {
            all.push_back({0.0, static_cast<Variable>((i * 7919) % 10007)});
        }
        check(all); // all equal
        const auto with = [&](const auto &score) {
            for (ScoredVariable &one : all) {
                one.score = score();
            }
            check(all);
        };
        with([&] { return -28000.0 + 40.0 * random.fraction(); });
        with([&] { return random.fraction() - 0.5; });
        with([&] { return std::floor(8.0 * random.fraction()) - 4.0; });
        with([&] { return random.fraction() < 0.5 ? 0.0 : -0.0; });
        with([&] { return -1e5 - 1e-9 * random.fraction(); });
        with([&] { return random.fraction() < 0.01 ? infinity : std::ldexp(random.fraction(), -1000); });
        with([&] { return random.fraction() < 0.01 ? -infinity : -1e300 * random.fraction(); });
        with([&] { return std::ldexp(random.fraction() - 0.5, static_cast<int>(2000 * random.fraction()) - 1000); });
    }
}
