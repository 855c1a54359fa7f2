// Cycles in a fractional choice of arcs whose arcs lack little weight.
#pragma once

#include "arcwise/set_list.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace arcwise {

// For each node a cycle through it that lacks least, where one lacks less than `most` in all; nodes without one are
// left out. `weights` has at [i * n + j] the weight of the arc i -> j, 0 where there is none; an arc lacks 1 less its
// weight.
[[nodiscard]] std::vector<std::vector<Variable>> short_cycles(std::span<const double> weights, std::size_t n,
                                                              double most);

} // namespace arcwise
