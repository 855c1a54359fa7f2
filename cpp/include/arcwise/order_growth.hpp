// Climbs over orders whose lists of parent sets grow on the way.
#pragma once

#include "arcwise/addition_rows.hpp"
#include "arcwise/arc_rules.hpp"
#include "arcwise/growing_lists.hpp"
#include "arcwise/order_climb.hpp"

#include <cstdint>
#include <vector>

namespace arcwise {

// Lists to start from: each variable's required parents alone, and with each one more parent that improves them.
[[nodiscard]] GrowingLists first_lists(AdditionRows &rows, const ArcRules &rules, Budget &budget);

struct GrowthResult {
    OrderClimbResult climb;
    std::vector<ParentSetList> fresh; // per variable, the sets its list has gained
    std::uint64_t rounds = 0;
};

// Climbs, then looks for better parent sets of every variable whose predecessors have changed, and so on until
// neither changes anything. At a local optimum, for every such variable y:
//  1. climb from its parents by adding, dropping and swapping one at a time over all predecessors;
//  2. leave each of the parents out, and add others: what y falls back to when that parent moves behind it;
//  3. take the sets with one later variable that beat the present one: what pulls that variable forward.
[[nodiscard]] GrowthResult grow_and_climb(AdditionRows &rows, const ArcRules &rules, GrowingLists lists,
                                          std::vector<Variable> order, const OrderClimbRules &climb, std::uint64_t seed,
                                          Budget &budget);

} // namespace arcwise
