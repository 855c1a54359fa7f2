#include "arcwise/order_growth.hpp"

#include "arcwise/shared_additions.hpp"
#include "arcwise/team.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace arcwise {
namespace {

using Set = std::vector<Member>; // ascending

constexpr Member nobody = std::numeric_limits<Member>::max();

[[nodiscard]] Set with(const Set &set, Member x) {
    Set more = set;
    more.insert(std::ranges::upper_bound(more, x), x);
    return more;
}

[[nodiscard]] Set without(const Set &set, Member x) {
    Set fewer = set;
    std::erase(fewer, x);
    return fewer;
}

// Looks for parent sets of one variable at its place in an order.
class FamilyGrowth {
  public:
    FamilyGrowth(AdditionRows &rows, const ArcRules &rules, const OrderState &state, Variable child, Budget &budget,
                 Team &team)
        : rows_(rows.lock(child)), rules_(rules), state_(state), child_(child), budget_(budget), team_(team),
          n_(state.n_variables()), tolerance_(rows.score().rounding()) {}

    // What was found; all of it is good, even where the budget ended the search. Nothing for a child that waits for a
    // required parent: no set within its predecessors keeps the rules.
    ParentSetList run() {
        if (!state_.has_set(child_)) {
            return {};
        }
        const auto parents = state_.parents(child_);
        top_.assign(parents.begin(), parents.end());
        if (climb(top_) && find_gains(top_)) {
            for (const Member parent : top_) {
                Set rest = without(top_, parent);
                if (!required(parent) && !add_while_better(rest, parent)) {
                    break;
                }
            }
        }
        return std::move(found_);
    }

    // Where the climb over all predecessors ended.
    [[nodiscard]] const Set &top() const noexcept { return top_; }

  private:
    [[nodiscard]] bool required(Member x) const noexcept { return rules_.is_required(child_, x); }
    [[nodiscard]] bool allowed(Variable x) const noexcept { return rules_.is_allowed(child_, x); }
    [[nodiscard]] bool precedes(Variable x) const noexcept { return state_.position(x) < state_.position(child_); }
    [[nodiscard]] bool has_room(const Set &set) const noexcept {
        return set.size() < static_cast<std::size_t>(rules_.max_parents[child_]);
    }

    // Adds, drops or swaps one member while that improves the score, and keeps all sets on the way. False when the
    // budget ended it.
    bool climb(Set &set) {
        while (add_while_better(set, nobody)) {
            std::optional<Set> better;
            if (!find_drop_or_swap(set, better)) {
                return false;
            }
            if (!better) {
                return true;
            }
            set = *better;
        }
        return false;
    }

    // Adds the best of the predecessors, but for the banned one, while that improves the score.
    bool add_while_better(Set &set, Member banned) {
        while (true) {
            const auto row = rows_.row(set, budget_, team_);
            if (!row) {
                return false;
            }
            found_.push_back(row->own, set);
            const auto best = std::ranges::find_if(
                row->variables, [&](Variable x) { return x != banned && allowed(x) && precedes(x); });
            if (best == row->variables.end() || !has_room(set)) {
                return true;
            }
            set = with(set, static_cast<Member>(*best));
        }
    }

    // The best set with one parent less, or with another predecessor instead of one, if it is better.
    bool find_drop_or_swap(const Set &set, std::optional<Set> &better) {
        const auto row = rows_.row(set, budget_, team_);
        if (!row) {
            return false;
        }
        double best = row->own + tolerance_;
        for (const Member parent : set) {
            if (required(parent)) {
                continue;
            }
            const Set rest = without(set, parent);
            const auto rest_row = rows_.row(rest, budget_, team_);
            if (!rest_row) {
                return false;
            }
            if (rest_row->own > best) {
                best = rest_row->own;
                better = rest;
            }
            for (std::size_t k = 0; k < rest_row->variables.size() && rest_row->scores[k] > best; ++k) {
                const auto x = static_cast<Member>(rest_row->variables[k]);
                if (x != parent && allowed(x) && precedes(x)) {
                    best = rest_row->scores[k];
                    better = with(rest, x);
                }
            }
        }
        return true;
    }

    // For every later variable the best set with it, if it beats the present one: with one parent less, or with all.
    bool find_gains(const Set &set) {
        constexpr double none = -std::numeric_limits<double>::infinity();
        std::vector<double> best(n_, none);
        std::vector<Member> dropped(n_, nobody);
        std::vector<Member> later;
        const auto look = [&](const AdditionRow &row, Member drop, double floor) {
            for (std::size_t k = 0; k < row.variables.size() && row.scores[k] > floor; ++k) {
                const auto x = static_cast<Member>(row.variables[k]);
                if (precedes(x) || !allowed(x)) {
                    continue;
                }
                if (best[x] == none) {
                    later.push_back(x);
                }
                if (row.scores[k] > best[x]) {
                    best[x] = row.scores[k];
                    dropped[x] = drop;
                }
            }
        };
        const auto row = rows_.row(set, budget_, team_);
        if (!row) {
            return false;
        }
        const double own = row->own;
        if (has_room(set)) {
            look(*row, nobody, own);
        }
        for (const Member parent : set) {
            if (!required(parent)) {
                const auto rest_row = rows_.row(without(set, parent), budget_, team_);
                if (!rest_row) {
                    return false;
                }
                look(*rest_row, parent, own + tolerance_);
            }
        }
        for (const Member x : later) {
            found_.push_back(best[x], with(without(set, dropped[x]), x));
        }
        return true;
    }

    AdditionRows::Handle rows_;
    const ArcRules &rules_;
    const OrderState &state_;
    Variable child_;
    Budget &budget_;
    Team &team_;
    std::size_t n_;
    double tolerance_;
    Set top_;
    ParentSetList found_;
};

class GrowingClimb {
  public:
    GrowingClimb(AdditionRows &rows, const ArcRules &rules, GrowingLists lists, std::vector<Variable> order,
                 const OrderClimbRules &climb, std::uint64_t seed, Budget &budget)
        : rows_(rows), rules_(rules), lists_(std::move(lists)), state_(views(lists_), std::move(order)), climb_(climb),
          seed_(seed), budget_(budget), team_(budget.threads()), n_(state_.n_variables()) {}

    GrowthResult run() {
        result_.climb.start_score = state_.score();
        result_.fresh.resize(n_);
        std::vector<SetKey> grown(n_, SetKey{0, 0});
        do {
            result_.climb.moves += climb_order(state_, climb_, seed_ + result_.rounds, budget_);
            ++result_.rounds;
            show();
        } while (!budget_.exhausted() && grow(grown));
        result_.climb.stopped_by = budget_.reason();
        read_result(state_, result_.climb);
        return std::move(result_);
    }

  private:
    void show() {
        OrderClimbResult now;
        read_result(state_, now);
        if (now.is_feasible) {
            budget_.show(now.score, climb_.tolerance, true, [&] { return std::move(now.parents); });
        }
    }

    [[nodiscard]] static std::vector<SetList> views(const GrowingLists &lists) {
        std::vector<SetList> all;
        for (Variable v = 0; v < lists.n_variables(); ++v) {
            all.push_back(lists.view(v));
        }
        return all;
    }

    // A variable whose predecessors, by their key, have changed, and what is found for it.
    struct Changed {
        Variable y;
        SetKey before;
        Set top{};
        bool is_searched = false;
        bool has_grown = false;
    };

    [[nodiscard]] std::vector<Changed> changed_since(const std::vector<SetKey> &grown) const {
        const SetKeys &keys = rows_.score().keys();
        SetKey before = keys.of(std::span<const Member>());
        std::vector<Changed> found;
        for (const Variable y : state_.order()) {
            if (grown[y] != before) {
                found.push_back({y, before});
            }
            before = before ^ keys.member(y);
        }
        return found;
    }

    // Grows the lists of variables whose predecessors have changed since last time; whether any list did. What is found
    // for one does not depend on the others' lists.
    bool grow(std::vector<SetKey> &grown) {
        std::vector<Changed> changed = changed_since(grown);
        team_.spread(changed.size(), cost_of_additions(rows_.score().engine(), 1), [&](std::size_t, std::size_t i) {
            if (!budget_.exhausted()) {
                search(changed[i]);
            }
        });
        bool any = false;
        for (const auto &[y, before, top, is_searched, has_grown] : changed) {
            if (has_grown) {
                state_.replace_list(y, lists_.view(y));
                any = true;
            }
            if (is_searched && std::ranges::equal(state_.parents(y), top)) {
                grown[y] = before;
            } // else a fallback is better than what the climb has reached, and the next round climbs from there
        }
        return any;
    }

    // Of the order, only what it has of y is looked at; its list is not there any more when it has grown.
    void search(Changed &changed) {
        const Variable y = changed.y;
        ParentSetList found;
        { // others may want the rows of y
            FamilyGrowth growth(rows_, rules_, state_, y, budget_, team_);
            found = growth.run();
            changed.top = growth.top();
        }
        changed.is_searched = true;
        changed.has_grown = lists_.grow(y, found);
        for (std::size_t i = 0; changed.has_grown && i < found.size(); ++i) {
            result_.fresh[y].push_back(found.scores[i], found.set(i));
        }
    }

    AdditionRows &rows_;
    const ArcRules &rules_;
    GrowingLists lists_;
    OrderState state_;
    const OrderClimbRules &climb_;
    std::uint64_t seed_;
    Budget &budget_;
    Team team_;
    std::size_t n_;
    GrowthResult result_;
};

ParentSetList first_list(AdditionRows &rows, const ArcRules &rules, const Family &family, Budget &budget, Team &team) {
    const LocalScore &score = rows.score();
    const Variable child = family.child;
    const Set base(family.parents.begin(), family.parents.end());
    ParentSetList list;
    auto handle = rows.lock(child);
    const auto row = budget.exhausted() ? std::nullopt : handle.row(base, budget, team);
    if (!row) {
        list.push_back(score.new_local(child, family.parents, &budget), base);
        return list;
    }
    const bool has_room = base.size() < static_cast<std::size_t>(rules.max_parents[child]);
    for (std::size_t k = 0; k < row->variables.size() && has_room; ++k) {
        if (rules.is_allowed(child, row->variables[k])) {
            list.push_back(row->scores[k], with(base, static_cast<Member>(row->variables[k])));
        }
    }
    list.push_back(row->own, base);
    return list;
}

} // namespace

GrowingLists first_lists(AdditionRows &rows, const ArcRules &rules, Budget &budget) {
    const std::size_t n = rows.score().n_variables();
    Team team(budget.threads());
    std::vector<std::vector<Variable>> required(n);
    std::vector<Family> families;
    for (Variable child = 0; child < n; ++child) {
        for (Variable x = 0; x < n; ++x) {
            if (rules.is_required(child, x)) {
                required[child].push_back(x);
            }
        }
        families.push_back({child, required[child]});
    }
    rows.prepare(families, budget, team);
    std::vector<ParentSetList> lists;
    for (const Family &family : families) {
        lists.push_back(first_list(rows, rules, family, budget, team));
    }
    return {lists, rows.score().rounding()};
}

GrowthResult grow_and_climb(AdditionRows &rows, const ArcRules &rules, GrowingLists lists, std::vector<Variable> order,
                            const OrderClimbRules &climb, std::uint64_t seed, Budget &budget) {
    return GrowingClimb(rows, rules, std::move(lists), std::move(order), climb, seed, budget).run();
}

} // namespace arcwise
