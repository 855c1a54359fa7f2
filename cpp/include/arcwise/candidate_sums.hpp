// Sums over all parent sets that a few candidates allow a variable, for any of the candidates.
#pragma once

#include "arcwise/subset_lattice.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace arcwise {

using Mask = std::uint32_t; // bit i: the i-th candidate is a member

// The scores of a child with every set of some candidates besides the required parents, by the mask of the candidates;
// NaN: more than `max_parents`. None when the budget ended it early.
[[nodiscard]] std::optional<std::vector<double>> scores_of_sets(const LocalScore &score, Variable child,
                                                                std::span<const Variable> required,
                                                                std::span<const Variable> candidates,
                                                                std::size_t max_parents, Budget &budget);

// All sums of exp(score) that partitions and graphs ask for, as logarithms (Viinikka, Hyttinen, Pensar & Koivisto 2020,
// "Towards scalable Bayesian learning of causal DAGs", NeurIPS). They take the difference of two sums for sets that
// have a member in the last layer, which loses digits; here sums over the sets that have one given member are kept too,
// k 2^(k − 1) numbers for k candidates, and nothing is subtracted.
class CandidateSums {
  public:
    // `scores` by mask; NaN or minus infinity: not allowed.
    CandidateSums(std::vector<Variable> candidates, std::vector<double> scores);

    [[nodiscard]] const std::vector<Variable> &candidates() const noexcept { return candidates_; }
    [[nodiscard]] Mask all() const noexcept { return static_cast<Mask>(scores_.size() - 1); }
    [[nodiscard]] double score(Mask set) const noexcept { return scores_[set]; }

    // Over the sets within `among`.
    [[nodiscard]] double within(Mask among) const noexcept { return within_[among]; }
    // Over those that have the candidate `member`, which is in `among`.
    [[nodiscard]] double containing(std::size_t member, Mask among) const noexcept {
        const Mask before = (Mask{1} << member) - 1;
        return containing_[(member << (candidates_.size() - 1)) + ((among & before) | (among >> 1 & ~before))];
    }
    // Over those that have a member of `some`, which are in `among`.
    [[nodiscard]] double meeting(Mask some, Mask among) const noexcept;

    // A set within `among` that meets `some`, unless there are none of these, drawn with the probabilities that their
    // scores give: `drawn` is uniform from 0 to 1, `sum` that of all such sets.
    [[nodiscard]] Mask draw(Mask some, Mask among, double sum, double drawn) const noexcept;

    // What those of so many candidates take.
    [[nodiscard]] static double bytes(std::size_t n_candidates) noexcept;

  private:
    std::vector<Variable> candidates_;
    std::vector<double> scores_;
    std::vector<double> within_;
    std::vector<double> containing_;
    std::vector<Mask> best_first_;
};

// Those of all variables; the required parents are candidates that no set is without. Nothing when the budget ended it
// early.
[[nodiscard]] std::vector<CandidateSums> candidate_sums(const LocalScore &score, std::span<const ParentRules> rules,
                                                        std::size_t workers, Budget &budget);

inline constexpr std::size_t max_candidates = 20;

} // namespace arcwise
