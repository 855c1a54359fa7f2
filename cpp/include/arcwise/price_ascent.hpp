// Prices of clusters that bring a bound down quickly, without a linear program.
#pragma once

#include "arcwise/budget.hpp"
#include "arcwise/cluster_rows.hpp"

#include <cstdint>
#include <vector>

namespace arcwise {

struct PricedClusters {
    std::vector<Cluster> clusters;
    std::vector<double> prices; // of each of them, positive
    StopReason stopped_by = StopReason::none;
};

// Dual ascent on the rows of clusters (after Trösser, de Givry & Katsirelos 2021, "Improved acyclicity reasoning for
// Bayesian network structure learning with constraint programming", IJCAI; the thresholds are ours).
//
// No graph scores more than the sum over the variables of their best set's value, less all prices, where a set's value
// is its score and the prices of the rows that it keeps. The price of a cluster can be raised without raising any best
// value as long as every set of its variables that keeps the row is worse than their best: the bound falls by as much.
// Such clusters are found by leaving out, again and again, variables that have a set near the best (within a threshold)
// without a member among those that remain; what is left over is a cluster to raise by the threshold at least. It is
// made as small as possible first. The threshold starts large and is halved when it finds no more clusters.
[[nodiscard]] PricedClusters raise_prices(const SetTable &table, std::uint64_t seed, Budget &budget);

} // namespace arcwise
