#include "arcwise/candidate_sums.hpp"

#include "arcwise/log_sum.hpp"
#include "arcwise/parallel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace arcwise {
namespace {

// Every entry becomes the sum of those of its subsets.
void sum_subsets(std::span<double> values) noexcept {
    for (std::size_t half = 1; half < values.size(); half *= 2) {
        for (std::size_t base = 0; base < values.size(); base += 2 * half) {
            for (std::size_t i = base; i < base + half; ++i) {
                values[i + half] = log_sum(values[i + half], values[i]);
            }
        }
    }
}

} // namespace

std::optional<std::vector<double>> scores_of_sets(const LocalScore &score, Variable child,
                                                  std::span<const Variable> required,
                                                  std::span<const Variable> candidates, std::size_t max_parents,
                                                  Budget &budget) {
    std::vector<double> of(std::size_t{1} << candidates.size(), std::numeric_limits<double>::quiet_NaN());
    if (required.size() > max_parents) {
        return of;
    }
    of[0] = score.new_local(child, required, &budget);
    std::vector<Variable> parents;
    std::vector<double> found;
    for (std::size_t index = 0; index < of.size(); ++index) {
        // With each one more parent of a higher place: so all come once.
        const auto first = static_cast<std::size_t>(std::bit_width(index));
        const std::size_t size = required.size() + static_cast<std::size_t>(std::popcount(index));
        if (size >= max_parents || first == candidates.size()) {
            continue;
        }
        parents.assign(required.begin(), required.end());
        for (std::size_t rest = index; rest != 0; rest &= rest - 1) {
            parents.push_back(candidates[static_cast<std::size_t>(std::countr_zero(rest))]);
        }
        found.resize(candidates.size() - first);
        if (budget.exhausted() ||
            !score.new_additions({child, parents}, candidates.subspan(first), found, nullptr, &budget)) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < found.size(); ++i) {
            of[index | std::size_t{1} << (first + i)] = found[i];
        }
    }
    return of;
}

CandidateSums::CandidateSums(std::vector<Variable> candidates, std::vector<double> scores)
    : candidates_(std::move(candidates)), scores_(std::move(scores)) {
    const std::size_t k = candidates_.size();
    if (k > max_candidates || scores_.size() != std::size_t{1} << k) {
        throw std::invalid_argument("there must be a score for every set of at most 20 candidates");
    }
    for (double &local : scores_) {
        local = std::isnan(local) ? log_of_nothing : local;
    }
    within_ = scores_;
    sum_subsets(within_);
    if (k > 0) {
        const std::size_t half = std::size_t{1} << (k - 1);
        containing_.resize(k * half);
        for (std::size_t member = 0; member < k; ++member) {
            const std::span<double> sums = std::span(containing_).subspan(member * half, half);
            for (std::size_t rest = 0; rest < half; ++rest) {
                const std::size_t low = rest & ((std::size_t{1} << member) - 1);
                sums[rest] = scores_[(rest - low) << 1 | std::size_t{1} << member | low];
            }
            sum_subsets(sums);
        }
    }
    best_first_.resize(scores_.size());
    std::iota(best_first_.begin(), best_first_.end(), Mask{0});
    std::ranges::stable_sort(best_first_, [this](Mask a, Mask b) { return scores_[a] > scores_[b]; });
}

double CandidateSums::meeting(Mask some, Mask among) const noexcept {
    // Those that have the first of them, those of the others that have the second, and so on.
    double sum = log_of_nothing;
    Mask allowed = among;
    for (Mask rest = some; rest != 0; rest &= rest - 1) {
        const auto member = static_cast<std::size_t>(std::countr_zero(rest));
        sum = log_sum(sum, containing(member, allowed));
        allowed &= ~(Mask{1} << member);
    }
    return sum;
}

Mask CandidateSums::draw(Mask some, Mask among, double sum, double drawn) const noexcept {
    double reached = 0.0;
    Mask last = 0;
    for (const Mask set : best_first_) {
        if ((set & ~among) == 0 && (some == 0 || (set & some) != 0)) {
            const double share = std::exp(scores_[set] - sum);
            if (share == 0.0) {
                break; // rounding has left a little over
            }
            last = set;
            reached += share;
            if (reached > drawn) {
                break;
            }
        }
    }
    return last;
}

double CandidateSums::bytes(std::size_t n_candidates) noexcept {
    const auto k = static_cast<double>(n_candidates);
    return std::exp2(k) * (8.0 + 8.0 + 4.0 + 8.0 * k / 2.0);
}

std::vector<CandidateSums> candidate_sums(const LocalScore &score, std::span<const ParentRules> rules,
                                          std::size_t workers, Budget &budget) {
    std::vector<std::optional<CandidateSums>> found(rules.size());
    in_parallel(workers, rules.size(), [&](std::size_t, std::size_t child) {
        const auto &[required, optional, max_parents] = rules[child];
        std::vector<Variable> all(required);
        all.insert(all.end(), optional.begin(), optional.end());
        std::ranges::sort(all);
        if (all.size() > max_candidates) {
            throw std::invalid_argument("there are too many candidates to sum over all their sets");
        }
        const std::optional<std::vector<double>> scores =
            scores_of_sets(score, static_cast<Variable>(child), required, optional, max_parents, budget);
        if (!scores) {
            return;
        }
        const auto bit_of = [&](Variable v) { return Mask{1} << (std::ranges::lower_bound(all, v) - all.begin()); };
        Mask least = 0;
        for (const Variable v : required) {
            least |= bit_of(v);
        }
        std::vector<double> by_mask(std::size_t{1} << all.size(), log_of_nothing);
        for (std::size_t index = 0; index < scores->size(); ++index) {
            Mask mask = least;
            for (std::size_t rest = index; rest != 0; rest &= rest - 1) {
                mask |= bit_of(optional[static_cast<std::size_t>(std::countr_zero(rest))]);
            }
            by_mask[mask] = (*scores)[index];
        }
        found[child].emplace(std::move(all), std::move(by_mask));
    });
    std::vector<CandidateSums> sums;
    for (std::optional<CandidateSums> &its : found) {
        if (!its) {
            return {};
        }
        sums.push_back(std::move(*its));
    }
    return sums;
}

} // namespace arcwise
