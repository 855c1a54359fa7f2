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
