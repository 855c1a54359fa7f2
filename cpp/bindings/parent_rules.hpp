// Which parents each variable may and must have, as they come from Python.
#pragma once

#include "arcwise/subset_lattice.hpp"

#include "arrays.hpp"

#include <stdexcept>
#include <vector>

namespace arcwise::bindings {

using ParentsOfEach = std::vector<std::vector<Variable>>;

inline std::vector<ParentRules> checked_rules(std::size_t n, const ParentsOfEach &required,
                                              const ParentsOfEach &candidates,
                                              const std::vector<std::size_t> &max_parents) {
    if (required.size() != n || candidates.size() != n || max_parents.size() != n) {
        throw std::invalid_argument("required, candidates and max_parents must have an entry for each variable");
    }
    std::vector<ParentRules> rules;
    for (Variable child = 0; child < n; ++child) {
        check_distinct(n, child, required[child], candidates[child]);
        rules.push_back({required[child], candidates[child], max_parents[child]});
    }
    return rules;
}

} // namespace arcwise::bindings
