// Paths in the essential graph of a class, looked for from both ends.
#pragma once

#include "arcwise/class_graph.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// Answers whether paths lead from a node to others, along arcs and undirected edges. The search goes forwards from the
// start and backwards from the target in turns, so that it ends with the smaller of what the one reaches and what
// reaches the other, or where they meet. What was found from a start serves for further targets, until the graph
// changes.
class ClassPaths {
  public:
    explicit ClassPaths(std::size_t n_nodes) : ahead_(n_nodes), behind_(n_nodes) {}

    // Whether a path leads from the start to one of the targets, which it is not, without a step into `closed`.
    [[nodiscard]] bool lead(const ClassGraph &graph, Variable start, NodeView closed, NodeView targets);
    // The nodes of the path that was found last, in any order.
    [[nodiscard]] std::vector<Variable> last() const;
    // The graph has changed.
    void forget() noexcept { is_known_ = false; }

  private:
    // A search in breadth from one end.
    class Side {
      public:
        explicit Side(std::size_t n_nodes) : seen_at_(n_nodes, 0), from_(n_nodes) {}

        void restart();
        [[nodiscard]] bool has_seen(Variable node) const noexcept { return seen_at_[node] == now_; }
        void see(Variable node, Variable from);
        [[nodiscard]] bool is_done() const noexcept { return next_ == queue_.size(); }
        [[nodiscard]] Variable take() noexcept { return queue_[next_++]; }
        // From a node back to where it was seen from first.
        template <class Use> void for_each_back(Variable node, Use &&use) const {
            for (; from_[node] != node; node = from_[node]) {
                use(node);
            }
            use(node);
        }

      private:
        std::vector<std::uint32_t> seen_at_; // the number of the search
        std::vector<Variable> from_;         // for an end, itself
        std::vector<Variable> queue_;
        std::size_t next_ = 0;
        std::uint32_t now_ = 0;
    };

    void begin(Variable start, NodeView closed);
    // Sees the nodes next to one; whether the other side has seen one of them.
    bool step(Side &side, const Side &other, Variable node, NodeView next);

    Side ahead_;
    Side behind_;
    bool is_known_ = false; // what is ahead of the start
    Variable start_ = 0;
    NodeSet closed_;
    Variable meeting_ = 0;
};

} // namespace arcwise
