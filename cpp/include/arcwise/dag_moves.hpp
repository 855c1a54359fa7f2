// What one change of a node's parents gives, for all nodes of a graph under search.
#pragma once

#include "arcwise/arc_rules.hpp"
#include "arcwise/budget.hpp"
#include "arcwise/dag_state.hpp"
#include "arcwise/local_score.hpp"

#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace arcwise {

// A change of one node's parents: `out` leaves, `in` enters.
struct Step {
    static constexpr Variable nobody = std::numeric_limits<Variable>::max();
    Variable node;
    Variable out = nobody;
    Variable in = nobody;

    [[nodiscard]] bool adds() const noexcept { return in != nobody; }
    [[nodiscard]] bool drops() const noexcept { return out != nobody; }
};

// Gains of single steps, cycles aside. Only the rows of changed nodes are computed again.
class StepGains {
  public:
    static constexpr double impossible = -std::numeric_limits<double>::infinity();

    // With swaps, each node has a row for each of its parents besides. Where pairs are forbidden on the way, the first
    // step that shows two variables to be better apart forbids arcs between them from then on: an addition that loses,
    // or a deletion that gains (constrained hill climbing; Gámez, Mateo & Puerta 2011). Theirs looks only at additions
    // that close no cycle; here those that do are counted in the same batch, and say the same about the two.
    StepGains(const LocalScore &score, const ArcRules &rules, bool with_swaps, bool forbids_pairs = false);

    // Computes a node's gains anew, given its parents and its score with them; false when the budget ended it early.
    // Several threads may do so for different nodes, unless pairs are forbidden on the way.
    bool refresh(Variable node, std::span<const Variable> parents, double local, Budget &budget);

    // Of adding or deleting an arc, whichever is possible, if the two may be joined.
    [[nodiscard]] double toggle(Variable node, Variable x) const noexcept { return toggles_[node * n_ + x]; }
    [[nodiscard]] double addition(Variable node, Variable x) const noexcept {
        return is_forbidden(node, x) ? impossible : toggles_[node * n_ + x];
    }
    [[nodiscard]] double deletion(Variable node, Variable x) const noexcept { return toggles_[node * n_ + x]; }
    // The gains of putting each variable in the place of the i-th parent; impossible ones are -inf.
    [[nodiscard]] std::span<const double> swaps(Variable node, std::size_t i) const noexcept {
        return std::span(swaps_[node]).subspan(i * n_, n_);
    }
    [[nodiscard]] double best_addition(Variable node) const noexcept { return best_addition_[node]; }
    [[nodiscard]] double best_swap(Variable node, std::size_t i) const noexcept { return best_swap_[node][i]; }

    [[nodiscard]] bool forbids_pairs() const noexcept { return !forbidden_.empty(); }
    [[nodiscard]] bool is_forbidden(Variable a, Variable b) const noexcept {
        return forbids_pairs() && forbidden_[a * n_ + b] != 0;
    }
    // All pairs may be joined again, now and later; the gains of all nodes are to be computed anew.
    void allow_all_pairs() noexcept { forbidden_.clear(); }

  private:
    void forbid(Variable a, Variable b);
    // The place where a node's gains go, and the largest of them.
    struct Gains {
        std::span<double> row;
        double &best;
    };
    bool fill(const Step &step, std::span<const Variable> parents, double local, Gains gains, Budget &budget) const;

    const LocalScore &score_;
    const ArcRules &rules_;
    std::size_t n_;
    bool with_swaps_;
    // [node][x]: what it gives to take x in as a parent, or out where it is one. Rows are written when they are known:
    // to fill the matrix before takes half a second for ten thousand variables, also where the budget has ended.
    std::unique_ptr<double[]> toggles_;
    std::vector<double> best_addition_;
    std::vector<std::vector<double>> swaps_; // [node][i-th parent][x]
    std::vector<std::vector<double>> best_swap_;
    double tolerance_;
    std::vector<std::uint8_t> forbidden_; // [a][b], the same both ways
};

} // namespace arcwise
