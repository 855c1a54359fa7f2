// Sums over the joint counts of every set of variables.
#pragma once

#include "arcwise/counter.hpp"
#include "arcwise/score.hpp"

#include <cstdint>
#include <span>

namespace arcwise {

// Beyond this many configurations of all variables, their numbers do not fit 64 bits.
inline constexpr double max_lattice_configurations = 0x1p62;

[[nodiscard]] bool fits_joint_lattice(const TableView &table) noexcept;

// values[set] = Σ over the cells of a set of the score's set terms, where bit v of `set` says whether variable v is in
// it. Each table comes from one with one variable more by adding cells up: about 3^n additions in all for n binary
// variables. False when the budget ended it early. The score is a difference, and the table fits.
bool fill_joint_lattice(const Counter &counter, const Score &score, std::span<std::int64_t> values,
                        const Budget &budget);

} // namespace arcwise
