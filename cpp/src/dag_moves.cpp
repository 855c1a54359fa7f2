#include "arcwise/dag_moves.hpp"

#include <algorithm>

namespace arcwise {

StepGains::StepGains(const LocalScore &score, const ArcRules &rules, bool with_swaps)
    : score_(score), rules_(rules), n_(score.n_variables()), with_swaps_(with_swaps),
      toggles_(std::make_unique_for_overwrite<double[]>(n_ * n_)), best_addition_(n_, impossible), swaps_(n_),
      best_swap_(n_), scores_(n_) {}

bool StepGains::refresh(Variable node, std::span<const Variable> parents, double local, Budget &budget) {
    const std::span row(toggles_.get() + node * n_, n_);
    std::ranges::fill(row, impossible);
    best_addition_[node] = impossible;
    if (parents.size() < static_cast<std::size_t>(rules_.max_parents[node]) &&
        !fill(node, parents, Step::nobody, local, row, best_addition_[node], budget)) {
        return false;
    }
    score_.removals(node, parents, std::span(scores_).first(parents.size()), &budget);
    for (std::size_t i = 0; i < parents.size(); ++i) {
        row[parents[i]] = scores_[i] - local;
    }
    if (!with_swaps_) {
        return true;
    }
    swaps_[node].assign(parents.size() * n_, impossible);
    best_swap_[node].assign(parents.size(), impossible);
    for (std::size_t i = 0; i < parents.size(); ++i) {
        if (!rules_.required[node * n_ + parents[i]] &&
            !fill(node, parents, parents[i], local, std::span(swaps_[node]).subspan(i * n_, n_), best_swap_[node][i],
                  budget)) {
            return false;
        }
    }
    return true;
}

// The gains of all variables that may enter when `out`, if anybody, leaves.
bool StepGains::fill(Variable node, std::span<const Variable> parents, Variable out, double local,
                     std::span<double> row, double &best, Budget &budget) {
    candidates_.clear();
    for (Variable x = 0; x < n_; ++x) {
        if (rules_.allowed[node * n_ + x] && std::ranges::find(parents, x) == parents.end()) {
            candidates_.push_back(x);
        }
    }
    std::vector<Variable> rest(parents.begin(), parents.end());
    std::erase(rest, out);
    if (!score_.additions(node, rest, candidates_, scores_, &budget)) {
        return false;
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        row[candidates_[i]] = scores_[i] - local;
        best = std::max(best, scores_[i] - local);
    }
    return true;
}

} // namespace arcwise
