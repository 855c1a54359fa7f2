// Steps that close cycles, and the further steps that break them again.
#pragma once

#include "arcwise/dag_moves.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace arcwise {

// Steps that lead from one acyclic graph to another, and what they gain together.
struct Move {
    double gain = 0.0;
    std::vector<Step> steps;
};

// ADD* and SWAP* of Vandel, Mangin & de Givry (2012, PGM), Algorithm 2: an addition or a swap, then, as long as there
// is a cycle, the best deletion on a shortest one, or the best swap where a deletion would leave no gain. Variables on
// a cycle do not come in by later swaps, so that it ends. Where degrees are limited, every single step keeps to that.
class CycleBreaker {
  public:
    CycleBreaker(const LocalScore &score, const ArcRules &rules, StepGains &gains, double tolerance);

    // The completed move that begins with the given step of the given gain; without steps where none gains more than
    // the tolerance, or where the budget ended it.
    [[nodiscard]] Move complete(const DagState &dag, const Step &first, double gain, Budget &budget);

    // The arcs that came in on the way to the last answer, and the nodes on the cycles that were seen, also where it
    // has no steps. The answer stays the same as long as none of these nodes changes its parents, and no arc comes or
    // goes that is on a path from one of the heads of the additions to one of their tails.
    [[nodiscard]] const std::vector<Step> &additions() const noexcept { return additions_; }
    [[nodiscard]] const std::vector<Variable> &nodes_on_cycles() const noexcept { return nodes_on_cycles_; }

  private:
    struct Changed {
        Variable node;
        std::vector<Variable> parents;
    };
    [[nodiscard]] bool is_changed(Variable node) const noexcept { return place_[node] != unchanged; }
    [[nodiscard]] std::span<const Variable> parents(Variable node) const noexcept {
        return is_changed(node) ? std::span<const Variable>(changed_[place_[node]].parents) : dag_->parents(node);
    }
    void apply(const Step &step, double gain);
    [[nodiscard]] bool has_arc(Variable from, Variable to) const noexcept;
    [[nodiscard]] bool keeps_degrees(const Step &swap) const noexcept;
    [[nodiscard]] bool reaches(Variable from, Variable to);
    [[nodiscard]] bool find_cycle(Variable from, Variable to);
    [[nodiscard]] bool find_cycle();
    // Calls use(child) for the children after the steps so far; for some of them twice.
    template <class Use> void for_each_child(Variable node, Use &&use) const {
        for (const Variable child : dag_->children(node)) {
            if (!is_changed(child) || has_arc(node, child)) {
                use(child);
            }
        }
        for (const Step &step : additions_) {
            if (step.in == node && has_arc(node, step.node)) {
                use(step.node);
            }
        }
    }
    [[nodiscard]] double deletion(Variable node, Variable out, Budget &budget) const;
    [[nodiscard]] Move best_deletion(Budget &budget) const;
    [[nodiscard]] std::optional<Move> best_swap(Budget &budget);
    [[nodiscard]] bool look_at_swaps(Variable node, Variable out, Move &best, Budget &budget);
    [[nodiscard]] std::size_t degree(Variable node) const noexcept {
        return static_cast<std::size_t>(static_cast<std::int64_t>(dag_->degree(node)) + more_[node]);
    }

    const LocalScore &score_;
    const ArcRules &rules_;
    StepGains &gains_;
    double tolerance_;
    std::size_t n_;
    const DagState *dag_ = nullptr;
    static constexpr std::uint32_t unchanged = std::numeric_limits<std::uint32_t>::max();
    std::vector<Changed> changed_;
    std::vector<std::uint32_t> place_; // of a node in changed_
    Move move_;
    std::vector<Step> additions_;
    std::vector<Variable> nodes_on_cycles_;
    std::size_t first_place_ = 0;         // of the heads of the additions
    std::size_t last_place_ = 0;          // of their tails
    std::vector<std::int64_t> more_;      // neighbours after the steps so far, where degrees are limited
    std::vector<std::uint64_t> excluded_; // the last move for which a variable was seen on a cycle
    std::uint64_t n_completed_ = 0;
    std::vector<std::pair<Variable, Variable>> cycle_; // its arcs
    std::vector<Variable> next_;                       // on a path to the goal of the search for a cycle
    std::vector<std::uint64_t> seen_;                  // the last search that has seen a node
    std::uint64_t search_ = 0;
    std::vector<Variable> queue_;
    std::vector<Variable> queue_of_goal_;
};

} // namespace arcwise
