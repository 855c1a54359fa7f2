// Random orders and parent sets for tests.
#pragma once

#include "arcwise/random.hpp"
#include "arcwise/set_list.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace testing {

using Set = std::vector<arcwise::Member>;

using Sets = std::vector<std::pair<double, Set>>; // of one variable, in any order

// Owns what a table shows.
struct OwnedTable {
    std::vector<std::int64_t> variable_begin{0}, set_begin{0};
    std::vector<arcwise::Member> members;
    std::vector<double> scores;

    explicit OwnedTable(std::vector<Sets> all) {
        for (Sets &sets : all) {
            std::ranges::stable_sort(sets, [](const auto &a, const auto &b) { return a.first > b.first; });
            for (const auto &[score, set] : sets) {
                scores.push_back(score);
                members.insert(members.end(), set.begin(), set.end());
                set_begin.push_back(static_cast<std::int64_t>(members.size()));
            }
            variable_begin.push_back(static_cast<std::int64_t>(scores.size()));
        }
    }
    [[nodiscard]] arcwise::SetTable view() const { return {variable_begin, set_begin, members, scores}; }
};

inline Set random_set(arcwise::Random &random, std::size_t n, arcwise::Variable child, std::size_t size) {
    std::set<arcwise::Member> chosen;
    while (chosen.size() < std::min(size, n - 1)) {
        if (const std::size_t v = random.below(n); v != child) {
            chosen.insert(static_cast<arcwise::Member>(v));
        }
    }
    return {chosen.begin(), chosen.end()};
}

inline std::vector<arcwise::Variable> random_order(arcwise::Random &random, std::size_t n) {
    std::vector<arcwise::Variable> order(n);
    std::iota(order.begin(), order.end(), arcwise::Variable{0});
    for (std::size_t i = n; i > 1; --i) {
        std::swap(order[i - 1], order[random.below(i)]);
    }
    return order;
}

} // namespace testing
