#include "arcwise/dag_moves.hpp"

#include <algorithm>
#include <utility>

namespace arcwise {

StepGains::StepGains(const LocalScore &score, const ArcRules &rules, bool with_swaps, bool forbids_pairs)
    : score_(score), rules_(rules), n_(score.n_variables()), with_swaps_(with_swaps),
      toggles_(std::make_unique_for_overwrite<double[]>(n_ * n_)), best_addition_(n_, impossible), swaps_(n_),
      best_swap_(n_), tolerance_(score.rounding()), forbidden_(forbids_pairs ? n_ * n_ : 0, 0) {}

bool StepGains::refresh(Variable node, std::span<const Variable> parents, double local, Budget &budget) {
    const std::span row(toggles_.get() + node * n_, n_);
    std::ranges::fill(row, impossible);
    best_addition_[node] = impossible;
    if (parents.size() < static_cast<std::size_t>(rules_.max_parents[node]) &&
        !fill({node}, parents, local, {row, best_addition_[node]}, budget)) {
        return false;
    }
    for (Variable x = 0; forbids_pairs() && x < n_; ++x) {
        if (row[x] != impossible && row[x] < -tolerance_) {
            forbid(node, x);
        }
    }
    std::vector<double> removed(parents.size());
    score_.removals(node, parents, removed, &budget);
    for (std::size_t i = 0; i < parents.size(); ++i) {
        row[parents[i]] = removed[i] - local;
        if (forbids_pairs() && row[parents[i]] > tolerance_) {
            forbid(node, parents[i]);
        }
    }
    if (!with_swaps_) {
        return true;
    }
    swaps_[node].assign(parents.size() * n_, impossible);
    best_swap_[node].assign(parents.size(), impossible);
    for (std::size_t i = 0; i < parents.size(); ++i) {
        if (!rules_.is_required(node, parents[i]) &&
            !fill({node, parents[i]}, parents, local,
                  {std::span(swaps_[node]).subspan(i * n_, n_), best_swap_[node][i]}, budget)) {
            return false;
        }
    }
    return true;
}

void StepGains::forbid(Variable a, Variable b) {
    for (const auto &[node, x] : {std::pair(a, b), std::pair(b, a)}) {
        forbidden_[node * n_ + x] = 1;
        for (std::size_t i = x; i < swaps_[node].size(); i += n_) {
            swaps_[node][i] = impossible;
        }
    }
}

// The gains of all variables that may enter when whoever the step drops, if anybody, leaves.
bool StepGains::fill(const Step &step, std::span<const Variable> parents, double local, Gains gains,
                     Budget &budget) const {
    const Variable node = step.node;
    std::vector<Variable> candidates;
    candidates.reserve(n_);
    for (Variable x = 0; x < n_; ++x) {
        if (rules_.is_allowed(node, x) && !is_forbidden(node, x) && std::ranges::find(parents, x) == parents.end()) {
            candidates.push_back(x);
        }
    }
    std::vector<Variable> rest(parents.begin(), parents.end());
    std::erase(rest, step.out);
    std::vector<double> scores(candidates.size());
    if (!score_.additions(node, rest, candidates, scores, &budget)) {
        return false;
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const double gain = scores[i] - local;
        gains.row[candidates[i]] = gain;
        gains.best = std::max(gains.best, gain);
    }
    return true;
}

} // namespace arcwise
