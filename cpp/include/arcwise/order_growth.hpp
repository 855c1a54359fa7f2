// Climbs over orders whose lists of parent sets grow on the way.
#pragma once

#include "arcwise/addition_rows.hpp"
#include "arcwise/arc_rules.hpp"
#include "arcwise/growing_lists.hpp"
#include "arcwise/order_climb.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace arcwise {

// Lists to start from: each variable's required parents alone, and with each one more parent that improves them.
[[nodiscard]] GrowingLists first_lists(AdditionRows &rows, const ArcRules &rules, Budget &budget);

struct GrowthResult {
    OrderClimbResult climb;
    std::map<Variable, ParentSetList> fresh; // the sets that lists have gained
    std::uint64_t rounds = 0;
};

// Climbs, then looks for better parent sets of every variable whose predecessors have changed, and so on until
// neither changes anything. At a local optimum, for every such variable y:
//  1. climb from its parents by adding, dropping and swapping one at a time over all predecessors;
//  2. leave each of the parents out, and add others: what y falls back to when that parent moves behind it;
//  3. take the sets with one later variable that beat the present one: what pulls that variable forward.
//
// The state of a climb is kept for the next one, which costs what its order and its lists change. This does not show in
// the results: for variables near which nothing has changed, nothing else would be found.
class GrowingClimb {
  public:
    // Both live longer than this.
    GrowingClimb(AdditionRows &rows, const ArcRules &rules);

    // The lists have all sets that those of earlier calls had, but perhaps not what these calls have found.
    [[nodiscard]] GrowthResult run(const GrowingLists &lists, std::vector<Variable> order, const OrderClimbRules &climb,
                                   std::uint64_t seed, Budget &budget);

  private:
    struct Changed;
    // What the last search for sets of a variable has ended with, and what this depends on: the variables of which it
    // has asked whether they precede, and the answers. Known if the list has all that it found, the end is the present
    // set, and nothing ended the search before.
    struct Memo {
        bool is_known = false;
        std::vector<Member> top;
        std::vector<Member> watched; // ascending
        SetKey preceding{0, 0};      // those of them that did
    };

    void begin(const GrowingLists &lists, std::vector<Variable> order);
    void show(double tolerance, Budget &budget) const;
    [[nodiscard]] SetKey key_of_preceding(Variable y, const std::vector<Member> &watched) const;
    [[nodiscard]] bool is_up_to_date(Variable y) const;
    [[nodiscard]] std::vector<Variable> candidates();
    // Grows the lists of variables whose surroundings have changed since last time; whether any list did. What is found
    // for one does not depend on the others' lists.
    bool grow(GrowthResult &result, Budget &budget, Team &team);
    void search(Changed &changed, Budget &budget, Team &team);
    void remember(Changed &changed);

    AdditionRows &rows_;
    const ArcRules &rules_;
    std::optional<GrowingLists> lists_;
    std::optional<OrderState> state_;
    std::vector<Memo> memos_;
    std::vector<std::vector<Member>> watchers_; // per variable, who may have it among the watched
    std::vector<Variable> open_;                // not known, and not looked at since
    std::vector<Variable> grown_;               // whose lists have grown in the last run
    std::vector<char> is_listed_;
};

// One climb.
[[nodiscard]] GrowthResult grow_and_climb(AdditionRows &rows, const ArcRules &rules, const GrowingLists &lists,
                                          std::vector<Variable> order, const OrderClimbRules &climb, std::uint64_t seed,
                                          Budget &budget);

} // namespace arcwise
