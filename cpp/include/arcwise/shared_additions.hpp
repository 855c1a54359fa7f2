// One more parent for a family, shared among the workers of a team.
#pragma once

#include "arcwise/score_engine.hpp"
#include "arcwise/team.hpp"

#include <atomic>
#include <cstddef>

namespace arcwise {

// What it costs to score a family of so many parents with one more, in nanoseconds: good enough to know whether it is
// worth a thread.
[[nodiscard]] inline double cost_of_addition(const ScoreEngine &engine, std::size_t n_parents) noexcept {
    return 1e9 * engine.seconds_per_addition(n_parents);
}

// What it costs for all candidates.
[[nodiscard]] inline double cost_of_additions(const ScoreEngine &engine, std::size_t n_parents) noexcept {
    return static_cast<double>(engine.n_variables()) * cost_of_addition(engine, n_parents);
}

// Calls count(begin, end) for parts of the candidates, which says whether all of them were scored; whether all were.
template <class Count>
bool share_additions(Team &team, const ScoreEngine &engine, std::size_t n_parents, std::size_t n_candidates,
                     const Count &count) {
    constexpr std::size_t grain = 64; // counted together where rows are read
    std::atomic<bool> is_complete{true};
    team.split(n_candidates, cost_of_addition(engine, n_parents), grain, [&](std::size_t begin, std::size_t end) {
        if (!count(begin, end)) {
            is_complete.store(false, std::memory_order_relaxed);
        }
    });
    return is_complete.load(std::memory_order_relaxed);
}

} // namespace arcwise
