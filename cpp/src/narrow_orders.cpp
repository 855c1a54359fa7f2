#include "arcwise/narrow_orders.hpp"

#include "arcwise/random.hpp"

#include <algorithm>

namespace arcwise {

void NarrowCliques::begin(const std::vector<Variable> &order) {
    position_.resize(order.size());
    neighbours_.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        position_[order[i]] = i;
        neighbours_[i].clear();
    }
}

// The last member must have the others as neighbours, which must then be joined with those it has already; and so on
// with the last of these.
bool NarrowCliques::join(std::span<const Member> set) {
    std::size_t n_changes = 0;
    left_.assign(set.begin(), set.end());
    while (left_.size() > 1) {
        const auto last = std::ranges::max_element(left_, {}, [&](Variable v) { return position_[v]; });
        const Variable at = *last;
        left_.erase(last);
        const std::vector<Variable> &before = neighbours_[at];
        if (std::ranges::all_of(left_, [&](Variable v) { return std::ranges::find(before, v) != before.end(); })) {
            break; // what a variable has for neighbours is joined
        }
        for (const Variable v : before) {
            if (std::ranges::find(left_, v) == left_.end()) {
                left_.push_back(v);
            }
        }
        if (left_.size() > width_) {
            return false;
        }
        if (changes_.size() == n_changes) {
            changes_.emplace_back();
        }
        changes_[n_changes].variable = at;
        changes_[n_changes++].neighbours.assign(left_.begin(), left_.end());
    }
    for (std::size_t i = 0; i < n_changes; ++i) {
        neighbours_[changes_[i].variable].swap(changes_[i].neighbours);
    }
    return true;
}

void NarrowCliques::place(Variable variable, std::span<const Member> neighbours) {
    neighbours_[variable].assign(neighbours.begin(), neighbours.end());
}

namespace {

constexpr std::size_t no_set = std::numeric_limits<std::size_t>::max();

// The sets that the variables take along an order.
struct Choice {
    std::vector<std::size_t> sets; // by variable
    std::size_t missing = 0;       // variables without a set
    double score = 0.0;

    [[nodiscard]] bool is_better_than(const Choice &other, double tolerance) const noexcept {
        return missing != other.missing ? missing < other.missing : score > other.score + tolerance;
    }
};

class NarrowClimb {
  public:
    NarrowClimb(const SetTable &table, const NarrowRules &rules, std::uint64_t seed)
        : lists_(table.lists()), rules_(rules), cliques_(rules.width), random_(seed), is_placed_(table.n_variables()) {}

    OrderClimbResult run(std::vector<Variable> order, Budget &budget) {
        const std::size_t n = order.size();
        order_ = std::move(order);
        now_.sets.assign(n, no_set);
        choose(order_, 0, now_);
        OrderClimbResult result;
        result.start_score = score_of(now_);
        climb(budget, result);
        result.score = score_of(now_);
        result.is_feasible = now_.missing == 0;
        result.order = order_;
        result.parents.resize(n);
        for (Variable v = 0; v < n; ++v) {
            if (now_.sets[v] != no_set) {
                const auto set = lists_[v].set(now_.sets[v]);
                result.parents[v].assign(set.begin(), set.end());
            }
        }
        return result;
    }

  private:
    static double score_of(const Choice &choice) {
        return choice.missing == 0 ? choice.score : -std::numeric_limits<double>::infinity();
    }

    void climb(Budget &budget, OrderClimbResult &result) {
        const std::size_t n = order_.size();
        if (n < 2) {
            return;
        }
        std::size_t in_vain = 0;
        std::vector<Variable> other = order_;
        Choice there;
        while (in_vain < rules_.patience * n && result.moves < rules_.max_moves) {
            if (budget.exhausted()) {
                result.stopped_by = budget.reason();
                return;
            }
            const std::size_t from = random_.below(n);
            std::size_t to = random_.below(n - 1);
            to += to >= from ? 1 : 0;
            other = order_;
            insert(other, from, to);
            there.sets = now_.sets;
            choose(other, std::min(from, to), there);
            ++in_vain;
            if (there.is_better_than(now_, rules_.tolerance)) {
                in_vain = 0;
                ++result.moves;
            } else if (now_.is_better_than(there, 0.0)) {
                continue;
            }
            order_.swap(other); // also where nothing changes: other moves may be possible from there
            std::swap(now_, there);
        }
    }

    static void insert(std::vector<Variable> &order, std::size_t from, std::size_t to) {
        const auto at = [&](std::size_t place) { return order.begin() + static_cast<std::ptrdiff_t>(place); };
        if (from < to) {
            std::rotate(at(from), at(from + 1), at(to + 1));
        } else {
            std::rotate(at(to), at(from), at(from + 1));
        }
    }

    // The best sets along the order; those of the variables before a place are known.
    void choose(const std::vector<Variable> &order, std::size_t first_unknown, Choice &choice) {
        cliques_.begin(order);
        is_placed_.assign(order.size(), false);
        choice.missing = 0;
        choice.score = 0.0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const Variable v = order[i];
            std::size_t &set = choice.sets[v];
            if (i >= first_unknown) {
                set = best_set(v);
            } else if (set != no_set) {
                cliques_.join(lists_[v].set(set));
            }
            is_placed_[v] = true;
            if (set == no_set) {
                ++choice.missing;
            } else {
                cliques_.place(v, lists_[v].set(set));
                choice.score += lists_[v].scores[set];
            }
        }
    }

    [[nodiscard]] std::size_t best_set(Variable v) {
        const SetList &list = lists_[v];
        for (std::size_t i = 0; i < list.size(); ++i) {
            const auto set = list.set(i);
            if (set.size() <= rules_.width &&
                std::ranges::all_of(set, [&](Member member) { return is_placed_[member]; }) && cliques_.join(set)) {
                return i;
            }
        }
        return no_set;
    }

    const std::vector<SetList> &lists_;
    const NarrowRules &rules_;
    NarrowCliques cliques_;
    Random random_;
    std::vector<bool> is_placed_;
    std::vector<Variable> order_;
    Choice now_;
};

} // namespace

OrderClimbResult climb_narrow(const SetTable &table, std::vector<Variable> order, const NarrowRules &rules,
                              std::uint64_t seed, Budget &budget) {
    return NarrowClimb(table, rules, seed).run(std::move(order), budget);
}

} // namespace arcwise
