// The state of searches over graphs: the graph, its score, and all moves from it with what they gain.
#pragma once

#include "arcwise/cycle_breaking.hpp"
#include "arcwise/dag_moves.hpp"
#include "arcwise/sum_tree.hpp"
#include "arcwise/team.hpp"
#include "arcwise/tournament.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace arcwise {

class DagSearch {
  public:
    // `start` obeys the rules.
    DagSearch(LeadingRows &rows, const ArcRules &rules, DagNeighbourhood neighbourhood, ParentLists start,
              Budget &budget);

    // Whether all gains are known; not when the budget ended their counting.
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
    [[nodiscard]] const DagState &dag() const noexcept { return dag_; }
    [[nodiscard]] double score() const noexcept { return local_.sum(); }
    [[nodiscard]] double local(Variable node) const noexcept { return local_[node]; }
    [[nodiscard]] const StepGains &gains() const noexcept { return gains_; }
    [[nodiscard]] double tolerance() const noexcept { return tolerance_; }
    // A number that only the same graph has, in all likelihood.
    [[nodiscard]] std::uint64_t fingerprint() const noexcept { return fingerprint_; }
    [[nodiscard]] std::uint64_t fingerprint_after(const std::vector<Step> &steps) const noexcept;

    // Calls use(gain, steps) for every move that gains more than `floor`, which may rise meanwhile; first at the nodes
    // where most may be gained. With broken cycles, steps that gain nothing are not completed, and all others are,
    // because what breaks a cycle may itself be a gain. False when the budget ended it early.
    template <class Use> bool for_each_move(const double &floor, Use &&use) {
        const auto least = [&] { return moves_ == DagMoves::break_cycles ? std::min(floor, tolerance_) : floor; };
        Ranking ranking;
        ranking.add(ranked_);
        while (const auto next = ranking.take(least())) {
            const auto node = static_cast<Variable>(*next);
            if (budget_.exhausted() || !for_each_at(node, floor, use)) {
                return false;
            }
            ranked_.set(node, gains_.bound(node)); // steps may have been found to close cycles
        }
        return true;
    }

    // Changes the graph and computes the gains of the changed nodes anew.
    void make(const std::vector<Step> &steps);
    // From now on no pair of variables is forbidden but by the rules.
    void allow_all_pairs();
    // The steps that lead back.
    [[nodiscard]] static std::vector<Step> inverse(const std::vector<Step> &steps);

  private:
    template <class Use> bool for_each_at(Variable node, const double &floor, Use &use) {
        for (const Variable parent : dag_.parents(node)) {
            change_parent(node, parent, floor, use);
        }
        if (!enter(node, Step::nobody, floor, use)) {
            return false;
        }
        for (const Variable parent : dag_.parents(node)) {
            if (moves_ != DagMoves::add_delete_reverse && !enter(node, parent, floor, use)) {
                return false;
            }
        }
        return true;
    }

    // Deletions, and reversals where they are moves of their own.
    template <class Use> void change_parent(Variable node, Variable parent, const double &floor, Use &use) {
        if (rules_.is_required(node, parent)) {
            return;
        }
        const double deletion = gains_.deletion(node, parent);
        if (deletion > floor) {
            use(deletion, std::vector<Step>{{node, parent, Step::nobody}});
        }
        const double reversal = gains_.reversal(node, parent);
        if (reversal > floor && !gains_.is_forbidden(parent, node) && can_reverse(parent, node)) {
            use(reversal, std::vector<Step>{{node, parent, Step::nobody}, {parent, Step::nobody, node}});
        }
    }

    // Additions, or swaps for a parent: as they are, or with what it takes to break the cycles they close. Whether they
    // close one is looked at last: that costs most.
    template <class Use> bool enter(Variable node, Variable out, const double &floor, Use &use) {
        const bool breaks = moves_ == DagMoves::break_cycles;
        const auto is_worth = [&](double gain) { return gain > floor || (breaks && gain > tolerance_); };
        return gains_.for_each_entry(node, out, is_worth, [&](Variable x, double gain) {
            const Step step{node, out, x};
            if (!keeps_degrees(step)) {
                return false;
            }
            if (!breaks && closes_cycle(step)) {
                return true;
            }
            if (!breaks || dag_.can_add(x, node)) {
                if (gain > floor) {
                    use(gain, std::vector<Step>{step});
                }
            } else if (gain > tolerance_) {
                const Move &move = completed(step, gain);
                if (!move.steps.empty() && move.gain > floor) {
                    use(move.gain, move.steps);
                }
            }
            return false;
        });
    }

    // Whether an addition or a swap closes a cycle. It does so until an arc of that leaves, and the node watches these.
    [[nodiscard]] bool closes_cycle(const Step &step) {
        return dag_.for_path(step.node, step.in, [&](Variable from, Variable to) { watch({from, to}, step.node); });
    }
    // The same for a reversal, which no other parent of the head may be below.
    [[nodiscard]] bool can_reverse(Variable from, Variable to);

    // Whether an addition or a swap leaves no node joined to more others than it may be.
    [[nodiscard]] bool keeps_degrees(const Step &step) const noexcept {
        const bool is_joined = !rules_.limits_degrees() || dag_.has_arc(step.node, step.in);
        return is_joined || (rules_.may_join_more(step.in, dag_.degree(step.in)) &&
                             (step.drops() || rules_.may_join_more(step.node, dag_.degree(step.node))));
    }

    [[nodiscard]] bool keeps_degrees() const noexcept; // the graph as it is

    using Arc = std::pair<Variable, Variable>; // tail and head
    void watch(const Arc &arc, Variable node);
    void open_watching(const Arc &gone);

    void refresh_all();
    void refresh(std::span<const Variable> nodes);

    // A move that begins with a step that closes a cycle.
    struct Completed {
        std::uint64_t at = 0; // the number of moves after which it was still right
        Move move;
        std::vector<Step> additions;
        std::vector<Variable> nodes_on_cycles;
    };
    // The move that begins with this step; remembered as long as the last move changes nothing about it.
    [[nodiscard]] const Move &completed(const Step &step, double gain);
    [[nodiscard]] bool is_right(const Completed &known) const noexcept;
    void forget_outdated();

    // The nodes above the tail of an arc and below its head, these included.
    struct Surroundings {
        std::vector<bool> above;
        std::vector<bool> below;
    };
    [[nodiscard]] Surroundings surroundings(const Arc &arc) const;

    // A node that has found a path from it to whoever it would take in, and goes without as long as this path is there.
    struct Watch {
        Variable head; // of an arc of the path
        Variable node;
        friend auto operator<=>(const Watch &, const Watch &) noexcept = default;
    };

    const LocalScore &score_;
    const ArcRules &rules_;
    DagMoves moves_;
    Budget &budget_;
    Team team_;
    DagState dag_;
    std::size_t n_;
    double tolerance_;
    SumTree local_;
    StepGains gains_;
    Tournament ranked_;                       // what each node may gain at most
    std::vector<std::vector<Watch>> watches_; // by the tail of the arc
    CycleBreaker breaker_;
    std::unordered_map<std::uint64_t, Completed> completed_; // by the first step
    std::size_t most_completed_ = 1024;                      // before outdated ones are forgotten
    std::uint64_t n_moves_ = 0;
    std::vector<Variable> changed_;          // by the last move
    std::vector<Surroundings> surroundings_; // of the arcs that it took out or put in, where cycles are broken
    std::uint64_t fingerprint_ = 0;
    bool is_complete_ = true;
};

} // namespace arcwise
