#include "arcwise/random.hpp"
#include "arcwise/short_cycles.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <vector>

using namespace arcwise;

namespace {

// What the cycle through `start` that lacks least lacks, over all simple cycles.
double least_lack(const std::vector<double> &weights, std::size_t n, std::size_t start) {
    double best = 1e9;
    std::vector<bool> used(n, false);
    std::function<void(std::size_t, double)> walk = [&](std::size_t node, double lack) {
        for (std::size_t next = 0; next < n; ++next) {
            const double weight = weights[node * n + next];
            if (weight <= 0 || next == node) {
                continue;
            }
            if (next == start) {
                best = std::min(best, lack + 1 - weight);
            } else if (!used[next]) {
                used[next] = true;
                walk(next, lack + 1 - weight);
                used[next] = false;
            }
        }
    };
    walk(start, 0.0);
    return best;
}

double lack_of(const std::vector<double> &weights, std::size_t n, const std::vector<Variable> &cycle) {
    double lack = 0.0;
    for (std::size_t i = 0; i < cycle.size(); ++i) { // from the last node of the way to the first
        const std::size_t head = cycle[i], tail = cycle[(i + 1) % cycle.size()];
        CHECK(weights[tail * n + head] > 0);
        lack += 1 - weights[tail * n + head];
    }
    return lack;
}

} // namespace

TEST_CASE("short cycles are those of all simple cycles that lack least") {
    Random random(3);
    for (int trial = 0; trial < 200; ++trial) {
        const std::size_t n = 2 + random.below(5);
        std::vector<double> weights(n * n, 0.0);
        for (double &weight : weights) {
            weight = random.below(2) == 0 ? 0.0 : static_cast<double>(1 + random.below(16)) / 16.0;
        }
        const std::vector<std::vector<Variable>> cycles = short_cycles(weights, n, 0.9);
        std::size_t found = 0;
        for (std::size_t node = 0; node < n; ++node) {
            const double least = least_lack(weights, n, node);
            if (least < 0.9) {
                REQUIRE(found < cycles.size());
                CHECK(std::ranges::count(cycles[found], static_cast<Variable>(node)) == 1);
                CHECK(lack_of(weights, n, cycles[found]) == doctest::Approx(least).epsilon(1e-6));
                ++found;
            }
        }
        CHECK(found == cycles.size());
    }
}
