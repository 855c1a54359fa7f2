// The state of searches over graphs: the graph, its score, and all moves from it with what they gain.
#pragma once

#include "arcwise/cycle_breaking.hpp"
#include "arcwise/dag_moves.hpp"
#include "arcwise/team.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace arcwise {

// Which graphs are neighbours (Vandel, Mangin & de Givry 2012).
enum class DagMoves {
    add_delete_reverse,      // their SGS1: one arc added, deleted or reversed
    add_delete_reverse_swap, // SGS2: also one parent put in the place of another
    break_cycles,            // SGS3: one arc added or deleted or swapped, and further steps that break the cycles
};

// The moves, and whether they become fewer on the way: see StepGains.
struct DagNeighbourhood {
    DagMoves moves;
    bool forbids_pairs = false;

    DagNeighbourhood(DagMoves its_moves, bool forbids = false) : moves(its_moves), forbids_pairs(forbids) {}
};

class DagSearch {
  public:
    // `start` obeys the rules.
    DagSearch(const LocalScore &score, const ArcRules &rules, DagNeighbourhood neighbourhood, ParentLists start,
              Budget &budget);

    // Whether all gains are known; not when the budget ended their counting.
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
    [[nodiscard]] const DagState &dag() const noexcept { return dag_; }
    [[nodiscard]] double score() const noexcept;
    [[nodiscard]] double local(Variable node) const noexcept { return local_[node]; }
    [[nodiscard]] const StepGains &gains() const noexcept { return gains_; }
    [[nodiscard]] double tolerance() const noexcept { return tolerance_; }
    // A number that only the same graph has, in all likelihood.
    [[nodiscard]] std::uint64_t fingerprint() const noexcept { return fingerprint_; }
    [[nodiscard]] std::uint64_t fingerprint_after(const std::vector<Step> &steps) const noexcept;

    // Calls use(gain, steps) for every move that gains more than `floor`, which may rise meanwhile. With broken cycles,
    // steps that gain nothing are not completed. False when the budget ended it early.
    template <class Use> bool for_each_move(const double &floor, Use &&use) {
        for (Variable node = 0; node < n_; ++node) {
            if (budget_.exhausted()) {
                return false;
            }
            for (const Variable parent : dag_.parents(node)) {
                change_parent(node, parent, floor, use);
            }
            const bool breaks = moves_ == DagMoves::break_cycles;
            const auto worth = [&](double gain) { return gain > floor || (breaks && gain > tolerance_); };
            if (worth(gains_.best_addition(node))) {
                for (Variable x = 0; x < n_; ++x) {
                    const double gain = gains_.toggle(node, x); // most gain nothing, so that all else is asked later
                    if (worth(gain) && !gains_.is_forbidden(node, x) && !dag_.has_arc(x, node)) {
                        try_step({node, Step::nobody, x}, gain, floor, use);
                    }
                }
            }
            for (std::size_t i = 0; moves_ != DagMoves::add_delete_reverse && i < dag_.parents(node).size(); ++i) {
                if (!worth(gains_.best_swap(node, i))) {
                    continue;
                }
                const auto swaps = gains_.swaps(node, i);
                for (Variable x = 0; x < n_; ++x) {
                    if (worth(swaps[x])) {
                        try_step({node, dag_.parents(node)[i], x}, swaps[x], floor, use);
                    }
                }
            }
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
    // Deletions, and reversals where they are moves of their own.
    template <class Use> void change_parent(Variable node, Variable parent, const double &floor, Use &use) {
        if (rules_.is_required(node, parent)) {
            return;
        }
        const double deletion = gains_.deletion(node, parent);
        if (deletion > floor) {
            use(deletion, std::vector<Step>{{node, parent, Step::nobody}});
        }
        const double reversal = deletion + gains_.addition(parent, node);
        if (moves_ != DagMoves::break_cycles && reversal > floor && dag_.can_reverse(parent, node)) {
            use(reversal, std::vector<Step>{{node, parent, Step::nobody}, {parent, Step::nobody, node}});
        }
    }

    // An addition or a swap as it is, or with what it takes to break the cycles it closes. Whether it closes one is
    // looked at last: that costs most.
    template <class Use> void try_step(const Step &step, double gain, const double &floor, Use &use) {
        if (!keeps_degrees(step)) {
            return;
        }
        if (dag_.can_add(step.in, step.node)) {
            if (gain > floor) {
                use(gain, std::vector<Step>{step});
            }
        } else if (moves_ == DagMoves::break_cycles && gain > tolerance_) {
            const Move &move = completed(step, gain);
            if (!move.steps.empty() && move.gain > floor) {
                use(move.gain, move.steps);
            }
        }
    }

    // Whether an addition or a swap leaves no node joined to more others than it may be.
    [[nodiscard]] bool keeps_degrees(const Step &step) const noexcept {
        const bool is_joined = !rules_.limits_degrees() || dag_.has_arc(step.node, step.in);
        return is_joined || (rules_.may_join_more(step.in, dag_.degree(step.in)) &&
                             (step.drops() || rules_.may_join_more(step.node, dag_.degree(step.node))));
    }

    [[nodiscard]] bool keeps_degrees() const noexcept; // the graph as it is

    void refresh_all();
    void refresh(std::span<const Variable> nodes);

    // A move that begins with a step that closes a cycle.
    struct Completed {
        std::uint64_t at = 0; // the number of moves after which it was still right
        Move move;
        std::vector<Step> additions;
    };
    // The move that begins with this step; remembered as long as the last move changes nothing about it.
    [[nodiscard]] const Move &completed(const Step &step, double gain);
    [[nodiscard]] bool is_right(const Completed &known) const noexcept;

    const LocalScore &score_;
    const ArcRules &rules_;
    DagMoves moves_;
    Budget &budget_;
    Team team_;
    DagState dag_;
    std::size_t n_;
    double tolerance_;
    std::vector<double> local_;
    StepGains gains_;
    CycleBreaker breaker_;
    std::unordered_map<std::uint64_t, Completed> completed_; // by the first step
    std::uint64_t n_moves_ = 0;
    DagState before_;               // the last move
    std::vector<Variable> changed_; // by the last move
    std::uint64_t fingerprint_ = 0;
    bool is_complete_ = true;
};

} // namespace arcwise
