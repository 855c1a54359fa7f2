#include "arcwise/short_cycles.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace arcwise {

namespace {

constexpr double nowhere = std::numeric_limits<double>::infinity();
constexpr double least_length = 1e-9; // so that of two ways without a lack the one with fewer arcs is shorter

struct Arc {
    Variable head;
    double length;
};

// What is known of the shortest ways from one node (Dijkstra 1959).
struct Ways {
    std::vector<double> distance;
    std::vector<Variable> before;
};

void find_ways(const std::vector<std::vector<Arc>> &arcs, Variable start, double most, Ways &ways) {
    std::ranges::fill(ways.distance, nowhere);
    using Reached = std::pair<double, Variable>;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> waiting;
    ways.distance[start] = 0.0;
    waiting.emplace(0.0, start);
    while (!waiting.empty()) {
        const auto [distance, node] = waiting.top();
        waiting.pop();
        if (distance > ways.distance[node]) {
            continue;
        }
        for (const Arc &arc : arcs[node]) {
            const double there = distance + arc.length;
            if (there < most && there < ways.distance[arc.head]) {
                ways.distance[arc.head] = there;
                ways.before[arc.head] = node;
                waiting.emplace(there, arc.head);
            }
        }
    }
}

} // namespace

std::vector<std::vector<Variable>> short_cycles(std::span<const double> weights, std::size_t n, double most) {
    std::vector<std::vector<Arc>> arcs(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (const double weight = weights[i * n + j]; weight > 0 && i != j) {
                arcs[i].push_back({static_cast<Variable>(j), std::max(1 - weight, least_length)});
            }
        }
    }
    std::vector<std::vector<Variable>> cycles;
    Ways ways{std::vector<double>(n), std::vector<Variable>(n)};
    for (std::size_t node = 0; node < n; ++node) {
        find_ways(arcs, static_cast<Variable>(node), most, ways);
        double shortest = most;
        std::size_t last = n;
        for (std::size_t i = 0; i < n; ++i) {
            if (const double weight = weights[i * n + node]; weight > 0 && i != node) {
                if (const double around = ways.distance[i] + std::max(1 - weight, 0.0); around < shortest) {
                    shortest = around;
                    last = i;
                }
            }
        }
        if (last < n) {
            std::vector<Variable> cycle{static_cast<Variable>(last)};
            while (cycle.back() != node) {
                cycle.push_back(ways.before[cycle.back()]);
            }
            cycles.push_back(std::move(cycle));
        }
    }
    return cycles;
}

} // namespace arcwise
