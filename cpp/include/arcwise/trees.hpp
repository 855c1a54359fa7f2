// Trees of the largest score: Chow & Liu's, on the table or on a replica of it.
#pragma once

#include "arcwise/arc_rules.hpp"
#include "arcwise/growing_forest.hpp"
#include "arcwise/local_score.hpp"
#include "arcwise/packed_rows.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace arcwise {

struct TreeResult {
    RootedForest forest;
    bool is_complete; // whether all pairs were looked at
};

using VariablePair = std::pair<Variable, Variable>;

// What a score gains when one variable becomes the parent of another that had none: for scores that Markov-equivalent
// graphs share it does not matter which of the two. The best forest is then a maximum spanning one (Chow & Liu 1968,
// doi:10.1109/TIT.1968.1054142). Thread-safe.
class TreeSearch {
  public:
    // The score's table, and another score of the same table to learn by. Throws std::invalid_argument for one that
    // tells equivalent graphs apart, and std::length_error when the packed table takes more than max_bytes.
    TreeSearch(const LocalScore &score, ScoreKind kind, double parameter, std::size_t max_bytes);

    [[nodiscard]] std::size_t n_variables() const noexcept { return rows_.table().n_variables(); }

    // The best forest with the rows weighted; empty weights are those of the table. Each pair is one evaluation. Where
    // the budget ends it early, the best one of the pairs so far.
    [[nodiscard]] TreeResult best(std::span<const std::uint32_t> weights, Budget &budget) const;

    // The best forest of a few pairs only: the arcs of another one, and so many drawn at random.
    [[nodiscard]] TreeResult near(std::span<const std::uint32_t> weights, std::span<const std::int32_t> parents,
                                  std::size_t n_drawn, std::uint64_t seed, Budget &budget) const;

    // The best forest of these pairs only; none of them is that of a variable with itself.
    [[nodiscard]] TreeResult among(std::span<const std::uint32_t> weights, std::vector<VariablePair> pairs,
                                   Budget &budget) const;

    // The best forest that the rules allow; they must not tell the directions of an arc apart.
    [[nodiscard]] TreeResult within(const ArcRules &rules, Budget &budget) const;

    // The counts of each pair with the weights of the table, one table behind the other, the states of the second
    // variable fastest. Throws std::length_error beyond the limit of memory.
    [[nodiscard]] std::vector<std::uint32_t> counts(std::span<const VariablePair> pairs) const;

  private:
    class Sweep;

    // Σ over the cells of the pair + constant − what both have alone.
    struct PairTerms {
        ScoreTable::Values cell;
        double constant;
    };

    [[nodiscard]] std::span<const std::uint32_t> weights_or_own(std::span<const std::uint32_t> weights) const noexcept {
        return weights.empty() ? rows_.table().weights : weights;
    }

    const LocalScore &score_;
    Score by_;
    PackedRows rows_;
    // By the places of two variables' arities among those that occur.
    std::vector<std::size_t> arity_place_;
    std::vector<ScoreTable::Values> single_terms_;
    std::vector<PairTerms> pair_terms_;
};

} // namespace arcwise
