#include "arcwise/exact_posterior.hpp"

#include "arcwise/parallel.hpp"

#include "subset_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <utility>

namespace arcwise {
namespace {

[[nodiscard]] ExactPosterior ended_by(StopReason reason) {
    ExactPosterior nothing;
    nothing.stopped_by = reason;
    return nothing;
}

class Sums {
  public:
    Sums(std::vector<SetScores> scores, std::size_t workers, Budget &budget)
        : n_(scores.size()), everything_(all_of(n_)), workers_(workers), budget_(budget), within_(n_) {
        in_parallel(workers_, n_, [&](std::size_t, std::size_t v) {
            if (!budget_.exhausted()) {
                within_[v] = within_sets(std::move(scores[v]), v, n_, log_sum);
            }
        });
        first_of_size_.assign(n_ + 2, 0);
        for (std::size_t set = 0; set <= everything_; ++set) {
            ++first_of_size_[static_cast<std::size_t>(std::popcount(set)) + 1];
        }
        for (std::size_t size = 0; size <= n_; ++size) {
            first_of_size_[size + 1] += first_of_size_[size];
        }
        by_size_.resize(first_of_size_.back());
        std::vector<std::size_t> next(first_of_size_.begin(), first_of_size_.end() - 1);
        for (std::size_t set = 0; set <= everything_; ++set) {
            by_size_[next[static_cast<std::size_t>(std::popcount(set))]++] = static_cast<Subset>(set);
        }
    }

    [[nodiscard]] ExactPosterior solve(GraphPrior prior) {
        if (!sum_orders()) {
            return ended_by(budget_.reason());
        }
        if (log_orders() == log_of_nothing) {
            throw std::invalid_argument("no graph keeps to the rules");
        }
        if (prior == GraphPrior::orders) {
            return collected(prior, log_orders(), [this](Subset set, std::span<double> shares, std::span<double>) {
                for_each_member(everything_ & ~set, [&](std::size_t v) {
                    shares[v] = std::exp(before_[set] + within(v, set) + after_[set | bit(v)] - log_orders());
                });
            });
        }
        // Of the sum over all graphs, which is at least that over orders divided by n!, a part of 10^-13 for all sets.
        least_ =
            log_orders() - std::lgamma(static_cast<double>(n_) + 1.0) - static_cast<double>(n_) * std::log(2.0) - 30.0;
        if (!sum_graphs()) {
            return ended_by(budget_.reason());
        }
        const double all = share_before_[everything_];
        return collected(prior, log_orders() + std::log(all),
                         [this, all](Subset set, std::span<double> shares, std::span<double> only_sink) {
                             if (share_before_[set] == 0.0 || share_after_[set] == 0.0) {
                                 return;
                             }
                             const double share = std::exp(before_[set] + after_[set] - log_orders()) / all;
                             (void)sinks(set, only_sink);
                             for (double &of_sink : only_sink) {
                                 of_sink *= share * share_after_[set];
                             }
                             (void)sources(set, shares);
                             for (double &of_source : shares) {
                                 of_source *= share * share_before_[set];
                             }
                         });
    }

  private:
    [[nodiscard]] double within(std::size_t v, Subset set) const noexcept { return within_[v][place(set, v)]; }
    [[nodiscard]] double log_orders() const noexcept { return before_[everything_]; }

    // Calls work(set) for all sets, those of one size at the same time; false when the budget ends it.
    template <class Work> bool for_each_set(bool ascending, const Work &work) const {
        constexpr std::size_t part = 256;
        for (std::size_t step = 0; step <= n_; ++step) {
            const std::size_t size = ascending ? step : n_ - step;
            const std::size_t first = first_of_size_[size];
            const std::size_t last = first_of_size_[size + 1];
            in_parallel(workers_, (last - first + part - 1) / part, [&](std::size_t, std::size_t i) {
                if (budget_.exhausted()) {
                    return;
                }
                for (std::size_t at = first + i * part; at < std::min(last, first + (i + 1) * part); ++at) {
                    work(by_size_[at]);
                }
            });
            if (budget_.exhausted()) {
                return false;
            }
        }
        return true;
    }

    bool sum_orders() {
        before_.assign(by_size_.size(), log_of_nothing);
        after_.assign(by_size_.size(), log_of_nothing);
        before_[0] = 0.0;
        after_[everything_] = 0.0;
        return !budget_.exhausted() && for_each_set(true, [this](Subset set) {
            for_each_member(set, [&](std::size_t v) {
                const Subset rest = set & ~bit(v);
                before_[set] = log_sum(before_[set], before_[rest] + within(v, rest));
            });
        }) && for_each_set(false, [this](Subset set) {
            for_each_member(everything_ & ~set, [&](std::size_t v) {
                after_[set] = log_sum(after_[set], after_[set | bit(v)] + within(v, set));
            });
        });
    }

    // The sums over graphs, as shares of those over orders; 0 where graphs in which the set has all its parents are
    // nothing beside all others.
    bool sum_graphs() {
        share_before_.assign(by_size_.size(), 0.0);
        share_after_.assign(by_size_.size(), 0.0);
        share_after_[everything_] = 1.0;
        share_before_[0] = 1.0;
        const auto matters = [this](Subset set) { return before_[set] + after_[set] >= least_; };
        return for_each_set(false,
                            [&](Subset set) {
                                if (set != everything_ && matters(set)) {
                                    std::array<double, max_lattice_variables> sums{};
                                    share_after_[set] = sources(set, std::span(sums).first(n_));
                                }
                            }) &&
               for_each_set(true, [&](Subset set) {
                   if (set != 0 && matters(set)) {
                       std::array<double, max_lattice_variables> sums{};
                       share_before_[set] = sinks(set, std::span(sums).first(n_));
                   }
               });
    }

    // H(set) as a share of what orders have; and for each v, the terms in which T has v.
    double sources(Subset set, std::span<double> with) const {
        return add_sources(set, 0, everything_ & ~set, 0.0, 1.0, with);
    }

    double add_sources(Subset set, Subset chosen, Subset left, double product, double sign,
                       std::span<double> with) const {
        double all = 0.0;
        for (Subset rest = left; rest != 0; rest &= rest - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(rest));
            const double longer = product + within(v, set);
            const Subset more = chosen | bit(v);
            const double reached = longer + after_[set | more];
            if (!(before_[set] + reached >= least_)) {
                continue; // nor does any larger one matter
            }
            double found = sign * std::exp(reached - after_[set]) * share_after_[set | more];
            found += add_sources(set, more, rest & (rest - 1), longer, -sign, with);
            with[v] += found;
            all += found;
        }
        return all;
    }

    // F(set) as a share of what orders have; and for each v, the terms in which T has v.
    double sinks(Subset set, std::span<double> with) const { return add_sinks(set, 0, set, 1.0, with); }

    double add_sinks(Subset set, Subset chosen, Subset left, double sign, std::span<double> with) const {
        double all = 0.0;
        for (Subset rest = left; rest != 0; rest &= rest - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(rest));
            const Subset more = chosen | bit(v);
            const Subset others = set & ~more;
            double reached = before_[others];
            for_each_member(more, [&](std::size_t sink) { reached += within(sink, others); });
            if (!(reached + after_[set] >= least_)) {
                continue;
            }
            double found = sign * std::exp(reached - before_[set]) * share_before_[others];
            found += add_sinks(set, more, rest & (rest - 1), -sign, with);
            with[v] += found;
            all += found;
        }
        return all;
    }

    // `shares_of(set, shares, only_sink)` says for each variable outside which part of all graphs is in the terms where
    // its parents lie within the set (some parts are negative, but they add up), and for each variable inside in which
    // part the set is its ancestors and itself. Parts of the sets are added up in one order, whoever does them.
    template <class Shares>
    [[nodiscard]] ExactPosterior collected(GraphPrior prior, double log_evidence, const Shares &shares_of) const {
        const std::size_t n_parts = std::min<std::size_t>(by_size_.size(), 512);
        const std::size_t part = by_size_.size() / n_parts;
        std::vector<ExactPosterior> parts(n_parts);
        std::vector<std::vector<double>> wholes(n_parts, std::vector<double>(n_));
        in_parallel(workers_, n_parts, [&](std::size_t, std::size_t at) {
            parts[at].arcs.assign(n_ * n_, 0.0);
            parts[at].ancestors.assign(n_ * n_, 0.0);
            std::array<double, max_lattice_variables> shares{};
            std::array<double, max_lattice_variables> only_sink{};
            for (std::size_t set = at * part; set < (at + 1) * part; ++set) {
                if (set % 64 == 0 && budget_.exhausted()) {
                    return;
                }
                shares.fill(0.0);
                only_sink.fill(0.0);
                const auto members = static_cast<Subset>(set);
                shares_of(members, std::span(shares).first(n_), std::span(only_sink).first(n_));
                add(members, shares, only_sink, parts[at], wholes[at]);
            }
        });
        if (budget_.exhausted()) {
            return ended_by(budget_.reason());
        }
        ExactPosterior all{log_evidence, std::vector<double>(n_ * n_), std::vector<double>(n_ * n_), 0.0,
                           StopReason::none};
        std::vector<double> whole(n_);
        for (std::size_t at = 0; at < n_parts; ++at) {
            const auto gather = [](std::vector<double> &into, const std::vector<double> &from) {
                std::ranges::transform(into, from, into.begin(), std::plus());
            };
            gather(all.arcs, parts[at].arcs);
            gather(all.ancestors, parts[at].ancestors);
            gather(whole, wholes[at]);
        }
        for (const double sum : whole) {
            all.rounding = std::max(all.rounding, std::abs(sum - 1.0));
        }
        const auto fit = [](double &probability) { probability = std::clamp(probability, 0.0, 1.0); };
        std::ranges::for_each(all.arcs, fit);
        std::ranges::for_each(all.ancestors, fit);
        if (prior == GraphPrior::orders) {
            all.ancestors.clear();
        }
        return all;
    }

    void add(Subset set, std::span<const double> shares, std::span<const double> only_sink, ExactPosterior &into,
             std::span<double> whole) const {
        for_each_member(everything_ & ~set, [&](std::size_t v) {
            if (shares[v] == 0.0) {
                return;
            }
            whole[v] += shares[v];
            for_each_member(set, [&](std::size_t parent) {
                const double without = within(v, set & ~bit(parent)) - within(v, set);
                into.arcs[parent * n_ + v] -= shares[v] * std::expm1(without);
            });
        });
        for_each_member(set, [&](std::size_t sink) {
            if (only_sink[sink] != 0.0) {
                for_each_member(set & ~bit(sink),
                                [&](std::size_t ancestor) { into.ancestors[ancestor * n_ + sink] += only_sink[sink]; });
            }
        });
    }

    std::size_t n_;
    Subset everything_;
    std::size_t workers_;
    Budget &budget_;
    std::vector<std::vector<double>> within_; // ln A_v, by the place of a set
    std::vector<Subset> by_size_;
    std::vector<std::size_t> first_of_size_;
    // Logarithms of sums over orders: of the variables of a set, and of those outside after them.
    std::vector<double> before_;
    std::vector<double> after_;
    std::vector<double> share_before_;
    std::vector<double> share_after_;
    double least_ = 0.0;
};

} // namespace

ExactPosterior exact_posterior(std::vector<SetScores> scores, GraphPrior prior, std::size_t workers, Budget &budget) {
    if (scores.empty() || scores.size() > max_lattice_variables) {
        throw std::invalid_argument("too few or too many variables to look at all subsets");
    }
    if (workers == 0) {
        throw std::invalid_argument("nobody to do the work");
    }
    return Sums(std::move(scores), workers, budget).solve(prior);
}

double exact_posterior_bytes(std::size_t n_variables) {
    const auto n = static_cast<double>(n_variables);
    const double subsets = std::exp2(n);
    // Sums of every variable within the sets without it (one as it is made, twice), four numbers for each set, its
    // place by size, and what the score keeps for each.
    return 8.0 * (n + 1.0) * subsets / 2.0 + (4.0 * 8.0 + 4.0 + 8.0) * subsets;
}

} // namespace arcwise
