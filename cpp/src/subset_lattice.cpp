#include "arcwise/subset_lattice.hpp"

#include "arcwise/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

namespace arcwise {
namespace {

using Subset = std::uint32_t; // bit v: variable v is a member

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

[[nodiscard]] std::vector<Variable> members(Subset set) {
    std::vector<Variable> all;
    for (Subset rest = set; rest != 0; rest &= rest - 1) {
        all.push_back(static_cast<Variable>(std::countr_zero(rest)));
    }
    return all;
}

class SubsetLattice {
  public:
    SubsetLattice(const LocalScore &score, Budget &budget)
        : score_(score), budget_(budget), n_(score.n_variables()), set_function_(score.engine().set_function()) {}

    // False when the budget ended it early.
    bool fill() {
        if (set_function_ == nullptr) {
            return !budget_.exhausted();
        }
        g_.resize(std::size_t{1} << n_);
        return set_function_->fill(g_, budget_);
    }

    // The sets of one variable; none when the budget ended it early.
    [[nodiscard]] std::optional<ParentSearchResult> sets_of(Variable child, const ParentRules &rules,
                                                            std::size_t max_sets) const {
        const std::optional<SetScores> scores = scores_of(child, rules);
        return scores ? best_sets(*scores, max_sets) : std::nullopt;
    }

    [[nodiscard]] bool is_counted_at_once() const noexcept { return set_function_ != nullptr; }

    // The scores of one variable with all sets; none when the budget ended it early.
    [[nodiscard]] std::optional<SetScores> scores_of(Variable child, const ParentRules &rules) const {
        SetScores scores{rules.candidates, 0, {}};
        std::ranges::sort(scores.others);
        for (const Variable v : rules.required) {
            scores.required |= Subset{1} << v;
        }
        scores.of.assign(std::size_t{1} << scores.others.size(), std::numeric_limits<double>::quiet_NaN());
        for (std::size_t index = 0; index < scores.of.size(); ++index) {
            if (index % 4096 == 0 && budget_.exhausted()) {
                return std::nullopt;
            }
            const Subset set = scores.set(index);
            const auto size = static_cast<std::size_t>(std::popcount(set));
            if (size > rules.max_parents) {
                continue;
            }
            if (set_function_ != nullptr) {
                scores.of[index] = difference(child, set);
            } else if (!score_set(child, set, index, size < rules.max_parents, scores)) {
                return std::nullopt;
            }
        }
        return scores;
    }

  private:
    [[nodiscard]] double difference(Variable child, Subset set) const {
        const std::vector<Variable> parents = members(set);
        return set_function_->score_of(g_[set | (Subset{1} << child)] - g_[set], {child, parents});
    }

    // The smallest set, and every set with each one more parent of a higher place: so all come once.
    [[nodiscard]] bool score_set(Variable child, Subset set, std::size_t index, bool has_room,
                                 SetScores &scores) const {
        const std::vector<Variable> parents = members(set);
        if (index == 0) {
            scores.of[0] = score_.new_local(child, parents, &budget_);
        }
        const auto first = static_cast<std::size_t>(std::bit_width(index));
        const std::span<const Variable> later = std::span(scores.others).subspan(first);
        if (!has_room || later.empty()) {
            return true;
        }
        std::vector<double> found(later.size());
        if (!score_.new_additions({child, parents}, later, found, nullptr, &budget_)) {
            return false;
        }
        for (std::size_t k = 0; k < found.size(); ++k) {
            scores.of[index | std::size_t{1} << (first + k)] = found[k];
        }
        return true;
    }

    // None when the budget ended it early.
    [[nodiscard]] std::optional<ParentSearchResult> best_sets(const SetScores &scores, std::size_t max_sets) const {
        std::vector<double> best(scores.of.size()); // among a set of others and its subsets
        std::vector<std::pair<double, Subset>> kept;
        ParentSearchResult result;
        for (std::size_t s = 0; s < best.size(); ++s) {
            if (s % 4096 == 0 && budget_.exhausted()) {
                return std::nullopt;
            }
            double below = minus_infinity;
            for (std::size_t rest = s; rest != 0; rest &= rest - 1) {
                below = std::max(below, best[s & ~(rest & (~rest + 1))]);
            }
            best[s] = below;
            const double score = scores.of[s];
            if (std::isnan(score)) {
                continue;
            }
            ++result.scored;
            if (score > below + score_.rounding()) {
                best[s] = score;
                kept.emplace_back(score, scores.set(s));
            }
        }
        std::ranges::sort(kept, is_better);
        const auto listed = [](Subset set) {
            const std::vector<Variable> all = members(set);
            return std::vector<std::uint16_t>(all.begin(), all.end());
        };
        for (const auto &[score, set] : kept) {
            result.sets.push_back(score, listed(set));
        }
        result.was_cut = kept.size() > max_sets;
        result.is_complete = !result.was_cut;
        if (result.was_cut) {
            result.sets.cut(max_sets, scores.of[0], listed(scores.required));
        }
        return result;
    }

    [[nodiscard]] static bool is_better(const std::pair<double, Subset> &a, const std::pair<double, Subset> &b) {
        if (a.first != b.first) {
            return a.first > b.first;
        }
        const int sizes = std::popcount(a.second) - std::popcount(b.second);
        // Among sets of one size, the first member that only one of them has decides.
        const Subset difference = a.second ^ b.second;
        return sizes != 0 ? sizes < 0 : (a.second & (difference & (~difference + 1))) != 0;
    }

    const LocalScore &score_;
    Budget &budget_;
    std::size_t n_;
    const SetFunction *set_function_; // null: every family is scored
    std::vector<std::int64_t> g_;
};

void refuse_too_many(const LocalScore &score) {
    if (score.n_variables() > max_lattice_variables) {
        throw std::invalid_argument("too many variables to look at all subsets");
    }
}

} // namespace

std::uint32_t SetScores::set(std::size_t index) const noexcept {
    Subset all = required;
    for (std::size_t rest = index; rest != 0; rest &= rest - 1) {
        all |= Subset{1} << others[static_cast<std::size_t>(std::countr_zero(rest))];
    }
    return all;
}

std::vector<SetScores> scores_of_all_sets(const LocalScore &score, std::span<const ParentRules> rules,
                                          std::size_t workers, Budget &budget) {
    refuse_too_many(score);
    SubsetLattice lattice(score, budget);
    if (!lattice.fill()) {
        return {};
    }
    std::vector<SetScores> all(rules.size());
    std::atomic<bool> is_complete = true;
    in_parallel(workers, rules.size(), [&](std::size_t, std::size_t child) {
        std::optional<SetScores> found = lattice.scores_of(static_cast<Variable>(child), rules[child]);
        if (!found) {
            is_complete = false;
            return;
        }
        if (lattice.is_counted_at_once()) { // else charged on the way
            budget.charge(static_cast<std::uint64_t>(
                std::ranges::count_if(found->of, [](double local) { return !std::isnan(local); })));
        }
        all[child] = std::move(*found);
    });
    return is_complete ? std::move(all) : std::vector<SetScores>();
}

std::vector<ParentSearchResult> exhaust_parents(const LocalScore &score, std::span<const ParentRules> rules,
                                                std::size_t max_sets, Budget &budget) {
    refuse_too_many(score);
    SubsetLattice lattice(score, budget);
    const bool complete = lattice.fill();
    std::vector<ParentSearchResult> results;
    for (Variable child = 0; child < rules.size(); ++child) {
        std::optional<ParentSearchResult> found;
        if (complete) {
            found = lattice.sets_of(child, rules[child], max_sets);
        }
        if (found) {
            results.push_back(std::move(*found));
            if (score.engine().set_function() != nullptr) { // else charged on the way
                budget.charge(results.back().scored);
            }
        } else { // at least the smallest set
            ParentSearchResult &least = results.emplace_back();
            const std::vector<std::uint16_t> members(rules[child].required.begin(), rules[child].required.end());
            least.sets.push_back(score.engine().score({child, rules[child].required}), members);
            least.scored = 1;
            least.stopped_by = budget.reason();
        }
    }
    return results;
}

} // namespace arcwise
