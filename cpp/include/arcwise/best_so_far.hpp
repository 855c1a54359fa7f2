// The best graph of a running search, for whoever wants to see it before the search ends.
#pragma once

#include "arcwise/improvement.hpp"
#include "arcwise/parent_lists.hpp"

#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

namespace arcwise {

// Kernels on any number of threads offer what they have; others look at it meanwhile. Every improvement is kept until
// it is taken. The graph may be that of an earlier improvement: it is made only as often as costs little.
class BestSoFar {
  public:
    struct Graph {
        ParentLists parents;
        double score = nothing;
    };

    // Takes the point in if its score is better than all before by more than `tolerance`; and the graph that
    // `parents()` makes, if that is better than the last one and it is time for it, or the search will be `at_rest`
    // there.
    template <class Parents> void offer(const Improvement &point, double tolerance, bool at_rest, Parents &&parents) {
        if (point.score <= shown_.load(std::memory_order_relaxed)) {
            return; // most climbs of many end below, and need not wait for each other
        }
        const std::scoped_lock lock(mutex_);
        if (point.score > score_ + tolerance) {
            score_ = point.score;
            points_.push_back(point);
        }
        const auto begin = Clock::now();
        if (point.score > graph_.score && (at_rest || begin >= next_graph_)) {
            graph_ = {parents(), point.score};
            shown_.store(point.score, std::memory_order_relaxed);
            const auto end = Clock::now();
            next_graph_ = end + time_between_graphs * (end - begin);
        }
    }

    // The improvements since the last call, in order.
    [[nodiscard]] std::vector<Improvement> take_points() {
        const std::scoped_lock lock(mutex_);
        return std::exchange(points_, {});
    }

    // Its score is minus infinity where there is none yet.
    [[nodiscard]] Graph graph() const {
        const std::scoped_lock lock(mutex_);
        return graph_;
    }

    // Another search begins.
    void forget() {
        const std::scoped_lock lock(mutex_);
        points_.clear();
        graph_ = {};
        score_ = nothing;
        shown_.store(nothing, std::memory_order_relaxed);
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr double nothing = -std::numeric_limits<double>::infinity();
    static constexpr int time_between_graphs = 50; // times what it takes to make one

    mutable std::mutex mutex_;
    std::vector<Improvement> points_;
    double score_ = nothing;
    Graph graph_;
    std::atomic<double> shown_ = nothing; // the graph's score
    Clock::time_point next_graph_{};
};

} // namespace arcwise
