// Exact answers to questions about a discrete network, for rows of evidence.
#pragma once

#include "arcwise/budget.hpp"
#include "arcwise/clique_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace arcwise {

// What is known in some rows.
struct RowEvidence {
    // Rows by nodes, column by column, in one of two types; a code that is not below the arity: not known.
    const std::uint8_t *narrow = nullptr;
    const std::uint16_t *wide = nullptr;
    std::size_t n_rows = 0;

    // Soft evidence: rows by states, or the same for all rows.
    struct Likelihood {
        std::uint32_t node;
        const double *values;
        bool is_same;
    };
    std::vector<Likelihood> likelihoods;

    [[nodiscard]] std::uint32_t code(std::size_t row, std::size_t node) const noexcept {
        return wide == nullptr ? narrow[node * n_rows + row] : wide[node * n_rows + row];
    }
};

// Where answers go; what is not asked for is empty.
struct RowAnswers {
    // For each set of the question the joint posteriors of its nodes, row after row: zeros at first, NaN where the
    // evidence is impossible.
    std::vector<double *> posteriors;
    // Natural logarithms: of the evidence, or of evidence and explanation together.
    std::span<double> log_probabilities;
    // All nodes in the form of the evidence's codes, with these in it at first. Rows of impossible evidence stay so.
    std::uint8_t *narrow = nullptr;
    std::uint16_t *wide = nullptr;
    std::uint64_t seed = 0; // of draws; each row has a stream of its own
};

struct InferenceLimits {
    std::size_t bytes;
    double cells = 4e9; // of all cliques; positions in tables are 32 bits wide
};

struct InferenceOutcome {
    bool is_complete = true;            // false where the budget ended it; rows without an answer are NaN
    std::optional<CliqueCost> too_wide; // what would have been needed: nothing was answered, or not all
};

class Inference {
  public:
    explicit Inference(DiscreteNetwork network) : network_(std::move(network)) {}
    Inference(const Inference &) = delete;
    Inference &operator=(const Inference &) = delete;

    [[nodiscard]] const DiscreteNetwork &network() const noexcept { return network_; }

    // What a plan costs for rows in which these nodes are known.
    [[nodiscard]] CliqueCost cost(const Question &question, std::span<const Known> known) const;

    // Rows in which the same nodes are known share a plan, unless there are so many kinds of rows that one plan for
    // all, with likelihoods instead of known nodes, is estimated to be quicker. Rows that are the same are answered
    // once. The number of threads does not change an answer; other rows in the batch may change its last digits.
    [[nodiscard]] InferenceOutcome answer(const Question &question, const RowEvidence &evidence,
                                          const RowAnswers &answers, const InferenceLimits &limits,
                                          const Budget &budget) const;

    // A good order of elimination where nothing is known, as the rank of each node.
    [[nodiscard]] std::span<const std::uint32_t> ranks() const;

  private:
    DiscreteNetwork network_;
    mutable std::once_flag has_ranks_;
    mutable std::vector<std::uint32_t> ranks_;
};

} // namespace arcwise
