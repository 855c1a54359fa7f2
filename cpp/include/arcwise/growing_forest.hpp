// The heaviest forest over pairs of variables that come one after the other.
#pragma once

#include "arcwise/table_view.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace arcwise {

struct Edge {
    double gain;
    Variable a;
    Variable b;
};

// A maximum spanning forest of all edges offered so far (Kruskal 1956), in memory for a few edges per variable: the
// forest of a graph is that of the forests of its parts. Among equal gains the edge that came first stays.
class GrowingForest {
  public:
    // Edges that gain no more than `least` are left out.
    GrowingForest(std::size_t n_variables, double least);

    // An edge that gains no more than this cannot be in the forest: its ends are connected by better ones.
    [[nodiscard]] double bound(Variable a, Variable b) const noexcept {
        return std::max(least_, std::min(weakest_[a], weakest_[b]));
    }

    void offer(Variable a, Variable b, double gain) {
        if (gain > bound(a, b)) {
            edges_.push_back({gain, a, b});
            if (edges_.size() >= capacity_) {
                settle();
            }
        }
    }

    // The forest, best edges first.
    const std::vector<Edge> &settle();

  private:
    void find_weakest();

    std::size_t n_variables_;
    double least_;
    std::size_t capacity_;
    std::size_t n_settled_ = 0;
    std::vector<Edge> edges_; // the forest, then what was offered since it was settled
    // In the largest tree the smallest gain on the way from its root to each variable; elsewhere minus infinity. The
    // way between two variables of the tree has nothing smaller than the smaller of both.
    std::vector<double> weakest_;
};

// Edges of a forest as arcs away from the variable of the smallest index in each tree.
struct RootedForest {
    std::vector<std::int32_t> parents; // −1: none
    std::vector<double> gains;         // of the arc to each variable; 0 without one
};

[[nodiscard]] RootedForest rooted(std::size_t n_variables, const std::vector<Edge> &edges);

} // namespace arcwise
