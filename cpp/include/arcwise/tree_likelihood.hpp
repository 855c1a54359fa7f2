// The probability of rows under a mixture of trees.
#pragma once

#include <cstdint>
#include <span>

namespace arcwise {

// Tables of logarithms, a row for each state of the parent. Trees are one behind the other, with one entry for each
// variable.
struct TreeMixtureView {
    std::span<const std::uint32_t> arities;
    std::span<const std::int32_t> parents; // −1: none
    std::span<const std::int64_t> tables;  // where each table begins
    std::span<const double> log_probabilities;
    std::span<const double> log_weights; // one for each tree
};

// out[row] = ln Σ_trees weight Π P(state | state of the parent), for columns of codes of out.size() rows.
void tree_log_likelihoods(const TreeMixtureView &mixture, const std::uint16_t *codes, std::span<double> out);

} // namespace arcwise
