#include "arcwise/credible_classes.hpp"

#include "arcwise/parallel.hpp"

#include "small_graph.hpp"
#include "subset_sums.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_map>

namespace arcwise {
namespace {

using Graph = SmallGraph<Subset>;
using Graphs = std::vector<Graph>; // of different classes

struct GoodSet {
    double score;
    Subset set;
};

constexpr std::size_t between_looks = 4096; // at the budget

class CredibleProgramming {
  public:
    CredibleProgramming(const std::vector<SetScores> &scores, double within, std::size_t most, std::size_t workers,
                        Budget &budget)
        : scores_(scores), n_(scores.size()), everything_(all_of(n_)), within_(within), most_(most), workers_(workers),
          budget_(budget), best_within_(n_), sets_(n_) {}

    [[nodiscard]] CredibleClasses solve() {
        CredibleClasses found;
        in_parallel(workers_, n_, [this](std::size_t, std::size_t v) {
            if (!budget_.exhausted()) {
                best_within_[v] = within_sets(scores_[v], v, n_, [](double a, double b) { return std::max(a, b); });
            }
        });
        if (budget_.exhausted() || !find_best()) {
            found.stopped_by = budget_.reason();
            return found;
        }
        if (before_[everything_] == log_of_nothing) {
            throw std::invalid_argument("no graph keeps to the rules");
        }
        least_ = before_[everything_] - within_ - 1e-12 * std::abs(before_[everything_]);
        in_parallel(workers_, n_, [this](std::size_t, std::size_t v) { find_sets(v); });
        for (const std::vector<GoodSet> &its : sets_) {
            found.n_sets += its.size();
        }
        grow(found);
        return found;
    }

  private:
    [[nodiscard]] double best(std::size_t v, Subset set) const noexcept { return best_within_[v][place(set, v)]; }

    // The best scores of all sets among themselves, and of what comes after them.
    bool find_best() {
        const std::size_t n_subsets = std::size_t{1} << n_;
        before_.assign(n_subsets, log_of_nothing);
        after_.assign(n_subsets, log_of_nothing);
        before_[0] = 0.0;
        after_[everything_] = 0.0;
        for (std::size_t at = 1; at < n_subsets; ++at) {
            if (at % between_looks == 0 && budget_.exhausted()) {
                return false;
            }
            const auto set = static_cast<Subset>(at);
            for_each_member(set, [&](std::size_t v) {
                const Subset rest = set & ~bit(v);
                before_[set] = std::max(before_[set], before_[rest] + best(v, rest));
            });
            const Subset other = everything_ & ~set;
            for_each_member(set, [&](std::size_t v) {
                after_[other] = std::max(after_[other], after_[other | bit(v)] + best(v, other));
            });
        }
        return true;
    }

    // The parent sets of v that some graph has which is good enough, best first.
    void find_sets(std::size_t v) {
        if (budget_.exhausted()) {
            return;
        }
        // The best that the others can have when v's parents are within a set, of all larger sets.
        std::vector<double> around(std::size_t{1} << (n_ - 1));
        for (std::size_t at = 0; at < around.size(); ++at) {
            const std::size_t low = at & (bit(v) - 1);
            const auto set = static_cast<Subset>((at - low) << 1 | low);
            around[at] = before_[set] + after_[set | bit(v)];
        }
        for (std::size_t half = 1; half < around.size(); half *= 2) {
            for (std::size_t base = 0; base < around.size(); base += 2 * half) {
                for (std::size_t i = base; i < base + half; ++i) {
                    around[i] = std::max(around[i], around[i + half]);
                }
            }
        }
        for (std::size_t index = 0; index < scores_[v].of.size(); ++index) {
            const double score = scores_[v].of[index];
            const Subset set = scores_[v].set(index);
            if (score + around[place(set, v)] >= least_) { // not if it is NaN
                sets_[v].push_back({score, set});
            }
        }
        std::ranges::sort(sets_[v], [](const GoodSet &a, const GoodSet &b) {
            return a.score != b.score ? a.score > b.score : a.set < b.set;
        });
    }

    void grow(CredibleClasses &found) {
        std::map<Subset, Graphs> level; // in an order that does not depend on workers
        level[0].emplace_back();
        for (std::size_t size = 0; size < n_; ++size) {
            std::vector<Subset> targets;
            for (const auto &[set, graphs] : level) {
                for_each_member(everything_ & ~set, [&](std::size_t v) {
                    if (before_[set | bit(v)] + after_[set | bit(v)] >= least_) {
                        targets.push_back(set | bit(v));
                    }
                });
            }
            std::ranges::sort(targets);
            targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
            std::vector<Graphs> next(targets.size());
            std::atomic<std::size_t> n_graphs = 0;
            in_parallel(workers_, targets.size(), [&](std::size_t, std::size_t at) {
                if (n_graphs.load() <= most_ && !budget_.exhausted()) {
                    next[at] = graphs_over(targets[at], level);
                    n_graphs += next[at].size();
                }
            });
            found.stopped_by = budget_.reason();
            if (n_graphs > most_ || found.stopped_by != StopReason::none) {
                return;
            }
            level.clear();
            for (std::size_t at = 0; at < targets.size(); ++at) {
                if (!next[at].empty()) {
                    level.emplace(targets[at], std::move(next[at]));
                }
            }
        }
        found.is_complete = true;
        for (const Graph &graph : level[everything_]) {
            found.graphs.push_back(scored(graph));
        }
        std::ranges::stable_sort(found.graphs,
                                 [](const ScoredGraph &a, const ScoredGraph &b) { return a.score > b.score; });
    }

    [[nodiscard]] Graphs graphs_over(Subset set, const std::map<Subset, Graphs> &smaller) const {
        Graphs found;
        std::unordered_multimap<std::uint64_t, std::size_t> with_hash;
        for_each_member(set, [&](std::size_t sink) {
            const auto from = smaller.find(set & ~bit(sink));
            if (from == smaller.end()) {
                return;
            }
            for (const Graph &graph : from->second) {
                for (const GoodSet &its : sets_[sink]) {
                    if (!(graph.score() + its.score + after_[set] >= least_) || found.size() > most_) {
                        break;
                    }
                    if ((its.set & ~from->first) != 0) {
                        continue;
                    }
                    const Graph next = graph.with_sink(static_cast<Variable>(sink), its.set, its.score);
                    const auto [first, last] = with_hash.equal_range(next.class_hash());
                    const auto same = std::find_if(
                        first, last, [&](const auto &entry) { return next.is_equivalent(found[entry.second]); });
                    if (same == last) {
                        with_hash.emplace(next.class_hash(), found.size());
                        found.push_back(next);
                    } else if (next.score() > found[same->second].score()) {
                        found[same->second] = next;
                    }
                }
            }
        });
        return found;
    }

    [[nodiscard]] ScoredGraph scored(const Graph &graph) const {
        ScoredGraph all;
        all.score = graph.score();
        all.parents.resize(n_);
        for (Variable v = 0; v < n_; ++v) {
            for_each_member(graph.parents(v),
                            [&](std::size_t parent) { all.parents[v].push_back(static_cast<Variable>(parent)); });
        }
        return all;
    }

    const std::vector<SetScores> &scores_;
    std::size_t n_;
    Subset everything_;
    double within_;
    std::size_t most_;
    std::size_t workers_;
    Budget &budget_;
    std::vector<std::vector<double>> best_within_; // by the place of a set
    std::vector<double> before_;
    std::vector<double> after_;
    std::vector<std::vector<GoodSet>> sets_;
    double least_ = 0.0;
};

} // namespace

CredibleClasses credible_classes(const std::vector<SetScores> &scores, double within, std::size_t most,
                                 std::size_t workers, Budget &budget) {
    if (scores.empty() || scores.size() > max_lattice_variables) {
        throw std::invalid_argument("too few or too many variables to look at all subsets");
    }
    if (workers == 0) {
        throw std::invalid_argument("nobody to do the work");
    }
    return CredibleProgramming(scores, within, most, workers, budget).solve();
}

double credible_classes_bytes(std::size_t n_variables, std::size_t most) {
    const auto n = static_cast<double>(n_variables);
    const double subsets = std::exp2(n);
    // Scores and best scores of every variable, two numbers for each set, one more for the variables at work and for
    // what the score keeps; classes of two sizes, whose vectors grow by doubling.
    return 8.0 * (2.0 * n + 4.0) * subsets / 2.0 + 3.0 * 8.0 * subsets +
           4.0 * static_cast<double>(most) * sizeof(Graph);
}

} // namespace arcwise
