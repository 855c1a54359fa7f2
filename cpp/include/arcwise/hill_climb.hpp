// Greedy hill climbing over directed acyclic graphs: add, delete or reverse one arc while that improves the score.
#pragma once

#include "arcwise/budget.hpp"
#include "arcwise/dag_state.hpp"
#include "arcwise/local_score.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// Which arcs a search may use; matrices by [child * n + parent].
struct ArcRules {
    std::span<const std::uint8_t> allowed;
    std::span<const std::uint8_t> required;
    std::span<const std::int32_t> max_parents;
};

struct Improvement {
    double seconds;
    std::uint64_t evaluations;
    double score;
};

struct HillClimbResult {
    ParentLists parents;
    double score = 0.0;
    StopReason stopped_by = StopReason::none; // none: a local optimum
    std::vector<Improvement> trace;
    std::uint64_t additions = 0;
    std::uint64_t deletions = 0;
    std::uint64_t reversals = 0;
};

// Climbs from `start`, which obeys the rules. The best move is taken, one of them at random where several are best.
[[nodiscard]] HillClimbResult hill_climb(const LocalScore &score, const ArcRules &rules, ParentLists start,
                                         std::uint64_t seed, Budget &budget);

} // namespace arcwise
