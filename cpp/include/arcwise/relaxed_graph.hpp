// The graph in which every variable has its best parent set, and what its arcs weigh.
#pragma once

#include "arcwise/set_list.hpp"
#include "arcwise/table_view.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// Candidate parent sets of all variables, each variable's best first, one after the other.
struct ParentSetRuns {
    std::span<const std::int64_t> variable_begin; // of each variable's sets, and the end
    std::span<const std::int64_t> set_begin;      // of each set's members, and the end
    std::span<const std::uint16_t> members;
    std::span<const double> scores;

    [[nodiscard]] std::span<const std::uint16_t> set(std::size_t at) const noexcept {
        return members.subspan(static_cast<std::size_t>(set_begin[at]),
                               static_cast<std::size_t>(set_begin[at + 1] - set_begin[at]));
    }
};

// A graph in which each variable has its best parents; it may have cycles. An arc is a position in `parents`, and leads
// to the node whose run that is in.
struct RelaxedGraph {
    std::span<const std::int64_t> begin;    // of each node's parents, and the end
    std::span<const std::uint16_t> parents; // each once in a run, and never the node itself
    std::span<const double> weights;        // of the arcs, not negative, perhaps infinite; empty where nothing weighs

    [[nodiscard]] std::size_t n_nodes() const noexcept { return begin.size() - 1; }
    [[nodiscard]] std::span<const std::uint16_t> parents_of(std::size_t node) const noexcept {
        return parents.subspan(static_cast<std::size_t>(begin[node]),
                               static_cast<std::size_t>(begin[node + 1] - begin[node]));
    }
};

// What each variable loses without each parent of its best set, in the order of the arcs of the relaxed graph: the best
// score minus that of the best set inside the other parents, infinite where there is none. It is eq. 8 of Perez & Mauá
// wherever all the other parents together are the best set inside themselves; where the table lacks that set or has a
// better subset of it, it is what the variable really falls back to.
[[nodiscard]] std::vector<double> relaxed_weights(const ParentSetRuns &table);
[[nodiscard]] std::vector<double> relaxed_weights(std::span<const SetList> lists);

} // namespace arcwise
