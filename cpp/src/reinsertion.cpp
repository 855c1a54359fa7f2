#include "arcwise/reinsertion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace arcwise {
namespace {

// For each node which of some marked nodes it reaches without passing through one that is cut off, itself included: a
// bit for each. Only nodes above marked ones are looked at.
class Reached {
  public:
    Reached(const DagState &dag, Variable without) : dag_(dag), without_(without), bits_(dag.n_nodes()) {}

    void mark(Variable node, std::size_t word, std::uint64_t bits) { bits_[node][word] |= bits; }

    // From the last in the order to the first, each node hands on what it has.
    void spread() {
        const auto place = [&](Variable node) { return dag_.place(node); };
        std::vector<Variable> found;
        for (Variable node = 0; node < bits_.size(); ++node) {
            if (bits_[node][0] != 0 || bits_[node][1] != 0) {
                found.push_back(node);
            }
        }
        std::ranges::make_heap(found, {}, place);
        while (!found.empty()) {
            std::ranges::pop_heap(found, {}, place);
            const Variable node = found.back();
            found.pop_back();
            if (node == without_) {
                continue;
            }
            for (const Variable parent : dag_.parents(node)) {
                auto &bits = bits_[parent];
                if (bits[0] == 0 && bits[1] == 0 && parent != without_) {
                    found.push_back(parent);
                    std::ranges::push_heap(found, {}, place);
                }
                bits[0] |= bits_[node][0];
                bits[1] |= bits_[node][1];
            }
        }
    }

    [[nodiscard]] std::uint64_t at(Variable node, std::size_t word) const noexcept { return bits_[node][word]; }

  private:
    const DagState &dag_;
    Variable without_;
    std::vector<std::array<std::uint64_t, 2>> bits_;
};

constexpr std::uint64_t is_parent = 1;
constexpr std::uint64_t is_required_parent = 2;

} // namespace

Reinsertions::Reinsertions(const LocalScore &score, const ArcRules &rules, const ReinsertionLimits &limits)
    : score_(score), rules_(rules), limits_(limits), n_(score.n_variables()), choices_(n_) {
    limits_.candidates = std::min(limits.candidates, ReinsertionLimits::most_candidates);
}

const Reinsertions::Choices *Reinsertions::choices(Variable node, Budget &budget) {
    if (!choices_[node]) {
        choices_[node] = counted(node, budget);
    }
    return choices_[node] ? &*choices_[node] : nullptr;
}

// None when the budget ended the counting.
std::optional<Reinsertions::Choices> Reinsertions::counted(Variable node, Budget &budget) const {
    Choices found;
    const auto required = rules_.required_parents(node);
    found.required.assign(required.begin(), required.end());
    std::vector<Variable> others;
    rules_.for_each_allowed(node, [&](Variable x) {
        if (!rules_.is_required(node, x)) {
            others.push_back(x);
        }
    });
    std::vector<double> alone(others.size());
    if (!score_.additions(node, found.required, others, alone, &budget)) {
        return std::nullopt;
    }
    std::vector<std::size_t> ranked(others.size());
    std::iota(ranked.begin(), ranked.end(), std::size_t{0});
    std::ranges::stable_sort(ranked, std::greater<>(), [&](std::size_t i) { return alone[i]; });
    for (std::size_t i = 0; i < ranked.size() && i < limits_.candidates; ++i) {
        found.candidates.push_back(others[ranked[i]]);
    }
    return count_sets(node, found, budget) ? std::optional(std::move(found)) : std::nullopt;
}

// Scores all sets of candidates up to the limit, one size after the other. False when the budget ended it.
bool Reinsertions::count_sets(Variable node, Choices &found, Budget &budget) const {
    const std::size_t most = static_cast<std::size_t>(rules_.max_parents[node]) - found.required.size();
    const std::size_t room = std::min({most, limits_.set_size, found.candidates.size()});
    std::vector<double> scores(found.candidates.size());
    found.sets.push_back({score_.local(node, found.required, &budget), 0});
    std::vector<Set> level = found.sets; // all sets of one size by their members, with the best score of a subset
    for (std::size_t size = 1; size <= room; ++size) {
        std::vector<Set> larger;
        for (const Set &set : level) {
            const auto first = static_cast<std::size_t>(std::bit_width(set.members)); // so that each comes once
            const auto others = std::span<const Variable>(found.candidates).subspan(first);
            if (budget.exhausted() || !score_.additions(node, parents(found, set), others, scores, &budget)) {
                return false;
            }
            for (std::size_t i = 0; i < others.size(); ++i) {
                if (size == room && scores[i] <= set.score + score_.rounding()) {
                    continue; // most of them: one subset is enough to know
                }
                const std::uint64_t members = set.members | std::uint64_t{1} << (first + i);
                const double best = best_below(level, members);
                if (scores[i] > best + score_.rounding()) {
                    found.sets.push_back({scores[i], members});
                }
                if (size < room) {
                    larger.push_back({std::max(scores[i], best), members});
                }
            }
        }
        level = std::move(larger);
        std::ranges::sort(level, {}, &Set::members);
    }
    std::ranges::stable_sort(found.sets, std::greater<>(), &Set::score);
    return true;
}

// What the best of a set's proper subsets has, given all sets that have one member less.
double Reinsertions::best_below(std::span<const Set> level, std::uint64_t members) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::uint64_t rest = members; rest != 0; rest &= rest - 1) {
        const std::uint64_t without = members & ~(rest & -rest);
        best = std::max(best, std::ranges::lower_bound(level, without, {}, &Set::members)->score);
    }
    return best;
}

std::vector<Variable> Reinsertions::parents(const Choices &known, const Set &set) {
    std::vector<Variable> all = known.required;
    for (std::uint64_t rest = set.members; rest != 0; rest &= rest - 1) {
        all.push_back(known.candidates[static_cast<std::size_t>(std::countr_zero(rest))]);
    }
    std::ranges::sort(all);
    return all;
}

Reinsertions::Places Reinsertions::places(const DagSearch &state, Variable node, const Choices &known) const {
    const DagState &dag = state.dag();
    Reached reached(dag, node);
    for (std::size_t i = 0; i < known.candidates.size(); ++i) {
        reached.mark(known.candidates[i], 0, std::uint64_t{1} << i);
    }
    for (const Variable parent : known.required) {
        reached.mark(parent, 1, is_required_parent);
    }
    for (const Variable parent : dag.parents(node)) {
        reached.mark(parent, 1, is_parent);
    }
    reached.spread();
    Places found;
    found.value = state.local(node);
    std::size_t n_families = 1;
    for (Variable child = 0; child < n_; ++child) {
        const bool is_child = dag.has_arc(node, child);
        const bool is_required = rules_.is_required(child, node);
        const double gain = is_child ? -state.gains().deletion(child, node)
                                     : state.gains().addition_above(child, node, score_.rounding());
        if (is_child && !is_required) {
            found.value += gain;
            ++n_families;
        }
        const bool may_gain = gain > score_.rounding() && (reached.at(child, 1) & is_required_parent) == 0;
        if (!is_required && !may_gain) {
            continue;
        }
        const std::uint64_t below = reached.at(child, 0);
        if (is_required) {
            found.barred |= below;
        } else {
            found.children.push_back({child, gain, below, (reached.at(child, 1) & is_parent) != 0});
            found.most += gain;
            ++n_families;
        }
    }
    found.tolerance = static_cast<double>(1 + n_families) * score_.rounding();
    return found;
}

Move Reinsertions::best(const DagSearch &state, Variable node, Random &random, Budget &budget) {
    const Choices *known = choices(node, budget);
    if (known == nullptr) {
        return {};
    }
    const Places places = this->places(state, node, *known);
    const double floor = places.value + places.tolerance;
    double most = floor;
    std::vector<Place> found;
    const auto look_at = [&](double own, const Set *set) {
        double value = own;
        for (const Child &child : places.children) {
            value += may_have(child, set) ? child.gain : 0.0;
        }
        if (value > floor && value >= most - places.tolerance) {
            most = std::max(most, value);
            found.push_back({value, set});
        }
    };
    for (const Set &set : known->sets) {
        if (set.score + places.most < most - places.tolerance) {
            break; // nor do those behind it come up to the best, with all children
        }
        if ((set.members & places.barred) == 0) {
            look_at(set.score, &set);
        }
    }
    look_at(state.local(node), nullptr);
    std::erase_if(found, [&](const Place &place) { return place.value < most - places.tolerance; });
    if (found.empty()) {
        return {};
    }
    const Place &drawn = found[random.below(found.size())];
    return {drawn.value - places.value, steps(state.dag(), node, *known, places, drawn.set)};
}

std::vector<Step> Reinsertions::steps(const DagState &dag, Variable node, const Choices &known, const Places &places,
                                      const Set *set) const {
    std::vector<Step> made;
    if (set != nullptr) {
        const std::vector<Variable> all = parents(known, *set);
        for (const Variable parent : dag.parents(node)) {
            if (!std::ranges::binary_search(all, parent)) {
                made.push_back({node, parent, Step::nobody});
            }
        }
        for (const Variable parent : all) {
            if (!dag.has_arc(parent, node)) {
                made.push_back({node, Step::nobody, parent});
            }
        }
    }
    std::vector<bool> is_chosen(n_, false);
    for (const Child &child : places.children) {
        is_chosen[child.node] = may_have(child, set);
    }
    for (Variable child = 0; child < n_; ++child) {
        if (dag.has_arc(node, child)) {
            if (!is_chosen[child] && !rules_.is_required(child, node)) {
                made.push_back({child, node, Step::nobody});
            }
        } else if (is_chosen[child]) {
            made.push_back({child, Step::nobody, node});
        }
    }
    return made;
}

} // namespace arcwise
