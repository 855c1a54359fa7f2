#include "arcwise/order_climb.hpp"

#include "arcwise/check.hpp"
#include "arcwise/random.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <utility>

namespace arcwise {
namespace {

class OrderClimb {
  public:
    OrderClimb(OrderState &state, const OrderClimbRules &rules, std::uint64_t seed, Budget &budget)
        : state_(state), rules_(rules), random_(seed), budget_(budget), n_(state.n_variables()), score_(state.score()),
          locals_(n_) {
        read_locals();
    }

    std::uint64_t run() {
        switch (rules_.moves) {
        case OrderMoves::adjacent:
            rules_.tabu == 0 ? swap_adjacent() : swap_adjacent_tabu();
            break;
        case OrderMoves::insert_best:
            insert_best();
            break;
        case OrderMoves::insert_first:
            insert_first();
            break;
        case OrderMoves::insert_hybrid:
            insert_hybrid();
            break;
        }
        return moves_;
    }

  private:
    [[nodiscard]] bool may_continue() const noexcept { return moves_ < rules_.max_moves && !budget_.exhausted(); }

    void insert(Variable x, const OrderState::Insertion &insertion) {
        state_.insert(x, insertion.position);
        [[maybe_unused]] const double expected = score_ + insertion.change;
        score_ = state_.score();
        ++moves_;
        ARCWISE_ASSERT(std::abs(expected - score_) <= 1e-9 * (1.0 + std::abs(score_) + std::abs(insertion.change)));
    }

    // Makes the move if it is an improvement in truth too. Changes are sums of differences, which round: where scores
    // differ much from one another, going and coming back could both seem to improve, and the climb would not end.
    bool improve(Variable x, const OrderState::Insertion &insertion) {
        const std::size_t from = state_.position(x);
        insert(x, insertion);
        if (change_of_locals() > 0.0) {
            read_locals();
            return true;
        }
        insert(x, {-insertion.change, from});
        moves_ -= 2;
        return false;
    }

    // The sum of new minus old local scores with hardly any rounding (compensated as by Neumaier 1974).
    [[nodiscard]] double change_of_locals() const {
        double sum = 0.0;
        double lost = 0.0;
        const auto add = [&](double term) {
            const double total = sum + term;
            lost += std::abs(sum) >= std::abs(term) ? (sum - total) + term : (term - total) + sum;
            sum = total;
        };
        for (Variable v = 0; v < n_; ++v) {
            if (state_.local(v) != locals_[v]) {
                add(state_.local(v));
                add(-locals_[v]);
            }
        }
        return sum + lost;
    }

    void read_locals() {
        for (Variable v = 0; v < n_; ++v) {
            locals_[v] = state_.local(v);
        }
    }

    void insert_hybrid() {
        std::vector<Variable> untested = all_variables();
        std::size_t left = n_;
        while (left > 0 && may_continue()) {
            std::swap(untested[random_.below(left)], untested[left - 1]);
            const Variable x = untested[--left];
            const auto best = state_.best_insertion(x, rules_.tolerance);
            if (best.change > rules_.tolerance && improve(x, best)) {
                left = n_;
            }
        }
    }

    void insert_best() {
        while (may_continue()) {
            OrderState::Insertion best{rules_.tolerance, 0};
            Variable mover = 0;
            for (Variable x = 0; x < n_; ++x) {
                if (budget_.exhausted()) {
                    return;
                }
                const auto candidate = state_.best_insertion(x, best.change);
                if (candidate.change > best.change) {
                    best = candidate;
                    mover = x;
                }
            }
            if (best.change <= rules_.tolerance || !improve(mover, best)) {
                return;
            }
        }
    }

    // All n (n - 1) moves in random order; the changes of a variable's moves are computed when the first one is drawn.
    void insert_first() {
        if (!may_continue()) { // before all moves are listed
            return;
        }
        std::vector<std::uint32_t> moves(n_ * n_);
        std::iota(moves.begin(), moves.end(), 0U);
        std::vector<double> changes(n_ * n_);
        std::vector<char> known(n_, 0);
        std::size_t left = moves.size();
        while (left > 0 && may_continue()) {
            std::swap(moves[random_.below(left)], moves[left - 1]);
            const std::uint32_t move = moves[--left];
            const auto x = static_cast<Variable>(move / n_);
            if (!known[x]) {
                std::ranges::copy(state_.insertions(x, rules_.tolerance),
                                  changes.begin() + static_cast<std::ptrdiff_t>(x * n_));
                known[x] = 1;
            }
            if (changes[move] > rules_.tolerance && improve(x, {changes[move], move % n_})) {
                std::ranges::fill(known, 0);
                left = moves.size();
            }
        }
    }

    void swap_adjacent() {
        while (may_continue()) {
            const std::size_t at = best_swap([](std::size_t) { return true; });
            if (at == n_ || state_.adjacent_swap(at) <= rules_.tolerance ||
                !improve(state_.order()[at], {state_.adjacent_swap(at), at + 1})) {
                return;
            }
        }
    }

    void swap_adjacent_tabu() {
        std::vector<Variable> best_order = state_.order();
        double best = score_;
        std::deque<std::pair<Variable, Variable>> tabu;
        std::uint64_t since_best = 0;
        while (since_best < rules_.tabu && may_continue()) {
            const std::size_t at = best_swap([&](std::size_t i) {
                const auto pair = std::minmax(state_.order()[i], state_.order()[i + 1]);
                return std::ranges::find(tabu, std::pair<Variable, Variable>(pair)) == tabu.end();
            });
            if (at == n_) {
                break;
            }
            tabu.push_back(std::minmax(state_.order()[at], state_.order()[at + 1]));
            if (tabu.size() > rules_.tabu) {
                tabu.pop_front();
            }
            insert(state_.order()[at], {state_.adjacent_swap(at), at + 1});
            ++since_best;
            if (score_ > best + rules_.tolerance) {
                best = score_;
                best_order = state_.order();
                since_best = 0;
            }
        }
        for (std::size_t i = 0; i < n_; ++i) { // back to the best order
            state_.insert(best_order[i], i);
        }
    }

    // The pair whose swap changes the score most among the allowed ones, by its first position; n where none is.
    template <class Allowed> [[nodiscard]] std::size_t best_swap(Allowed &&allowed) const {
        double best = -std::numeric_limits<double>::infinity();
        std::size_t at = n_;
        for (std::size_t i = 0; i + 1 < n_; ++i) {
            if (const double change = state_.adjacent_swap(i); change > best && allowed(i)) {
                best = change;
                at = i;
            }
        }
        return at;
    }

    [[nodiscard]] std::vector<Variable> all_variables() const {
        std::vector<Variable> variables(n_);
        std::iota(variables.begin(), variables.end(), Variable{0});
        return variables;
    }

    OrderState &state_;
    const OrderClimbRules &rules_;
    Random random_;
    Budget &budget_;
    std::size_t n_;
    double score_;
    std::vector<double> locals_; // of all variables, before the move
    std::uint64_t moves_ = 0;
};

} // namespace

std::uint64_t climb_order(OrderState &state, const OrderClimbRules &rules, std::uint64_t seed, Budget &budget) {
    return OrderClimb(state, rules, seed, budget).run();
}

void read_result(const OrderState &state, OrderClimbResult &result) {
    result.score = state.score();
    result.order = state.order();
    result.parents.clear();
    for (Variable v = 0; v < state.n_variables(); ++v) {
        const auto parents = state.parents(v);
        result.parents.emplace_back(parents.begin(), parents.end());
        result.is_feasible = result.is_feasible && state.has_set(v);
    }
}

OrderClimbResult climb_order(const SetTable &table, std::vector<Variable> order, const OrderClimbRules &rules,
                             std::uint64_t seed, Budget &budget) {
    OrderState state(table.lists(), std::move(order));
    OrderClimbResult result;
    result.start_score = state.score();
    result.moves = climb_order(state, rules, seed, budget);
    result.stopped_by = budget.reason();
    read_result(state, result);
    return result;
}

} // namespace arcwise
