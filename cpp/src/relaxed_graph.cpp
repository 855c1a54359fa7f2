#include "arcwise/relaxed_graph.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace arcwise {

std::vector<double> relaxed_weights(const ParentSetRuns &table) {
    std::vector<SetList> lists;
    for (std::size_t variable = 0; variable + 1 < table.variable_begin.size(); ++variable) {
        const auto first = static_cast<std::size_t>(table.variable_begin[variable]);
        const auto size = static_cast<std::size_t>(table.variable_begin[variable + 1]) - first;
        lists.push_back(
            {table.scores.subspan(first, size), table.set_begin.subspan(first, size + 1), table.members.data()});
    }
    return relaxed_weights(lists);
}

std::vector<double> relaxed_weights(std::span<const SetList> lists) {
    std::vector<double> weights;
    std::vector<char> is_parent(lists.size(), 0);
    std::vector<std::size_t> open; // positions of the parents for whose absence no set is known yet
    for (const SetList &list : lists) {
        const auto parents = list.set(0);
        const std::size_t first_arc = weights.size();
        weights.resize(first_arc + parents.size(), std::numeric_limits<double>::infinity());
        std::for_each(parents.begin(), parents.end(), [&](auto parent) { is_parent[parent] = 1; });
        open.resize(parents.size());
        std::iota(open.begin(), open.end(), std::size_t{0});
        for (std::size_t at = 1; at < list.size() && !open.empty(); ++at) {
            const auto set = list.set(at);
            if (!std::all_of(set.begin(), set.end(), [&](auto member) { return is_parent[member] != 0; })) {
                continue;
            }
            std::erase_if(open, [&](std::size_t i) {
                const bool does_without = !std::binary_search(set.begin(), set.end(), parents[i]);
                if (does_without) {
                    weights[first_arc + i] = list.scores[0] - list.scores[at];
                }
                return does_without;
            });
        }
        std::for_each(parents.begin(), parents.end(), [&](auto parent) { is_parent[parent] = 0; });
    }
    return weights;
}

} // namespace arcwise
