// An order of the variables, the best parent set of each within its predecessors, and what a move would change.
#pragma once

#include "arcwise/set_list.hpp"
#include "arcwise/zeros.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// The search state of all climbs over orders. Moving X past Y changes Y's predecessors by exactly X, wherever X ends
// up: so one number for each pair, kept up to date here, gives the change of every insertion as a prefix sum.
//
// A variable may have no set within its predecessors (its list lacks the empty set). Its score is then far below all
// others, so that any move that gives it a set is an improvement.
class OrderState {
  public:
    OrderState(std::vector<SetList> lists, std::vector<Variable> order);

    [[nodiscard]] std::size_t n_variables() const noexcept { return lists_.size(); }
    [[nodiscard]] const std::vector<Variable> &order() const noexcept { return order_; }
    [[nodiscard]] std::size_t position(Variable v) const noexcept { return position_[v]; }
    [[nodiscard]] const SetList &list(Variable v) const noexcept { return lists_[v]; }

    // The index of the best set within the predecessors; the size of the list where there is none.
    [[nodiscard]] std::size_t current(Variable v) const noexcept { return current_[v]; }
    [[nodiscard]] bool has_set(Variable v) const noexcept { return current_[v] < lists_[v].size(); }
    [[nodiscard]] std::span<const Member> parents(Variable v) const noexcept {
        return has_set(v) ? lists_[v].set(current_[v]) : std::span<const Member>();
    }
    [[nodiscard]] double local(Variable v) const noexcept {
        return has_set(v) ? lists_[v].scores[current_[v]] : missing_[v];
    }
    [[nodiscard]] double score() const noexcept;

    // How the score of y changes when x, wherever it is, moves to the other side of y.
    [[nodiscard]] double change(Variable x, Variable y) const noexcept { return change_[x * n_variables() + y]; }

    struct Insertion {
        double change;
        std::size_t position;
    };
    // Where x is best inserted, of equal places the nearest to its left, or else to its right; its own place and 0
    // where none is above `floor`.
    [[nodiscard]] Insertion best_insertion(Variable x, double floor);
    // The changes of all insertions of x: 0 at its own place. Those that cannot exceed `floor` may be given as -inf.
    [[nodiscard]] std::span<const double> insertions(Variable x, double floor);
    // How the score changes when the variables at i and i + 1 change places.
    [[nodiscard]] double adjacent_swap(std::size_t i) const noexcept {
        return change(order_[i + 1], order_[i]) + change(order_[i], order_[i + 1]);
    }

    void insert(Variable x, std::size_t target);
    // Gives y a list that holds all sets of its old one.
    void replace_list(Variable y, const SetList &list);

  private:
    void refresh(Variable y);
    void find_losses(Variable y);
    // The first position behind all members of set i.
    [[nodiscard]] std::size_t first_place(Variable v, std::size_t i) const noexcept;
    // Sets barred_ to the bits of a list that stand for variables at `first` or later.
    void bar_from(const SetMasks &masks, std::size_t first);

    std::vector<SetList> lists_;
    std::vector<Variable> order_;
    std::vector<std::uint32_t> position_;
    std::vector<std::size_t> current_;
    std::vector<std::size_t> depth_;            // the last set that current, gains and losses depend on
    std::vector<double> missing_;               // the scores of variables without a set
    Zeros change_;                              // [x][y]
    std::vector<std::vector<Member>> changing_; // per y, the x whose changes are not 0
    std::vector<std::uint64_t> barred_;
    std::vector<std::uint64_t> wanted_;
    std::vector<double> insertions_;
};

} // namespace arcwise
