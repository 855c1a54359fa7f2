// An order of the variables, the best parent set of each within its predecessors, and what a move would change.
#pragma once

#include "arcwise/set_list.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace arcwise {

// The search state of all climbs over orders. Moving X past Y changes Y's predecessors by exactly X, wherever X ends
// up: so one number for each pair, kept up to date here, gives the change of every insertion as a prefix sum. Most of
// these numbers are 0, and only the others are kept: the change of an insertion is the same from one place to the next
// but where X passes a Y that has such a number, or a member of its own sets.
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
    [[nodiscard]] double local(Variable v) const noexcept { return locals_[v]; }
    [[nodiscard]] double score() const noexcept;
    [[nodiscard]] bool is_feasible() const noexcept { return n_missing_ == 0; } // every variable has a set

    // How the score of y changes when x, wherever it is, moves to the other side of y.
    [[nodiscard]] double change(Variable x, Variable y) const noexcept;

    struct Insertion {
        double change;
        std::size_t position;
    };
    // Where x is best inserted, of equal places the nearest to its left, or else to its right; its own place and 0
    // where none is above `floor`, which is at least 0.
    [[nodiscard]] Insertion best_insertion(Variable x, double floor);
    // The changes of all insertions of x: 0 at its own place. Those that cannot exceed `floor` may be given as -inf.
    [[nodiscard]] std::span<const double> insertions(Variable x, double floor);
    // How the score changes when the variables at i and i + 1 change places.
    [[nodiscard]] double adjacent_swap(std::size_t i) const noexcept {
        return change(order_[i + 1], order_[i]) + change(order_[i], order_[i + 1]);
    }

    // Whoever has found that no insertion of x is above `floor` may say so; it holds until x, a variable in its list,
    // or one whose score x would change moves, or until one of these scores changes.
    void settle(Variable x, double floor) noexcept { settled_[x] = floor; }
    [[nodiscard]] bool is_settled(Variable x, double floor) const noexcept { return settled_[x] <= floor; }
    void unsettle(Variable x);
    // Those that have been unsettled since the last call, each once; some may be settled again.
    [[nodiscard]] std::vector<Variable> take_unsettled();

    void insert(Variable x, std::size_t target);
    // Makes the order another one. This takes as many insertions as variables must move, or all is made anew.
    void rearrange(const std::vector<Variable> &order);
    // Gives y another list.
    void replace_list(Variable y, const SetList &list);

    struct Local {
        Variable variable;
        double score;
    };
    // Variables whose sets the last `insert` has looked at again, with their scores before it.
    [[nodiscard]] std::span<const Local> before_insert() const noexcept { return before_; }

    // What has happened since `forget_news`: variables that were inserted elsewhere, and those whose sets may be
    // others. Each once.
    [[nodiscard]] std::span<const Variable> moved() const noexcept { return moved_; }
    [[nodiscard]] std::span<const Variable> refreshed() const noexcept { return refreshed_; }
    void forget_news() noexcept;

  private:
    // That y's score changes when x passes it, on the side of x; `back` is where `causes_[y]` has x.
    struct Effect {
        double change;
        Member y;
        Member back;
    };
    struct Cause {
        Member x;
        Member at; // where effects_[x] has y
    };
    // That a list has a variable: on the side of the variable, by the list and its bit, and on that of the list.
    struct Mention {
        Member y;
        Member k;
    };
    struct Mentioned {
        Member x;
        Member at; // where mentions_[x] has y
    };
    // From one place to another, the change of an insertion there.
    struct Step {
        std::size_t begin;
        std::size_t end;
        double change;
    };
    // A variable that x meets on its way, or the first place of a set of its own.
    struct Mark {
        std::size_t position;
        double change;
    };

    static constexpr std::uint8_t is_moved = 1;
    static constexpr std::uint8_t is_refreshed = 2;

    void refresh(Variable y);
    // The last set that was looked at.
    std::size_t find_losses(Variable y);
    void add_effect(Variable x, Variable y, double change);
    void clear_effects(Variable y);
    void set_mentions(Variable y);
    void set_positions(std::size_t first, std::size_t end) noexcept;
    void tell(Variable v, std::uint8_t what, std::vector<Variable> &news);
    // The steps to one side, that nearest to x first; places without one are hopeless.
    void find_left_steps(Variable x, double floor);
    void find_right_steps(Variable x, double floor);
    // The first position behind all members of set i.
    [[nodiscard]] std::size_t first_place(Variable v, std::size_t i) const noexcept;
    // Sets places_ to where the variables are that the bits of a list stand for.
    void look_up(const SetMasks &masks);
    // Sets barred_ to the bits of a list that was looked up which stand for variables at `first` or later.
    void bar_from(const SetMasks &masks, std::size_t first) noexcept;

    static constexpr double never = std::numeric_limits<double>::infinity();

    std::vector<SetList> lists_;
    std::vector<Variable> order_;
    std::vector<std::uint32_t> position_;
    std::vector<std::size_t> current_;
    std::vector<double> locals_;
    std::vector<char> is_missing_; // without a set
    std::size_t n_missing_ = 0;
    std::vector<std::uint32_t> n_watched_; // bits of a list, the first ones, that current, gains and losses depend on
    std::vector<double> missing_;          // the scores of variables without a set
    std::vector<std::vector<Effect>> effects_;      // per x, in any order
    std::vector<std::vector<Cause>> causes_;        // per y, the same pairs
    std::vector<std::vector<Mention>> mentions_;    // per variable, the lists that have it
    std::vector<std::vector<Mentioned>> mentioned_; // per list, the same pairs by bit
    std::vector<double> settled_;
    std::vector<Variable> unsettled_;
    std::vector<char> is_unsettled_; // whether a variable is among them
    std::vector<Local> before_;
    std::vector<Variable> moved_;
    std::vector<Variable> refreshed_;
    std::vector<std::uint8_t> news_; // which of them a variable is in
    std::vector<std::int32_t> places_;
    std::vector<std::uint64_t> barred_;
    std::vector<std::uint64_t> wanted_;
    std::vector<Mark> met_;
    std::vector<Mark> own_;
    std::vector<Step> left_;
    std::vector<Step> right_;
    std::vector<double> insertions_;
};

} // namespace arcwise
