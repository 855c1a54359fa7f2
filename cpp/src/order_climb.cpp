#include "arcwise/order_climb.hpp"

#include "arcwise/check.hpp"
#include "arcwise/random.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

namespace arcwise {
namespace {

class OrderClimb {
  public:
    OrderClimb(OrderState &state, const OrderClimbRules &rules, std::uint64_t seed, Budget &budget)
        : state_(state), rules_(rules), seed_(seed), random_(seed), budget_(budget), n_(state.n_variables()) {}

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
        case OrderMoves::insert_near:
            insert_near();
            break;
        }
        return moves_;
    }

  private:
    [[nodiscard]] bool may_continue() const noexcept { return moves_ < rules_.max_moves && !budget_.exhausted(); }

    void insert(Variable x, const OrderState::Insertion &insertion) {
        [[maybe_unused]] const double expected = has_assertions ? state_.score() + insertion.change : 0.0;
        state_.insert(x, insertion.position);
        ++moves_;
        ARCWISE_ASSERT(std::abs(expected - state_.score()) <=
                       1e-9 * (1.0 + std::abs(state_.score()) + std::abs(insertion.change)));
    }

    // Makes the move if it is an improvement in truth too. Changes are sums of differences, which round: where scores
    // differ much from one another, going and coming back could both seem to improve, and the climb would not end.
    bool improve(Variable x, const OrderState::Insertion &insertion) {
        const std::size_t from = state_.position(x);
        insert(x, insertion);
        if (change_of_locals() > 0.0) {
            return true;
        }
        insert(x, {-insertion.change, from});
        moves_ -= 2;
        return false;
    }

    // The sum of new minus old local scores with hardly any rounding (compensated as by Neumaier 1974).
    [[nodiscard]] double change_of_locals() {
        double sum = 0.0;
        double lost = 0.0;
        const auto add = [&](double term) {
            const double total = sum + term;
            lost += std::abs(sum) >= std::abs(term) ? (sum - total) + term : (term - total) + sum;
            sum = total;
        };
        const auto before = state_.before_insert();
        before_.assign(before.begin(), before.end());
        std::ranges::sort(before_, {}, &OrderState::Local::variable); // rounds in the same way every time
        for (const auto &[v, local] : before_) {
            if (state_.local(v) != local) {
                add(state_.local(v));
                add(-local);
            }
        }
        return sum + lost;
    }

    void insert_hybrid() {
        std::vector<Variable> untested = all_variables();
        std::size_t left = n_;
        while (left > 0) {
            std::swap(untested[random_.below(left)], untested[left - 1]);
            const Variable x = untested[--left];
            if (state_.is_settled(x, rules_.tolerance)) {
                continue;
            }
            if (!may_continue()) {
                return;
            }
            const auto best = state_.best_insertion(x, rules_.tolerance);
            if (best.change > rules_.tolerance && improve(x, best)) {
                left = n_;
            } else {
                state_.settle(x, rules_.tolerance);
            }
        }
    }

    // The same without draws: of the variables that are not settled, that which the seed puts first. It does not matter
    // in which order they were unsettled, which depends on what the state has seen before.
    void insert_near() {
        std::priority_queue<std::pair<std::uint64_t, Variable>> waiting;
        while (may_continue()) {
            for (const Variable x : state_.take_unsettled()) {
                waiting.emplace(mixed(seed_ + x), x);
            }
            if (waiting.empty()) {
                return;
            }
            const Variable x = waiting.top().second;
            waiting.pop();
            if (state_.is_settled(x, rules_.tolerance)) {
                continue;
            }
            const auto best = state_.best_insertion(x, rules_.tolerance);
            if (best.change <= rules_.tolerance || !improve(x, best)) {
                state_.settle(x, rules_.tolerance);
            }
        }
        for (; !waiting.empty(); waiting.pop()) {
            state_.unsettle(waiting.top().second);
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

    // Any move that improves, each with the same probability: the first one when all are tried in random order.
    void insert_first() {
        while (may_continue()) {
            auto move = drawn_insertion();
            if (!move) {
                move = counted_insertion();
            }
            if (!move) {
                return;
            }
            if (!improve(move->first, move->second)) {
                state_.settle(move->first, rules_.tolerance);
            }
        }
    }

    using Move = std::optional<std::pair<Variable, OrderState::Insertion>>;

    // Draws moves until one improves; none where that does not happen soon.
    [[nodiscard]] Move drawn_insertion() {
        for (std::size_t tries = 0; tries < n_ && !budget_.exhausted(); ++tries) {
            const auto x = static_cast<Variable>(random_.below(n_));
            const std::size_t place = random_.below(n_);
            if (state_.is_settled(x, rules_.tolerance)) {
                continue;
            }
            if (const double change = state_.insertions(x, rules_.tolerance)[place]; change > rules_.tolerance) {
                return {{x, {change, place}}};
            }
        }
        return {};
    }

    // The same by counting those that improve; none where there is none, or no time.
    [[nodiscard]] Move counted_insertion() {
        std::vector<std::size_t> counts(n_, 0); // for each variable
        std::size_t total = 0;
        for (Variable x = 0; x < n_; ++x) {
            if (budget_.exhausted()) {
                return {};
            }
            if (!state_.is_settled(x, rules_.tolerance)) {
                counts[x] = improving_insertions(x).size();
                total += counts[x];
                if (counts[x] == 0) {
                    state_.settle(x, rules_.tolerance);
                }
            }
        }
        if (total == 0) {
            return {};
        }
        std::size_t drawn = random_.below(total);
        Variable x = 0;
        for (; drawn >= counts[x]; ++x) {
            drawn -= counts[x];
        }
        return {{x, improving_insertions(x)[drawn]}};
    }

    [[nodiscard]] std::vector<OrderState::Insertion> improving_insertions(Variable x) {
        const auto changes = state_.insertions(x, rules_.tolerance);
        std::vector<OrderState::Insertion> improving;
        for (std::size_t place = 0; place < n_; ++place) {
            if (changes[place] > rules_.tolerance) {
                improving.push_back({changes[place], place});
            }
        }
        return improving;
    }

    void swap_adjacent() {
        read_swaps();
        while (may_continue()) {
            const std::size_t at = best_swap([](std::size_t) { return true; });
            if (at == n_ || swaps_[at] <= rules_.tolerance || !improve(state_.order()[at], {swaps_[at], at + 1})) {
                return;
            }
            read_swaps_near(at);
        }
    }

    void swap_adjacent_tabu() {
        read_swaps();
        std::vector<Variable> best_order = state_.order();
        double best = state_.score();
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
            tabu.emplace_back(std::minmax(state_.order()[at], state_.order()[at + 1]));
            if (tabu.size() > rules_.tabu) {
                tabu.pop_front();
            }
            insert(state_.order()[at], {swaps_[at], at + 1});
            read_swaps_near(at);
            ++since_best;
            if (const double score = state_.score(); score > best + rules_.tolerance) {
                best = score;
                best_order = state_.order();
                since_best = 0;
            }
        }
        for (std::size_t i = 0; i < n_; ++i) { // back to the best order
            state_.insert(best_order[i], i);
        }
    }

    void read_swaps() {
        for (std::size_t i = 0; i + 1 < n_; ++i) {
            swaps_.push_back(state_.adjacent_swap(i));
        }
    }

    // After a swap of those at `at` and behind it: all other variables have the predecessors they had.
    void read_swaps_near(std::size_t at) {
        for (std::size_t i = at == 0 ? 0 : at - 1; i < std::min(at + 2, swaps_.size()); ++i) {
            swaps_[i] = state_.adjacent_swap(i);
        }
    }

    // The pair whose swap changes the score most among the allowed ones, by its first position; n where none is.
    template <class Allowed> [[nodiscard]] std::size_t best_swap(Allowed &&allowed) const {
        double best = -std::numeric_limits<double>::infinity();
        std::size_t at = n_;
        for (std::size_t i = 0; i < swaps_.size(); ++i) {
            if (swaps_[i] > best && allowed(i)) {
                best = swaps_[i];
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
    std::uint64_t seed_;
    Random random_;
    Budget &budget_;
    std::size_t n_;
    std::vector<double> swaps_; // what swaps of neighbours change
    std::vector<OrderState::Local> before_;
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
    }
    result.is_feasible = state.is_feasible();
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
