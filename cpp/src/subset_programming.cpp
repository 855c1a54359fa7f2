#include "arcwise/subset_programming.hpp"

#include "arcwise/check.hpp"
#include "arcwise/parallel.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

namespace arcwise {
namespace {

using Subset = std::uint32_t; // bit v: variable v is a member

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
// Variables in which the subsets of a block differ: what a worker keeps then fits the second cache.
constexpr std::size_t block_variables = 12;

// `best` becomes the better one of itself and what comes from a subset.
inline void improve(double *best, const double *from, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        best[i] = std::max(best[i], from[i]);
    }
}

inline void improve(double *best, const double *from, const double *plus, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        best[i] = std::max(best[i], from[i] + plus[i]);
    }
}

// Every entry becomes the best of those of its subsets.
void spread(std::span<double> values) noexcept {
    for (std::size_t half = 1; half < values.size(); half *= 2) {
        for (std::size_t base = 0; base < values.size(); base += 2 * half) {
            improve(&values[base + half], &values[base], half);
        }
    }
}

// The parent sets of one variable, those with the same members outside the blocks together.
class Families {
  public:
    // `n_inside` variables differ within a block.
    Families(Variable variable, const SetList &list, std::size_t n_inside)
        : variable_(variable), inside_((Subset{1} << n_inside) - 1), n_inside_(n_inside) {
        std::vector<std::pair<Subset, double>> sets(list.size());
        for (std::size_t i = 0; i < list.size(); ++i) {
            for (const Member member : list.set(i)) {
                sets[i].first |= Subset{1} << member;
            }
            sets[i].second = list.scores[i];
        }
        std::ranges::sort(sets);
        places_.reserve(sets.size());
        scores_.reserve(sets.size());
        for (const auto &[set, score] : sets) {
            if (groups_.empty() || groups_.back().outside != outside(set)) {
                groups_.push_back({outside(set), places_.size()});
            }
            places_.push_back(place(set));
            scores_.push_back(score);
        }
    }

    // How many entries the best scores of a block have: the variable itself is not among its predecessors.
    [[nodiscard]] std::size_t row_size() const noexcept {
        return std::size_t{1} << (variable_ < n_inside_ ? n_inside_ - 1 : n_inside_);
    }

    // The best score within each set of predecessors of a block, by their place; -∞ where no set fits.
    void best_scores(Subset block, std::span<double> row) const noexcept {
        std::ranges::fill(row, minus_infinity);
        for_each_within(block << n_inside_,
                        [&](std::size_t i) { row[places_[i]] = std::max(row[places_[i]], scores_[i]); });
        spread(row);
    }

    // The best score within one set of predecessors.
    [[nodiscard]] double best_score(Subset predecessors) const noexcept {
        double best = minus_infinity;
        const Subset its_place = place(predecessors);
        for_each_within(outside(predecessors), [&](std::size_t i) {
            if ((places_[i] & ~its_place) == 0) {
                best = std::max(best, scores_[i]);
            }
        });
        return best;
    }

    [[nodiscard]] static std::size_t bytes(std::size_t n_sets) noexcept {
        return n_sets * (sizeof(Group) + sizeof(Subset) + sizeof(double) + sizeof(std::pair<Subset, double>));
    }

  private:
    struct Group {
        Subset outside;
        std::size_t begin;
    };

    [[nodiscard]] Subset outside(Subset set) const noexcept { return set & ~inside_; }

    // The number of a set among those of its block, the variable itself left out.
    [[nodiscard]] Subset place(Subset set) const noexcept {
        const Subset within = set & inside_;
        if (variable_ >= n_inside_) {
            return within;
        }
        const Subset before = (Subset{1} << variable_) - 1;
        return (within & before) | (within >> 1 & ~before);
    }

    template <class Use> void for_each_within(Subset outside, Use &&use) const noexcept {
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            if ((groups_[g].outside & ~outside) == 0) {
                const std::size_t end = g + 1 < groups_.size() ? groups_[g + 1].begin : places_.size();
                for (std::size_t i = groups_[g].begin; i < end; ++i) {
                    use(i);
                }
            }
        }
    }

    Variable variable_;
    Subset inside_;
    std::size_t n_inside_;
    std::vector<Group> groups_;
    std::vector<Subset> places_;
    std::vector<double> scores_;
};

class SubsetProgramming {
  public:
    SubsetProgramming(const SetTable &table, std::size_t workers, Budget &budget)
        : n_(table.n_variables()), n_inside_(inside(n_)), workers_(workers), budget_(budget),
          best_(std::make_unique_for_overwrite<double[]>(std::size_t{1} << n_)), rows_(workers) {
        for (Variable v = 0; v < n_; ++v) {
            families_.emplace_back(v, table.lists()[v], n_inside_);
        }
        for (auto &rows : rows_) {
            rows.resize(row_entries(n_inside_));
        }
    }

    [[nodiscard]] BestOrder solve() {
        std::vector<std::vector<Subset>> levels(n_ - n_inside_ + 1); // blocks by how many variables they have
        for (std::size_t block = 0; block < std::size_t{1} << (n_ - n_inside_); ++block) {
            levels[static_cast<std::size_t>(std::popcount(block))].push_back(static_cast<Subset>(block));
        }
        for (const auto &level : levels) {
            in_parallel(workers_, level.size(),
                        [&](std::size_t worker, std::size_t i) { fill(level[i], rows_[worker]); });
            if (const StopReason reason = budget_.reason(); reason != StopReason::none) {
                return {{}, minus_infinity, reason};
            }
        }
        return walk_back();
    }

    // Of which variables the subsets of a block differ: the first few.
    [[nodiscard]] static std::size_t inside(std::size_t n) noexcept { return std::min(n, block_variables); }

    // What a worker needs: a row for each variable inside the block, half as long, and one for those outside in turn.
    [[nodiscard]] static std::size_t row_entries(std::size_t n_inside) noexcept {
        return (n_inside + 2) << n_inside >> 1;
    }

  private:
    [[nodiscard]] double *best_of(Subset block) const noexcept {
        return best_.get() + (static_cast<std::size_t>(block) << n_inside_);
    }

    void fill(Subset block, std::vector<double> &rows) noexcept {
        const std::size_t size = std::size_t{1} << n_inside_;
        double *best = best_of(block);
        std::fill_n(best, size, minus_infinity);
        if (block == 0) {
            best[0] = 0.0;
        }
        const std::span<double> row(rows.data(), size);
        for (Subset rest = block; rest != 0; rest &= rest - 1) { // the last variable is one outside
            if (budget_.exhausted()) {
                return;
            }
            const Subset before = block & ~(rest & (~rest + 1));
            families_[n_inside_ + static_cast<std::size_t>(std::countr_zero(rest))].best_scores(before, row);
            improve(best, best_of(before), row.data(), size);
        }
        for (std::size_t v = 0; v < n_inside_; ++v) { // or one inside
            if (budget_.exhausted()) {
                return;
            }
            families_[v].best_scores(block, {row_of(rows, v), size / 2});
        }
        finish(best, rows, 0, n_inside_);
    }

    [[nodiscard]] double *row_of(std::vector<double> &rows, std::size_t v) const noexcept {
        return rows.data() + (v + 2) * (std::size_t{1} << n_inside_ >> 1);
    }

    // Subsets from `base` on that differ in the first `k` variables only, where all other last variables have been
    // tried: first those without the k-th one, from them those with it, then among these.
    void finish(double *best, std::vector<double> &rows, std::size_t base, std::size_t k) const noexcept {
        if (k == 0) {
            return;
        }
        const std::size_t half = std::size_t{1} << (k - 1);
        finish(best, rows, base, k - 1);
        improve(best + base + half, best + base, row_of(rows, k - 1) + base / 2, half);
        finish(best, rows, base + half, k - 1);
    }

    // The last variable of every best order is one from which its score comes.
    [[nodiscard]] BestOrder walk_back() const {
        auto left = static_cast<Subset>((std::uint64_t{1} << n_) - 1);
        BestOrder result{{}, best_[left], StopReason::none};
        if (result.score == minus_infinity) {
            return result;
        }
        while (left != 0) {
            Subset rest = left;
            const auto without = [&] { return left & ~(rest & (~rest + 1)); };
            const auto last = [&] { return static_cast<Variable>(std::countr_zero(rest)); };
            while (best_[without()] + families_[last()].best_score(without()) != best_[left]) {
                rest &= rest - 1;
                ARCWISE_ASSERT(rest != 0);
            }
            result.order.push_back(last());
            left = without();
        }
        std::ranges::reverse(result.order);
        return result;
    }

    std::size_t n_;
    std::size_t n_inside_;
    std::size_t workers_;
    Budget &budget_;
    std::unique_ptr<double[]> best_; // of every subset
    std::vector<Families> families_;
    std::vector<std::vector<double>> rows_; // of every worker
};

} // namespace

BestOrder best_order(const SetTable &table, std::size_t workers, Budget &budget) {
    if (table.n_variables() > max_subset_variables) {
        throw std::invalid_argument("too many variables to look at all subsets");
    }
    if (workers == 0) {
        throw std::invalid_argument("nobody to do the work");
    }
    if (const StopReason reason = budget.reason(); reason != StopReason::none) {
        return {{}, minus_infinity, reason};
    }
    return SubsetProgramming(table, workers, budget).solve();
}

std::size_t best_order_bytes(const SetTable &table, std::size_t workers) {
    const std::size_t n = table.n_variables();
    if (n > max_subset_variables) {
        return std::numeric_limits<std::size_t>::max();
    }
    const std::size_t n_inside = SubsetProgramming::inside(n);
    const std::size_t numbers = (std::size_t{1} << n) + workers * SubsetProgramming::row_entries(n_inside);
    return numbers * sizeof(double) + (sizeof(Subset) << (n - n_inside)) + Families::bytes(table.n_sets());
}

} // namespace arcwise
