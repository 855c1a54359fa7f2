#include "arcwise/dag_search.hpp"

#include "arcwise/check.hpp"
#include "arcwise/random.hpp"
#include "arcwise/shared_additions.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <ranges>
#include <utility>

namespace arcwise {
namespace {

// A number of well-mixed bits for each arc.
std::uint64_t fingerprint_of(Variable from, Variable to) noexcept { return mixed(std::uint64_t{from} << 32 | to); }

} // namespace

DagSearch::DagSearch(LeadingRows &rows, const ArcRules &rules, DagNeighbourhood neighbourhood, ParentLists start,
                     Budget &budget)
    : score_(rows.score()), rules_(rules), moves_(neighbourhood.moves), budget_(budget), team_(budget.threads()),
      dag_(std::move(start)), n_(dag_.n_nodes()),
      tolerance_(2.0 * score_.rounding()), // a move often changes two local scores
      local_(n_), gains_(rows, rules, dag_, neighbourhood, budget, team_), ranked_(n_), watches_(n_),
      breaker_(score_, rules, gains_, tolerance_) {
    for (Variable node = 0; node < n_; ++node) {
        local_.set(node, score_.local(node, dag_.parents(node), &budget_));
        for (const Variable parent : dag_.parents(node)) {
            fingerprint_ ^= fingerprint_of(parent, node);
        }
    }
    refresh_all();
}

void DagSearch::refresh_all() {
    std::vector<Variable> all(n_);
    std::iota(all.begin(), all.end(), Variable{0});
    gains_.prepare(all);
    refresh(all);
}

// Each node has places of its own for what is found; but where pairs are forbidden, what one node finds keeps others
// from counting it again. Where few nodes change, the team shares the candidates of each.
void DagSearch::refresh(std::span<const Variable> nodes) {
    const double cost = gains_.forbids_pairs() ? 0.0 : cost_of_additions(score_.engine(), 1);
    std::atomic<bool> is_done{is_complete_};
    team_.spread(nodes.size(), cost, [&](std::size_t, std::size_t i) {
        if (is_done.load(std::memory_order_relaxed) && !gains_.refresh(nodes[i], local_[nodes[i]])) {
            is_done.store(false, std::memory_order_relaxed);
        }
    });
    is_complete_ = is_done.load(std::memory_order_relaxed);
    if (!is_complete_) {
        return;
    }
    for (const Variable node : nodes) {
        gains_.refresh_reversals(node);
        for (const Variable child : dag_.children(node)) {
            gains_.refresh_reversal(child, node);
            ranked_.set(child, gains_.bound(child));
        }
    }
    for (const Variable node : nodes) {
        ranked_.set(node, gains_.bound(node));
    }
}

bool DagSearch::can_reverse(Variable from, Variable to) {
    for (const Variable parent : dag_.parents(to)) {
        const auto watch_it = [&](Variable tail, Variable head) { watch({tail, head}, to); };
        if (parent != from && dag_.for_path(from, parent, watch_it)) {
            gains_.close_reversal(to, from);
            return false;
        }
    }
    return true;
}

// Some nodes come again and again: before the list grows, they become one.
void DagSearch::watch(const Arc &arc, Variable node) {
    auto &watches = watches_[arc.first];
    if (watches.size() == watches.capacity()) {
        std::ranges::sort(watches);
        const auto again = std::ranges::unique(watches);
        watches.erase(again.begin(), again.end());
        watches.reserve(2 * watches.size() + 4);
    }
    watches.push_back({arc.second, node});
}

void DagSearch::open_watching(const Arc &gone) {
    auto &watches = watches_[gone.first];
    for (std::size_t i = 0; i < watches.size();) {
        if (watches[i].head == gone.second) {
            gains_.open(watches[i].node);
            ranked_.set(watches[i].node, gains_.bound(watches[i].node));
            watches[i] = watches.back();
            watches.pop_back();
        } else {
            ++i;
        }
    }
}

void DagSearch::allow_all_pairs() {
    gains_.allow_all_pairs();
    completed_.clear();
    refresh_all();
}

std::uint64_t DagSearch::fingerprint_after(const std::vector<Step> &steps) const noexcept {
    std::uint64_t after = fingerprint_;
    for (const Step &step : steps) {
        after ^= step.drops() ? fingerprint_of(step.out, step.node) : 0;
        after ^= step.adds() ? fingerprint_of(step.in, step.node) : 0;
    }
    return after;
}

const Move &DagSearch::completed(const Step &step, double gain) {
    const std::uint64_t out = step.drops() ? step.out : n_;
    forget_outdated();
    Completed &known = completed_[(step.node * (n_ + 1) + out) * (n_ + 1) + step.in];
    if (!is_right(known)) {
        known.move = breaker_.complete(dag_, step, gain, budget_);
        known.additions = breaker_.additions();
        known.nodes_on_cycles = breaker_.nodes_on_cycles();
    }
    known.at = n_moves_;
    return known.move;
}

// What `CycleBreaker::additions` says: taking out the arcs that the last move took out, and then putting in those that
// it put in, changes nothing about the cycles. But where degrees are limited, any node may have got one more neighbour
// than a swap can do with, and where pairs are forbidden on the way, any pair may have been.
bool DagSearch::is_right(const Completed &known) const noexcept {
    if (known.additions.empty() || known.at + 1 < n_moves_) {
        return false;
    }
    const auto is_between = [&](const Surroundings &around) {
        return std::ranges::any_of(known.additions, [&](const Step &step) { return around.above[step.node]; }) &&
               std::ranges::any_of(known.additions, [&](const Step &step) { return around.below[step.in]; });
    };
    const auto is_changed = [&](Variable node) { return std::ranges::find(changed_, node) != changed_.end(); };
    return known.at == n_moves_ ||
           (!rules_.limits_degrees() && !gains_.forbids_pairs() && std::ranges::none_of(surroundings_, is_between) &&
            std::ranges::none_of(known.nodes_on_cycles, is_changed));
}

void DagSearch::forget_outdated() {
    if (completed_.size() >= most_completed_) {
        std::erase_if(completed_, [&](const auto &entry) { return entry.second.at + 1 < n_moves_; });
        most_completed_ = std::max<std::size_t>(1024, 2 * completed_.size());
    }
}

DagSearch::Surroundings DagSearch::surroundings(const Arc &arc) const {
    Surroundings found{std::vector<bool>(n_, false), std::vector<bool>(n_, false)};
    dag_.for_each_above(arc.first, [&](Variable other) { found.above[other] = true; });
    dag_.for_each_below(arc.second, [&](Variable other) { found.below[other] = true; });
    return found;
}

void DagSearch::make(const std::vector<Step> &steps) {
    fingerprint_ = fingerprint_after(steps);
    std::vector<Arc> gone;
    std::vector<Arc> come;
    changed_.clear();
    const auto exchange = [](std::vector<Arc> &back, std::vector<Arc> &forth, const Arc &arc) {
        if (std::erase(back, arc) == 0) { // a later step may undo an earlier one
            forth.push_back(arc);
        }
    };
    for (const Step &step : steps) {
        if (step.drops()) {
            exchange(come, gone, {step.out, step.node});
        }
        if (step.adds()) {
            exchange(gone, come, {step.in, step.node});
        }
        if (std::ranges::find(changed_, step.node) == changed_.end()) {
            changed_.push_back(step.node);
        }
    }
    const auto note_surroundings = [&](const std::vector<Arc> &arcs) {
        for (std::size_t i = 0; moves_ == DagMoves::break_cycles && i < arcs.size(); ++i) {
            surroundings_.push_back(surroundings(arcs[i]));
        }
    };
    surroundings_.clear();
    note_surroundings(gone);
    for (const auto &[from, to] : gone) { // before the others come: no graph on the way has a cycle
        dag_.remove(from, to);
    }
    for (const auto &[from, to] : come) {
        dag_.add(from, to);
    }
    note_surroundings(come);
    ++n_moves_;
    ARCWISE_ASSERT(keeps_degrees());
    for (const Variable node : changed_) {
        local_.set(node, score_.local(node, dag_.parents(node), &budget_));
    }
    refresh(changed_);
    for (const Arc &arc : gone) {
        open_watching(arc);
    }
}

bool DagSearch::keeps_degrees() const noexcept {
    Variable node = 0;
    return std::ranges::all_of(
        rules_.max_degree, [&](std::int32_t most) { return dag_.degree(node++) <= static_cast<std::size_t>(most); });
}

std::vector<Step> DagSearch::inverse(const std::vector<Step> &steps) {
    std::vector<Step> back;
    back.reserve(steps.size());
    for (const Step &step : std::views::reverse(steps)) {
        back.push_back({step.node, step.in, step.out});
    }
    return back;
}

} // namespace arcwise
