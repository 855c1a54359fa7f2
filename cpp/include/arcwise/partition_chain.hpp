// Graphs that are drawn from their posterior, by a Markov chain over ordered partitions and graphs.
#pragma once

#include "arcwise/budget.hpp"
#include "arcwise/candidate_sums.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

using ParentMasks = std::vector<Mask>; // the parents of each variable, among its candidates

struct ChainOptions {
    std::size_t sweeps = 0;
    std::size_t draws = 0;    // graphs to keep, at equal distances; at most one for each sweep
    double first_power = 1.0; // of the posterior that the first sweep draws from; it rises to 1 in the last one
};

struct ChainPart {
    std::vector<double> arcs; // of each variable and each candidate, the mean probability of the arc over the sweeps
    std::vector<ParentMasks> draws;
    ParentMasks last;
    std::size_t sweeps = 0; // that were done
    double score = 0.0;     // the mean over the sweeps
    StopReason stopped_by = StopReason::none;
};

// The chain moves between graphs, and between ordered partitions of the variables (Kuipers & Moffa 2017, "Partition
// MCMC for inference on acyclic digraphs", JASA 112). The variables without parents are the first layer, those that
// have no parents when these are taken away the second, and so on: every graph belongs to one partition, and all graphs
// of a partition are summed at once. A sweep does, for n variables,
//
// - n times: takes a variable out of the partition and puts it back, into a layer or between two of them, with the
//   probabilities that all places have;
// - n times: swaps two variables of neighbouring layers, or not;
// - draws a graph of the partition;
// - n times: draws the parents of a variable anew, all others given; or reverses an arc and draws the parents of both
//   ends anew (Grzegorczyk & Husmeier 2008, doi:10.1007/s10994-008-5057-7);
// - takes the partition of that graph, and adds up the probabilities of all arcs given the partition.
//
// Each step leaves the posterior as it is. All sums are looked up (CandidateSums).
[[nodiscard]] ChainPart run_chain(std::span<const CandidateSums> sums, const ParentMasks &start, std::uint64_t seed,
                                  const ChainOptions &options, Budget &budget);

// A graph along a random order that keeps to the required arcs, each variable with its best set of those before it.
// Empty if there is none.
[[nodiscard]] ParentMasks random_start(std::span<const CandidateSums> sums, std::uint64_t seed);

// At i * n + j how many of the graphs have i as an ancestor of j, and in its Markov blanket.
struct Relations {
    std::vector<std::uint32_t> ancestors;
    std::vector<std::uint32_t> blankets;
};
[[nodiscard]] Relations relations_in(std::span<const CandidateSums> sums, std::span<const ParentMasks> draws);

} // namespace arcwise
