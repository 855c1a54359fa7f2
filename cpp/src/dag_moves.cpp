#include "arcwise/dag_moves.hpp"

#include <algorithm>
#include <utility>

namespace arcwise {

StepGains::StepGains(const LocalScore &score, const ArcRules &rules, bool with_swaps, bool forbids_pairs)
    : score_(score), rules_(rules), n_(score.n_variables()), with_swaps_(with_swaps),
      toggles_(std::make_unique_for_overwrite<double[]>(n_ * n_)), best_addition_(n_, impossible), swaps_(n_),
      best_swap_(n_), tolerance_(score.rounding()), forbidden_(forbids_pairs ? n_ * n_ : 0, 0), scores_(n_) {}

bool StepGains::refresh(Variable node, std::span<const Variable> parents, double local, Budget &budget) {
    const std::span row(toggles_.get() + node * n_, n_);
    std::ranges::fill(row, impossible);
    best_addition_[node] = impossible;
    if (parents.size() < static_cast<std::size_t>(rules_.max_parents[node]) &&
        !fill(node, parents, Step::nobody, local, row, best_addition_[node], budget)) {
        return false;
    }
    for (Variable x = 0; forbids_pairs() && x < n_; ++x) {
        if (row[x] != impossible && row[x] < -tolerance_) {
            forbid(node, x);
        }
    }
    score_.removals(node, parents, std::span(scores_).first(parents.size()), &budget);
    for (std::size_t i = 0; i < parents.size(); ++i) {
        row[parents[i]] = scores_[i] - local;
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
        if (!rules_.required[node * n_ + parents[i]] &&
            !fill(node, parents, parents[i], local, std::span(swaps_[node]).subspan(i * n_, n_), best_swap_[node][i],
                  budget)) {
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

// The gains of all variables that may enter when `out`, if anybody, leaves.
bool StepGains::fill(Variable node, std::span<const Variable> parents, Variable out, double local,
                     std::span<double> row, double &best, Budget &budget) {
    candidates_.clear();
    for (Variable x = 0; x < n_; ++x) {
        if (rules_.allowed[node * n_ + x] && !is_forbidden(node, x) && std::ranges::find(parents, x) == parents.end()) {
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
