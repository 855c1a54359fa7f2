#include "arcwise/cycle_breaking.hpp"

#include <algorithm>
#include <utility>

namespace arcwise {

CycleBreaker::CycleBreaker(const LocalScore &score, const ArcRules &rules, StepGains &gains, double tolerance)
    : score_(score), rules_(rules), gains_(gains), tolerance_(tolerance), n_(score.n_variables()),
      place_(n_, unchanged), more_(n_, 0), excluded_(n_, 0), next_(n_), seen_(n_, 0) {}

Move CycleBreaker::complete(const DagState &dag, const Step &first, double gain, Budget &budget) {
    dag_ = &dag;
    for (const Changed &changed : changed_) {
        place_[changed.node] = unchanged;
    }
    changed_.clear();
    for (const Step &step : move_.steps) {
        for (const Variable node : {step.node, step.out, step.in}) {
            if (node != Step::nobody) {
                more_[node] = 0;
            }
        }
    }
    move_ = {};
    additions_.clear();
    nodes_on_cycles_.clear();
    first_place_ = dag.n_nodes();
    last_place_ = 0;
    ++n_completed_;
    apply(first, gain);
    while (find_cycle()) {
        for (const auto &arc : cycle_) {
            if (std::exchange(excluded_[arc.first], n_completed_) != n_completed_) {
                nodes_on_cycles_.push_back(arc.first);
            }
        }
        std::optional<Move> next = best_deletion(budget);
        if (next->steps.empty() || move_.gain + next->gain <= tolerance_) {
            next = best_swap(budget);
        }
        if (!next || next->steps.empty() || budget.exhausted()) {
            return {};
        }
        apply(next->steps.front(), next->gain);
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
        --more_[step.node];
        --more_[step.out];
    }
    if (rules_.limits_degrees() && step.adds() && !has_arc(step.node, step.in)) {
        ++more_[step.node];
        ++more_[step.in];
    }
    if (step.adds()) {
        parents.insert(std::ranges::upper_bound(parents, step.in), step.in);
        additions_.push_back(step);
        first_place_ = std::min(first_place_, dag_->place(step.node));
        last_place_ = std::max(last_place_, dag_->place(step.in));
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
    return rules_.may_join_more(swap.in, degree(swap.in)) && rules_.may_join_more(swap.node, degree(swap.node) - lost);
}

// A shortest cycle through one of the arcs that have come in: the graph had none before.
bool CycleBreaker::find_cycle() {
    return std::ranges::any_of(additions_, [&](const Step &step) {
        return has_arc(step.in, step.node) && reaches(step.node, step.in) && find_cycle(step.in, step.node);
    });
}

// Whether a path leads from the head of an addition to its tail: searched from both ends, a node at a time, from
// whichever end has fewer waiting, because most often there is none, and one of the two has little around it. Along
// arcs that were there before, places in the order rise; so whatever is between a head and a tail of additions comes
// neither before all heads nor behind all tails.
bool CycleBreaker::reaches(Variable from, Variable to) {
    if (from == to) {
        return true;
    }
    search_ += 2;
    const std::uint64_t from_start = search_ - 1;
    const std::uint64_t from_goal = search_;
    queue_.assign(1, from);
    queue_of_goal_.assign(1, to);
    seen_[from] = from_start;
    seen_[to] = from_goal;
    bool is_found = false;
    const auto meet = [&](Variable node, std::uint64_t mine, std::uint64_t others, std::vector<Variable> &queue) {
        is_found = is_found || seen_[node] == others;
        const std::size_t place = dag_->place(node);
        if (seen_[node] != mine && place >= first_place_ && place <= last_place_) {
            seen_[node] = mine;
            queue.push_back(node);
        }
    };
    for (std::size_t at = 0, at_goal = 0; !is_found && at < queue_.size() && at_goal < queue_of_goal_.size();) {
        if (queue_.size() - at <= queue_of_goal_.size() - at_goal) {
            const Variable node = queue_[at++];
            for_each_child(node, [&](Variable child) { meet(child, from_start, from_goal, queue_); });
        } else {
            for (const Variable parent : parents(queue_of_goal_[at_goal++])) {
                meet(parent, from_goal, from_start, queue_of_goal_);
            }
        }
    }
    return is_found;
}

// A shortest path from `to` to `from`, searched backward over parents, and the arc that closes it.
bool CycleBreaker::find_cycle(Variable from, Variable to) {
    ++search_;
    queue_.assign(1, from);
    seen_[from] = search_;
    for (std::size_t at = 0; at < queue_.size() && seen_[to] != search_; ++at) {
        for (const Variable parent : parents(queue_[at])) {
            if (seen_[parent] != search_ && dag_->place(parent) >= first_place_) {
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

// The best swap on the cycle that leaves a gain; none when the budget ended the search for it.
std::optional<Move> CycleBreaker::best_swap(Budget &budget) {
    const Step &first = move_.steps.front();
    Move best{tolerance_ - move_.gain, {}};
    for (const auto &[from, to] : cycle_) {
        if ((from == first.in && to == first.node) || rules_.is_required(to, from)) {
            continue;
        }
        if (!look_at_swaps(to, from, best, budget)) {
            return std::nullopt;
        }
    }
    return best;
}

// False when the budget ended it.
bool CycleBreaker::look_at_swaps(Variable node, Variable out, Move &best, Budget &budget) {
    const auto now = parents(node);
    const auto may_come = [&](Variable x) {
        return excluded_[x] != n_completed_ && std::ranges::find(now, x) == now.end() && keeps_degrees({node, out, x});
    };
    // Best first, so that the first one is it.
    if (!is_changed(node)) {
        const auto is_worth = [&](double gain) { return gain > best.gain; };
        return gains_.for_each_entry(node, out, is_worth, [&](Variable x, double gain) {
            if (may_come(x)) {
                best = {gain, {{node, out, x}}};
            }
            return false;
        });
    }
    std::vector<Variable> rest(now.begin(), now.end());
    std::erase(rest, out);
    const double local = score_.local(node, now, &budget);
    LeadingRows::Row row = gains_.first_row({node, rest});
    while (true) {
        if (row == nullptr) {
            return false;
        }
        for (std::size_t k = 0; k < row->scores.size(); ++k) {
            const double gain = row->scores[k] - local;
            if (gain <= best.gain) {
                return true;
            }
            if (may_come(row->variables[k]) && rules_.is_allowed(node, row->variables[k]) &&
                !gains_.is_forbidden(node, row->variables[k])) {
                best = {gain, {{node, out, row->variables[k]}}};
                return true;
            }
        }
        const auto others_gain_nothing = [&] {
            return row->has_all_improvements &&
                   score_.local(node, rest, &budget) + score_.rounding() - local <= best.gain;
        };
        if (row->is_whole || others_gain_nothing()) {
            return true;
        }
        row = gains_.row({node, rest}, std::max(leading_length, 4 * row->scores.size()));
    }
}

} // namespace arcwise
