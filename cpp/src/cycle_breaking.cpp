#include "arcwise/cycle_breaking.hpp"

#include <algorithm>
#include <functional>

namespace arcwise {

CycleBreaker::CycleBreaker(const LocalScore &score, const ArcRules &rules, const StepGains &gains, double tolerance)
    : score_(score), rules_(rules), gains_(gains), tolerance_(tolerance), n_(score.n_variables()),
      place_(n_, unchanged), degree_(rules.limits_degrees() ? n_ : 0), excluded_(n_), next_(n_), seen_(n_, 0) {}

Move CycleBreaker::complete(const DagState &dag, const Step &first, double gain, Budget &budget) {
    dag_ = &dag;
    for (const Changed &changed : changed_) {
        place_[changed.node] = unchanged;
    }
    changed_.clear();
    move_ = {};
    additions_.clear();
    below_.assign(dag.reached_from(first.node).size(), 0);
    std::ranges::fill(excluded_, 0);
    for (Variable node = 0; node < degree_.size(); ++node) {
        degree_[node] = dag.degree(node);
    }
    apply(first, gain);
    while (find_cycle()) {
        for (const auto &arc : cycle_) {
            excluded_[arc.first] = 1;
        }
        Move next = best_deletion(budget);
        if (next.steps.empty() || move_.gain + next.gain <= tolerance_) {
            next = best_swap(budget);
        }
        if (next.steps.empty() || budget.exhausted()) {
            return {};
        }
        apply(next.steps.front(), next.gain);
    }
    return move_;
}

void CycleBreaker::apply(const Step &step, double gain) {
    move_.gain += gain;
    move_.steps.push_back(step);
    if (!is_changed(step.node)) {
        const auto before = dag_->parents(step.node);
        place_[step.node] = static_cast<std::uint32_t>(changed_.size());
        changed_.push_back({step.node, {before.begin(), before.end()}});
    }
    std::vector<Variable> &parents = changed_[place_[step.node]].parents;
    std::erase(parents, step.out);
    if (rules_.limits_degrees() && step.drops() && !has_arc(step.node, step.out)) {
        --degree_[step.node];
        --degree_[step.out];
    }
    if (rules_.limits_degrees() && step.adds() && !has_arc(step.node, step.in)) {
        ++degree_[step.node];
        ++degree_[step.in];
    }
    if (step.adds()) {
        parents.insert(std::ranges::upper_bound(parents, step.in), step.in);
        additions_.push_back(step);
        const auto reached = dag_->reached_from(step.node);
        std::ranges::transform(below_, reached, below_.begin(), std::bit_or<>());
    }
}

bool CycleBreaker::has_arc(Variable from, Variable to) const noexcept {
    return std::ranges::find(parents(to), from) != parents(to).end();
}

// Two nodes with arcs both ways are joined once, and joined still when one of the two leaves.
bool CycleBreaker::keeps_degrees(const Step &swap) const noexcept {
    if (!rules_.limits_degrees() || has_arc(swap.node, swap.in)) {
        return true;
    }
    const std::size_t lost = has_arc(swap.node, swap.out) ? 0 : 1;
    return rules_.may_join_more(swap.in, degree_[swap.in]) &&
           rules_.may_join_more(swap.node, degree_[swap.node] - lost);
}

// A shortest cycle through one of the arcs that have come in: the graph had none before.
bool CycleBreaker::find_cycle() {
    return std::ranges::any_of(additions_, [&](const Step &step) {
        return std::ranges::find(parents(step.node), step.in) != parents(step.node).end() &&
               find_cycle(step.in, step.node);
    });
}

// A shortest path from `to` to `from`, searched backward over parents, and the arc that closes it. Only nodes below
// the heads of additions can be on it: before these, nothing closed a cycle.
bool CycleBreaker::find_cycle(Variable from, Variable to) {
    ++search_;
    queue_.assign(1, from);
    seen_[from] = search_;
    for (std::size_t at = 0; at < queue_.size() && seen_[to] != search_; ++at) {
        for (const Variable parent : parents(queue_[at])) {
            if (seen_[parent] != search_ && (below_[parent / 64] >> (parent % 64) & 1) != 0) {
                seen_[parent] = search_;
                next_[parent] = queue_[at];
                queue_.push_back(parent);
            }
        }
    }
    if (seen_[to] != search_) {
        return false;
    }
    cycle_.assign(1, {from, to});
    for (Variable node = to; node != from; node = next_[node]) {
        cycle_.emplace_back(node, next_[node]);
    }
    return true;
}

// The gain of a deletion in the graph as it is after the steps so far.
double CycleBreaker::deletion(Variable node, Variable out, Budget &budget) const {
    if (!is_changed(node)) {
        return gains_.deletion(node, out);
    }
    const auto now = parents(node);
    std::vector<Variable> rest(now.begin(), now.end());
    std::erase(rest, out);
    return score_.local(node, rest, &budget) - score_.local(node, now, &budget);
}

Move CycleBreaker::best_deletion(Budget &budget) const {
    const Step &first = move_.steps.front();
    Move best;
    for (const auto &[from, to] : cycle_) {
        if ((from == first.in && to == first.node) || rules_.is_required(to, from)) {
            continue;
        }
        const double gain = deletion(to, from, budget);
        if (best.steps.empty() || gain > best.gain) {
            best = {gain, {Step{to, from, Step::nobody}}};
        }
    }
    return best;
}

// The best swap on the cycle that leaves a gain.
Move CycleBreaker::best_swap(Budget &budget) const {
    const Step &first = move_.steps.front();
    Move best{tolerance_ - move_.gain, {}};
    const auto look = [&](const Step &step, double gain) {
        if (gain > best.gain && keeps_degrees(step)) {
            best = {gain, {step}};
        }
    };
    for (const auto &[from, to] : cycle_) {
        if ((from == first.in && to == first.node) || rules_.is_required(to, from)) {
            continue;
        }
        const auto now = parents(to);
        if (!is_changed(to)) {
            const auto i = static_cast<std::size_t>(std::ranges::find(now, from) - now.begin());
            const auto gains = gains_.swaps(to, i);
            for (Variable v = 0; v < n_ && gains_.best_swap(to, i) > best.gain; ++v) {
                if (!excluded_[v]) {
                    look({to, from, v}, gains[v]);
                }
            }
            continue;
        }
        std::vector<Variable> candidates;
        for (Variable v = 0; v < n_; ++v) {
            if (!excluded_[v] && rules_.is_allowed(to, v) && !gains_.is_forbidden(to, v) &&
                std::ranges::find(now, v) == now.end()) {
                candidates.push_back(v);
            }
        }
        std::vector<Variable> rest(now.begin(), now.end());
        std::erase(rest, from);
        std::vector<double> scores(candidates.size());
        if (!score_.additions(to, rest, candidates, scores, &budget)) {
            return {};
        }
        const double local = score_.local(to, now, &budget);
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            look({to, from, candidates[i]}, scores[i] - local);
        }
    }
    return best;
}

} // namespace arcwise
