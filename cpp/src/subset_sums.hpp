// Numbers for all subsets of few variables.
#pragma once

#include "arcwise/log_sum.hpp"
#include "arcwise/subset_lattice.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace arcwise {

using Subset = std::uint32_t; // bit v: variable v is a member

[[nodiscard]] constexpr Subset bit(std::size_t v) noexcept { return Subset{1} << v; }
[[nodiscard]] constexpr Subset all_of(std::size_t n) noexcept {
    return static_cast<Subset>((std::uint64_t{1} << n) - 1);
}

// The number of a set among those without v.
[[nodiscard]] constexpr std::size_t place(Subset set, std::size_t v) noexcept {
    const Subset before = bit(v) - 1;
    return (set & before) | (set >> 1 & ~before);
}

template <class Use> void for_each_member(Subset set, Use &&use) {
    for (Subset rest = set; rest != 0; rest &= rest - 1) {
        use(static_cast<std::size_t>(std::countr_zero(rest)));
    }
}

// Every entry becomes what `combine` makes of those of its subsets.
template <class Combine> void over_subsets(std::vector<double> &values, const Combine &combine) {
    for (std::size_t half = 1; half < values.size(); half *= 2) {
        for (std::size_t base = 0; base < values.size(); base += 2 * half) {
            for (std::size_t i = base; i < base + half; ++i) {
                values[i + half] = combine(values[i + half], values[i]);
            }
        }
    }
}

// What `combine` makes of the scores of all sets of one child within U, by the place of U; minus infinity: there is
// none.
template <class Combine>
[[nodiscard]] std::vector<double> within_sets(SetScores scores, std::size_t child, std::size_t n,
                                              const Combine &combine) {
    std::vector<double> &of = scores.of;
    for (double &local : of) {
        local = std::isnan(local) ? log_of_nothing : local;
    }
    over_subsets(of, combine);
    if (scores.others.size() + 1 == n) {
        return std::move(of);
    }
    std::vector<double> all(std::size_t{1} << (n - 1), log_of_nothing);
    for (std::size_t index = 0; index < of.size(); ++index) { // those with just these candidates
        all[place(scores.set(index), child)] = of[index];
    }
    Subset free = all_of(n) & ~bit(child) & ~scores.required;
    for (const Variable candidate : scores.others) {
        free &= ~bit(candidate);
    }
    const std::size_t among = place(free, child);
    for (std::size_t rest = among; rest != 0; rest &= rest - 1) { // and others, which do not matter
        const std::size_t one = rest & (~rest + 1);
        for (std::size_t index = 0; index < all.size(); ++index) {
            if ((index & one) != 0) {
                all[index] = all[index ^ one];
            }
        }
    }
    return all;
}

} // namespace arcwise
