// Posterior probabilities of arcs and ancestors, summed over all graphs of few variables.
#pragma once

#include "arcwise/budget.hpp"
#include "arcwise/subset_lattice.hpp"

#include <cstddef>
#include <vector>

namespace arcwise {

// What is summed: every graph once, or once for each order that it fits.
enum class GraphPrior { graphs, orders };

struct ExactPosterior {
    double log_evidence = 0.0; // the logarithm of the sum of exp(score)
    // At i * n + j the probability of the arc i -> j, and that i is an ancestor of j; the latter for graphs only.
    std::vector<double> arcs;
    std::vector<double> ancestors;
    // How far the probabilities of the parent sets of a variable are from adding up to 1, at most: what is lost by
    // rounding and by leaving out.
    double rounding = 0.0;
    StopReason stopped_by = StopReason::none; // if any, there is nothing but this
};

// Let A_v(U) be the sum of exp(score) over the sets of v within U. Every graph over S has sinks; by inclusion and
// exclusion over sets T of them (Tian & He 2009, "Computing posterior probabilities of structural features in Bayesian
// networks", UAI), the sums F over the graphs of S, and H over those of all variables but U, which may have parents in
// U, are
//
//     F(S) = Σ over T ⊆ S, T ≠ ∅, of (−1)^(|T|+1) F(S \ T) Π over v in T of A_v(S \ T),
//     H(U) = Σ over T disjoint from U, T ≠ ∅, of (−1)^(|T|+1) H(U ∪ T) Π over v in T of A_v(U).
//
// Those terms of F(S) in which T has t add up to the graphs over S whose only sink is t. S is then the set of t's
// ancestors with t itself, so that ancestors need no further sums (Pensar, Talvitie, Hyttinen & Koivisto 2020 take 3^n
// steps for them too). Those terms of F(U) H(U) in which T has v are the derivative by ln A_v(U), of which arcs follow.
// So everything takes 3^n + n² 2^n steps in all, not n 3^n.
//
// The sums over orders (Koivisto & Sood 2004, JMLR 5) need n 2^n steps and no subtraction. They are never less than F
// and H, and by them the others are scaled: all numbers fit doubles. The product of F(U), the A_v(U) and H(U ∪ T),
// bounded in this way, never rises when T grows: sets T are listed depth first and left out, with all larger ones,
// where what they could add is nothing. From data that say something, few are left of the 3^n.
//
// Rounding: what one F(U) is wrong by enters the sum over all graphs with those graphs in which U has all its parents,
// which is a part of it. There are at most 2^n such U, and one has at most 2^|U| terms between -1 and 1.
[[nodiscard]] ExactPosterior exact_posterior(std::vector<SetScores> scores, GraphPrior prior, std::size_t workers,
                                             Budget &budget);

// What it allocates, at most, with the scores.
[[nodiscard]] double exact_posterior_bytes(std::size_t n_variables);

} // namespace arcwise
