// The flat arrays of parent sets as they come from Python, and the checks that they fit.
#pragma once

#include "arrays.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

namespace arcwise::bindings {

using Offsets = Flat<std::int64_t>;
using Members = Flat<std::uint16_t>;
using Numbers = Flat<double>;

inline void check_runs(std::span<const std::int64_t> begin, std::size_t end) {
    if (begin.empty() || begin.front() != 0 || static_cast<std::size_t>(begin.back()) != end ||
        !std::ranges::is_sorted(begin)) {
        throw std::invalid_argument("the arrays of the table do not fit");
    }
}

inline void check_members(std::span<const std::uint16_t> members, std::size_t n_variables) {
    if (std::ranges::any_of(members, [&](std::uint16_t member) { return member >= n_variables; })) {
        throw std::invalid_argument("a parent set names a variable that does not exist");
    }
}

inline void check_sets(std::span<const std::int64_t> variable_begin, std::span<const std::int64_t> set_begin,
                       std::span<const std::uint16_t> members, std::size_t n_scores) {
    check_runs(variable_begin, n_scores);
    check_runs(set_begin, members.size());
    if (set_begin.size() != n_scores + 1) {
        throw std::invalid_argument("the arrays of the table do not fit");
    }
    const auto empty = std::ranges::adjacent_find(variable_begin);
    if (empty != variable_begin.end()) {
        const auto variable = empty - variable_begin.begin();
        throw std::invalid_argument("variable " + std::to_string(variable) + " has no parent set");
    }
    check_members(members, variable_begin.size() - 1);
}

} // namespace arcwise::bindings
