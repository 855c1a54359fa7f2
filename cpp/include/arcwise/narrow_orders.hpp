// Graphs of bounded width from orders, and climbs over these.
#pragma once

#include "arcwise/order_climb.hpp"

#include <limits>
#include <vector>

namespace arcwise {

// The neighbours of each variable among those before it in an order, in a graph without directions whose cliques they
// are: eliminated from the last to the first, no variable has more than `width` neighbours left. So the graph has at
// most this treewidth, and so has every directed graph whose families are cliques of it.
class NarrowCliques {
  public:
    explicit NarrowCliques(std::size_t width) : width_(width) {}

    // Begins again with the order, of which each variable has no neighbours.
    void begin(const std::vector<Variable> &order);
    // Joins the members of a set, and whatever else must be joined then, if that is possible.
    bool join(std::span<const Member> set);
    // Says that these, which were joined, come before the variable: all that it has so far.
    void place(Variable variable, std::span<const Member> neighbours);

  private:
    struct Change {
        Variable variable;
        std::vector<Variable> neighbours;
    };

    std::size_t width_;
    std::vector<std::size_t> position_;
    std::vector<std::vector<Variable>> neighbours_;
    std::vector<Change> changes_; // reused
    std::vector<Variable> left_;
};

struct NarrowRules {
    std::size_t width = 1;
    double tolerance = 0.0; // a move must change the score by more
    std::uint64_t max_moves = std::numeric_limits<std::uint64_t>::max();
    // The climb ends after so many insertions in a row, drawn at random, that did not help, for each variable.
    std::size_t patience = 8;
};

// Each variable along the order takes the best of its sets within its predecessors that keeps the width. Variables move
// in the order while that improves the graph. Where a variable has no such set, the result is not feasible.
[[nodiscard]] OrderClimbResult climb_narrow(const SetTable &table, std::vector<Variable> order,
                                            const NarrowRules &rules, std::uint64_t seed, Budget &budget);

} // namespace arcwise
