#include "arcwise/relaxed_graph.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace arcwise {

std::vector<double> relaxed_weights(const ParentSetRuns &table) {
    const std::size_t n = table.variable_begin.size() - 1;
    std::vector<double> weights;
    std::vector<char> is_parent(n, 0);
    std::vector<std::size_t> open; // positions of the parents for whose absence no set is known yet
    for (std::size_t variable = 0; variable < n; ++variable) {
        const auto best = static_cast<std::size_t>(table.variable_begin[variable]);
        const auto end = static_cast<std::size_t>(table.variable_begin[variable + 1]);
        const auto parents = table.set(best);
        const std::size_t first_arc = weights.size();
        weights.resize(first_arc + parents.size(), std::numeric_limits<double>::infinity());
        std::for_each(parents.begin(), parents.end(), [&](auto parent) { is_parent[parent] = 1; });
        open.resize(parents.size());
        std::iota(open.begin(), open.end(), std::size_t{0});
        for (std::size_t at = best + 1; at < end && !open.empty(); ++at) {
            const auto set = table.set(at);
            if (!std::all_of(set.begin(), set.end(), [&](auto member) { return is_parent[member] != 0; })) {
                continue;
            }
            std::erase_if(open, [&](std::size_t i) {
                const bool does_without = !std::binary_search(set.begin(), set.end(), parents[i]);
                if (does_without) {
                    weights[first_arc + i] = table.scores[best] - table.scores[at];
                }
                return does_without;
            });
        }
        std::for_each(parents.begin(), parents.end(), [&](auto parent) { is_parent[parent] = 0; });
    }
    return weights;
}

} // namespace arcwise
