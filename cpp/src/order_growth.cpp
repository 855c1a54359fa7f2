#include "arcwise/order_growth.hpp"

#include "arcwise/shared_additions.hpp"
#include "arcwise/team.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

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
          tolerance_(rows.score().rounding()) {}

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
    // The variables of which it was asked whether they precede, from there on: as long as the answers are the same, a
    // search from there finds the same sets.
    [[nodiscard]] Set watched() && {
        std::ranges::sort(watched_);
        watched_.erase(std::ranges::unique(watched_).begin(), watched_.end());
        return std::move(watched_);
    }

  private:
    [[nodiscard]] bool required(Member x) const noexcept { return rules_.is_required(child_, x); }
    [[nodiscard]] bool allowed(Variable x) const noexcept { return rules_.is_allowed(child_, x); }
    [[nodiscard]] bool precedes(Variable x) {
        watched_.push_back(static_cast<Member>(x));
        return state_.position(x) < state_.position(child_);
    }
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
            watched_.clear();
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
            if (banned == nobody) { // still on the way to the top
                watched_.clear();
            }
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

    // One more parent, and which of the present ones goes for it.
    struct Gain {
        Member x;
        Member dropped;
        std::uint32_t seen; // in which place it was seen first
        double score;
    };

    // For every later variable the best set with it, if it beats the present one: with one parent less, or with all.
    bool find_gains(const Set &set) {
        std::vector<Gain> gains;
        const auto look = [&](const AdditionRow &row, Member drop, double floor) {
            for (std::size_t k = 0; k < row.variables.size() && row.scores[k] > floor; ++k) {
                const auto x = static_cast<Member>(row.variables[k]);
                if (allowed(x) && !precedes(x)) {
                    gains.push_back({x, drop, static_cast<std::uint32_t>(gains.size()), row.scores[k]});
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
        keep_best(gains);
        for (const Gain &gain : gains) {
            found_.push_back(gain.score, with(without(set, gain.dropped), gain.x));
        }
        return true;
    }

    // Leaves the best gain of each variable, of equal ones the first; variables in the order in which they were seen.
    static void keep_best(std::vector<Gain> &gains) {
        std::ranges::sort(gains, {}, [](const Gain &gain) { return std::pair(gain.x, gain.seen); });
        std::size_t kept = 0;
        for (const Gain &gain : gains) {
            if (kept == 0 || gains[kept - 1].x != gain.x) {
                gains[kept++] = gain;
            } else if (Gain &best = gains[kept - 1]; gain.score > best.score) {
                best.score = gain.score;
                best.dropped = gain.dropped;
            }
        }
        gains.resize(kept);
        std::ranges::sort(gains, {}, &Gain::seen);
    }

    AdditionRows::Handle rows_;
    const ArcRules &rules_;
    const OrderState &state_;
    Variable child_;
    Budget &budget_;
    Team &team_;
    double tolerance_;
    Set top_;
    Set watched_;
    ParentSetList found_;
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
    std::vector<Family> families;
    families.reserve(n);
    for (Variable child = 0; child < n; ++child) {
        families.push_back({child, rules.required_parents(child)});
    }
    rows.prepare(families, budget, team);
    std::vector<ParentSetList> lists;
    lists.reserve(n);
    for (const Family &family : families) {
        lists.push_back(first_list(rows, rules, family, budget, team));
    }
    return {lists, rows.score().rounding()};
}

// A variable whose surroundings have changed, and what is found for it.
struct GrowingClimb::Changed {
    Variable y;
    Set top{};
    Set watched{};
    ParentSetList found{};
    bool is_searched = false;
    bool has_grown = false;
};

GrowingClimb::GrowingClimb(AdditionRows &rows, const ArcRules &rules) : rows_(rows), rules_(rules) {}

GrowthResult GrowingClimb::run(const GrowingLists &lists, std::vector<Variable> order, const GrowthRules &rules,
                               std::uint64_t seed, Budget &budget) {
    begin(lists, std::move(order));
    Team team(budget.threads());
    GrowthResult result;
    result.climb.start_score = state_->score();
    climb(rules.climb, seed, budget, result, team);
    Random random(seed);
    OrderClimbRules near = rules.climb;
    near.moves = OrderMoves::insert_near;
    for (; result.kicks < rules.kicks && state_->is_feasible() && !budget.exhausted(); ++result.kicks) {
        kick(near, random, budget, result, team);
    }
    result.climb.stopped_by = budget.reason();
    read_result(*state_, result.climb);
    return result;
}

void GrowingClimb::climb(const OrderClimbRules &rules, std::uint64_t seed, Budget &budget, GrowthResult &result,
                         Team &team) {
    do {
        result.climb.moves += climb_order(*state_, rules, seed + result.rounds, budget);
        ++result.rounds;
        show(rules.tolerance, budget);
    } while (!budget.exhausted() && grow(result, budget, team));
}

void GrowingClimb::kick(const OrderClimbRules &rules, Random &random, Budget &budget, GrowthResult &result,
                        Team &team) {
    const std::vector<Variable> before = state_->order();
    const double score = state_->score();
    do { // one move, or two, or sometimes many
        move_one(random);
    } while (random.below(2) == 0);
    climb(rules, random.below(std::numeric_limits<std::size_t>::max()), budget, result, team);
    if (state_->score() < score) { // what is as good may lead on
        state_->rearrange(before);
    }
}

// A child moves before its parent or the parent behind it, where the arc makes its children and parents feel it; or any
// variable anywhere.
void GrowingClimb::move_one(Random &random) {
    const std::size_t n = state_->n_variables();
    const auto child = static_cast<Variable>(random.below(n));
    const auto parents = state_->parents(child);
    if (parents.empty() || random.below(2) == 0) {
        state_->insert(child, random.below(n));
        return;
    }
    const Variable parent = parents[random.below(parents.size())];
    if (random.below(2) == 0) {
        state_->insert(child, state_->position(parent));
    } else {
        state_->insert(parent, state_->position(child));
    }
}

void GrowingClimb::begin(const GrowingLists &lists, std::vector<Variable> order) {
    const std::size_t n = lists.n_variables();
    if (!state_) {
        std::vector<SetList> views;
        views.reserve(n);
        for (Variable v = 0; v < n; ++v) {
            views.push_back(lists.view(v));
        }
        lists_ = lists;
        state_.emplace(std::move(views), std::move(order));
        memos_.resize(n);
        watchers_.resize(n);
        is_listed_.resize(n, 0);
        return;
    }
    for (const Variable v : grown_) { // what was found then is not in these lists, or in another order
        memos_[v].is_known = false;
    }
    grown_.clear();
    const GrowingLists before = std::exchange(*lists_, lists);
    for (Variable v = 0; v < n; ++v) {
        if (!lists_->shares(v, before)) {
            state_->replace_list(v, lists_->view(v));
        }
    }
    state_->rearrange(order);
}

void GrowingClimb::show(double tolerance, Budget &budget) const {
    if (state_->is_feasible()) {
        budget.show(state_->score(), tolerance, true, [&] {
            OrderClimbResult now;
            read_result(*state_, now);
            return std::move(now.parents);
        });
    }
}

SetKey GrowingClimb::key_of_preceding(Variable y, const Set &watched) const {
    const SetKeys &keys = rows_.score().keys();
    SetKey key = keys.of(std::span<const Member>());
    for (const Member x : watched) {
        if (state_->position(x) < state_->position(y)) {
            key = key ^ keys.member(x);
        }
    }
    return key;
}

bool GrowingClimb::is_up_to_date(Variable y) const {
    const Memo &memo = memos_[y];
    return memo.is_known && std::ranges::equal(state_->parents(y), memo.top) &&
           key_of_preceding(y, memo.watched) == memo.preceding;
}

// All others have the set and the answers that they had when they were searched for, or no search is worth it.
std::vector<Variable> GrowingClimb::candidates() {
    std::vector<Variable> found;
    const auto list = [&](Variable y) {
        if (!is_listed_[y]) {
            is_listed_[y] = 1;
            found.push_back(y);
        }
    };
    for (const Variable x : state_->moved()) {
        list(x);
        std::erase_if(watchers_[x], [&](Member y) { // those that have stopped watching
            if (!std::ranges::binary_search(memos_[y].watched, static_cast<Member>(x))) {
                return true;
            }
            list(y);
            return false;
        });
    }
    for (const Variable y : state_->refreshed()) {
        list(y);
    }
    state_->forget_news();
    for (const Variable y : open_) {
        list(y);
    }
    for (const Variable y : found) {
        is_listed_[y] = 0;
    }
    std::erase_if(found, [&](Variable y) { return is_up_to_date(y); });
    std::ranges::sort(found, {}, [&](Variable y) { return state_->position(y); });
    return found;
}

bool GrowingClimb::grow(GrowthResult &result, Budget &budget, Team &team) {
    std::vector<Changed> changed;
    for (const Variable y : candidates()) {
        changed.push_back({y});
    }
    team.spread(changed.size(), cost_of_additions(rows_.score().engine(), 1), [&](std::size_t, std::size_t i) {
        if (!budget.exhausted()) {
            search(changed[i], budget, team);
        }
    });
    bool any = false;
    open_.clear();
    for (Changed &one : changed) {
        const Variable y = one.y;
        if (one.has_grown) {
            state_->replace_list(y, lists_->view(y));
            grown_.push_back(y);
            any = true;
            for (std::size_t i = 0; i < one.found.size(); ++i) {
                result.fresh[y].push_back(one.found.scores[i], one.found.set(i));
            }
        }
        if (one.is_searched && std::ranges::equal(state_->parents(y), one.top)) {
            remember(one);
        } else { // a fallback is better than what the climb has reached, and the next round climbs from there
            memos_[y].is_known = false;
            open_.push_back(y);
        }
    }
    return any;
}

// Of the order, only what it has of y is looked at; its list is not there any more when it has grown.
void GrowingClimb::search(Changed &changed, Budget &budget, Team &team) {
    const Variable y = changed.y;
    { // others may want the rows of y
        FamilyGrowth growth(rows_, rules_, *state_, y, budget, team);
        changed.found = growth.run();
        changed.top = growth.top();
        changed.watched = std::move(growth).watched();
    }
    changed.is_searched = true;
    changed.has_grown = lists_->grow(y, changed.found);
}

void GrowingClimb::remember(Changed &changed) {
    Memo &memo = memos_[changed.y];
    for (const Member x : changed.watched) {
        if (!std::ranges::binary_search(memo.watched, x)) {
            watchers_[x].push_back(static_cast<Member>(changed.y));
        }
    }
    memo = {true, std::move(changed.top), std::move(changed.watched), {}};
    memo.preceding = key_of_preceding(changed.y, memo.watched);
}

GrowthResult grow_and_climb(AdditionRows &rows, const ArcRules &rules, const GrowingLists &lists,
                            std::vector<Variable> order, const GrowthRules &how, std::uint64_t seed, Budget &budget) {
    return GrowingClimb(rows, rules).run(lists, std::move(order), how, seed, budget);
}

} // namespace arcwise
