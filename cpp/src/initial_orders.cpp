#include "arcwise/initial_orders.hpp"

#include "arcwise/check.hpp"

#include "out_arcs.hpp"

#include <algorithm>
#include <cmath>
#include <compare>

namespace arcwise {
namespace {

// Logarithms of 1 to n, base 2, in units of 2^-40. Those of composite numbers are sums over their factors: products of
// the same value have exactly the same sum, in whatever order it was reached, and none overflows.
std::vector<std::int64_t> additive_logs(std::size_t n) {
    std::vector<std::int64_t> logs(n + 1, 0);
    for (std::size_t number = 2; number <= n; ++number) {
        std::size_t factor = 2;
        while (factor * factor <= number && number % factor != 0) {
            ++factor;
        }
        const bool is_prime = factor * factor > number;
        logs[number] = is_prime ? std::llround(std::ldexp(std::log2(static_cast<double>(number)), 40))
                                : logs[factor] + logs[number / factor];
    }
    return logs;
}

// The nodes that Algorithm 3 has still to visit.
class Unvisited {
  public:
    explicit Unvisited(const RelaxedGraph &graph)
        : graph_(graph), out_(graph, numbers_below<Arc>(graph.parents.size())),
          nodes_(numbers_below<Variable>(graph.n_nodes())), is_visited_(graph.n_nodes(), 0), ranks_(graph.n_nodes()) {
        std::size_t most = 0;
        for (const Variable node : nodes_) {
            ranks_[node].in_degree = graph.parents_of(node).size();
            most = std::max(most, ranks_[node].in_degree);
        }
        logs_ = additive_logs(most);
        for (const Variable node : nodes_) {
            multiply_parents(node, logs_[ranks_[node].in_degree]);
        }
    }

    [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }

    // Takes out one of the best, each with the same probability.
    Variable take(Random &random) {
        best_.assign(1, 0);
        for (std::size_t at = 1; at < nodes_.size(); ++at) {
            const auto order = ranks_[nodes_[at]] <=> ranks_[nodes_[best_.front()]];
            if (order < 0) {
                best_.clear();
            }
            if (order <= 0) {
                best_.push_back(at);
            }
        }
        const std::size_t at = best_[random.below(best_.size())];
        const Variable node = nodes_[at];
        nodes_[at] = nodes_.back();
        nodes_.pop_back();
        visit(node);
        return node;
    }

  private:
    struct Rank {
        std::size_t in_degree = 0; // parents that are unvisited
        std::int64_t goodness = 0; // eq. 7, its logarithm
        auto operator<=>(const Rank &) const = default;
    };

    void visit(Variable node) {
        ARCWISE_ASSERT(ranks_[node] == recomputed_rank(node));
        is_visited_[node] = 1;
        multiply_parents(node, -logs_[ranks_[node].in_degree]);
        for (const Arc arc : out_.of(node)) {
            const Variable child = out_.head(arc);
            if (is_visited_[child] == 0) {
                const std::size_t before = ranks_[child].in_degree--;
                multiply_parents(child, logs_[before - 1] - logs_[before]);
            }
        }
    }

    // The goodness of visited ones is never looked at again.
    void multiply_parents(Variable node, std::int64_t log_factor) {
        for (const Variable parent : graph_.parents_of(node)) {
            ranks_[parent].goodness += log_factor;
        }
    }

    [[nodiscard]] Rank recomputed_rank(Variable node) const {
        const auto in_degree = [&](Variable of) {
            const auto parents = graph_.parents_of(of);
            return static_cast<std::size_t>(
                std::count_if(parents.begin(), parents.end(), [&](Variable p) { return is_visited_[p] == 0; }));
        };
        Rank rank{in_degree(node), 0};
        for (const Arc arc : out_.of(node)) {
            if (is_visited_[out_.head(arc)] == 0) {
                rank.goodness += logs_[in_degree(out_.head(arc))];
            }
        }
        return rank;
    }

    const RelaxedGraph &graph_;
    OutArcs out_;
    std::vector<Variable> nodes_;
    std::vector<char> is_visited_;
    std::vector<Rank> ranks_;
    std::vector<std::int64_t> logs_;
    std::vector<std::size_t> best_; // positions in nodes_
};

} // namespace

std::vector<Variable> dfs_order(const RelaxedGraph &graph, std::uint64_t seed) {
    Random random(seed);
    Unvisited unvisited(graph);
    std::vector<Variable> order;
    order.reserve(graph.n_nodes());
    while (!unvisited.empty()) {
        order.push_back(unvisited.take(random));
    }
    return order;
}

std::vector<Variable> fas_order(const RelaxedGraph &graph, std::uint64_t seed) {
    Random random(seed);
    const std::vector<bool> is_feedback = feedback_arcs(graph, random);
    auto forward = numbers_below<Arc>(graph.parents.size());
    std::erase_if(forward, [&](Arc arc) { return is_feedback[arc]; });
    const OutArcs out(graph, forward);
    std::vector<std::size_t> waiting_for(graph.n_nodes(), 0); // parents that are still to come
    for (const Arc arc : forward) {
        ++waiting_for[out.head(arc)];
    }
    auto ready = numbers_below<Variable>(graph.n_nodes());
    std::erase_if(ready, [&](Variable node) { return waiting_for[node] > 0; });
    std::vector<Variable> order;
    order.reserve(graph.n_nodes());
    while (!ready.empty()) {
        std::swap(ready[random.below(ready.size())], ready.back());
        const Variable node = ready.back();
        ready.pop_back();
        order.push_back(node);
        for (const Arc arc : out.of(node)) {
            if (--waiting_for[out.head(arc)] == 0) {
                ready.push_back(out.head(arc));
            }
        }
    }
    ARCWISE_ASSERT(order.size() == graph.n_nodes());
    return order;
}

} // namespace arcwise
