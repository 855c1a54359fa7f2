// The arcs of a relaxed graph by the node that they come from.
#pragma once

#include "arcwise/relaxed_graph.hpp"

#include <algorithm>
#include <numeric>

namespace arcwise {

using Arc = std::size_t;

template <class T> [[nodiscard]] std::vector<T> numbers_below(std::size_t n) {
    std::vector<T> numbers(n);
    std::iota(numbers.begin(), numbers.end(), T{0});
    return numbers;
}

// Out of each node, arcs are in the order in which they were listed.
class OutArcs {
  public:
    OutArcs(const RelaxedGraph &graph, const std::vector<Arc> &listed)
        : begin_(graph.n_nodes() + 1, 0), arcs_(listed.size()), heads_(graph.parents.size()) {
        for (Variable node = 0; node < graph.n_nodes(); ++node) {
            std::fill(heads_.begin() + graph.begin[node], heads_.begin() + graph.begin[node + 1], node);
        }
        for (const Arc arc : listed) {
            ++begin_[graph.parents[arc] + std::size_t{1}];
        }
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        std::vector<std::size_t> next = begin_;
        for (const Arc arc : listed) {
            arcs_[next[graph.parents[arc]]++] = arc;
        }
    }

    [[nodiscard]] std::span<const Arc> of(Variable node) const noexcept {
        return std::span(arcs_).subspan(begin_[node], begin_[node + 1] - begin_[node]);
    }
    // The node that an arc leads to.
    [[nodiscard]] Variable head(Arc arc) const noexcept { return heads_[arc]; }

  private:
    std::vector<std::size_t> begin_;
    std::vector<Arc> arcs_;
    std::vector<Variable> heads_;
};

} // namespace arcwise
