#include "arcwise/subset_lattice.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace arcwise {
namespace {

using Subset = std::uint32_t; // bit v: variable v is a member

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// Counts of the configurations of some variables, in mixed radix with the last variable fastest: all of them one behind
// the other, or, where most do not occur, only those that do.
struct JointTable {
    std::vector<std::uint32_t> variables; // ascending
    std::vector<std::uint32_t> counts;
    std::vector<std::uint64_t> keys; // of the counts, ascending; empty: all configurations
};

class SubsetLattice {
  public:
    SubsetLattice(const LocalScore &score, Budget &budget)
        : score_(score), budget_(budget), n_(score.n_variables()), g_(std::size_t{1} << n_) {}

    // Fills g for every subset; false when the budget ended it early.
    bool fill() {
        visit(all_rows(), static_cast<Subset>((std::size_t{1} << n_) - 1), 0);
        return !stopped_;
    }

    // The sets of one variable; none when the budget ended it early.
    [[nodiscard]] std::optional<ParentSearchResult> sets_of(Variable child, const ParentRules &rules,
                                                            std::size_t max_sets) const {
        std::vector<Variable> others = rules.candidates;
        std::sort(others.begin(), others.end());
        const std::size_t n_others = others.size();
        const auto bit = [](Variable v) { return Subset{1} << v; };
        Subset required = 0;
        for (const Variable v : rules.required) {
            required |= bit(v);
        }
        std::vector<double> best(std::size_t{1} << n_others); // among a set of others and its subsets
        std::vector<std::pair<double, Subset>> kept;
        ParentSearchResult result;
        for (std::size_t s = 0; s < best.size(); ++s) {
            if (s % 4096 == 0 && budget_.exhausted()) {
                return std::nullopt;
            }
            Subset set = required;
            double below = minus_infinity;
            for (std::size_t rest = s; rest != 0; rest &= rest - 1) {
                const auto i = static_cast<std::size_t>(std::countr_zero(rest));
                set |= bit(others[i]);
                below = std::max(below, best[s & ~(std::size_t{1} << i)]);
            }
            best[s] = below;
            if (static_cast<std::size_t>(std::popcount(set)) > rules.max_parents) {
                continue;
            }
            const double score = score_with(child, set);
            ++result.scored;
            if (score > below + score_.rounding()) {
                best[s] = score;
                kept.emplace_back(score, set);
            }
        }
        std::sort(kept.begin(), kept.end(), [](const auto &a, const auto &b) {
            if (a.first != b.first) {
                return a.first > b.first;
            }
            const int sizes = std::popcount(a.second) - std::popcount(b.second);
            // Among sets of one size, the first member that only one of them has decides.
            const Subset difference = a.second ^ b.second;
            return sizes != 0 ? sizes < 0 : (a.second & (difference & (~difference + 1))) != 0;
        });
        for (const auto &[score, set] : kept) {
            result.sets.push_back(score, members(set));
        }
        result.was_cut = kept.size() > max_sets;
        result.is_complete = !result.was_cut;
        if (result.was_cut) {
            result.sets.cut(max_sets, score_with(child, required), members(required));
        }
        return result;
    }

  private:
    [[nodiscard]] double score_with(Variable child, Subset parents) const {
        const auto n_members = static_cast<std::size_t>(std::popcount(parents));
        return score_.score().nats(g_[parents | (Subset{1} << child)] - g_[parents]) -
               score_.score().penalty({arity(child), configurations(parents), n_members});
    }

    [[nodiscard]] double arity(Variable v) const { return static_cast<double>(score_.counter().arity(v)); }

    [[nodiscard]] double configurations(Subset set) const {
        double q = 1.0;
        for (Subset rest = set; rest != 0; rest &= rest - 1) {
            q *= arity(static_cast<Variable>(std::countr_zero(rest)));
        }
        return q;
    }

    [[nodiscard]] static std::vector<std::uint16_t> members(Subset set) {
        std::vector<std::uint16_t> all;
        for (Subset rest = set; rest != 0; rest &= rest - 1) {
            all.push_back(static_cast<std::uint16_t>(std::countr_zero(rest)));
        }
        return all;
    }

    [[nodiscard]] JointTable all_rows() const {
        const TableView &table = score_.counter().table();
        JointTable joint;
        joint.variables.resize(n_);
        std::iota(joint.variables.begin(), joint.variables.end(), 0U);
        std::vector<std::uint64_t> key(table.n_rows, 0);
        for (Variable v = 0; v < n_; ++v) {
            table.with_column(v, [&](const auto *codes) {
                for (std::size_t row = 0; row < table.n_rows; ++row) {
                    key[row] = key[row] * table.arities[v] + codes[row];
                }
            });
        }
        std::vector<std::pair<std::uint64_t, std::uint32_t>> rows(table.n_rows);
        for (std::size_t row = 0; row < table.n_rows; ++row) {
            rows[row] = {key[row], table.weights.empty() ? 1U : table.weights[row]};
        }
        merge(std::move(rows), joint);
        return joint;
    }

    // Adds up the counts of equal keys.
    static void merge(std::vector<std::pair<std::uint64_t, std::uint32_t>> rows, JointTable &out) {
        std::sort(rows.begin(), rows.end());
        for (const auto &[key, count] : rows) {
            if (!out.keys.empty() && out.keys.back() == key) {
                out.counts.back() += count;
            } else {
                out.keys.push_back(key);
                out.counts.push_back(count);
            }
        }
    }

    // The table without its i-th variable.
    [[nodiscard]] JointTable without(const JointTable &table, std::size_t i) const {
        JointTable smaller;
        std::uint64_t after = 1; // configurations of the variables behind it
        double size = 1.0;
        for (std::size_t j = 0; j < table.variables.size(); ++j) {
            if (j != i) {
                smaller.variables.push_back(table.variables[j]);
                size *= arity(table.variables[j]);
            }
            after *= j > i ? score_.counter().arity(table.variables[j]) : 1;
        }
        const std::uint64_t states = score_.counter().arity(table.variables[i]);
        const auto shortened = [&](std::uint64_t key) { return key / (after * states) * after + key % after; };
        if (table.keys.empty()) {
            smaller.counts.assign(table.counts.size() / states, 0);
            const std::uint32_t *count = table.counts.data();
            for (std::size_t before = 0; before < smaller.counts.size(); before += after) {
                for (std::uint64_t state = 0; state < states; ++state) {
                    for (std::uint64_t t = 0; t < after; ++t) {
                        smaller.counts[before + t] += *count++;
                    }
                }
            }
        } else if (size <= 8.0 * static_cast<double>(table.counts.size())) {
            smaller.counts.assign(static_cast<std::size_t>(size), 0);
            for (std::size_t row = 0; row < table.counts.size(); ++row) {
                smaller.counts[shortened(table.keys[row])] += table.counts[row];
            }
        } else {
            std::vector<std::pair<std::uint64_t, std::uint32_t>> rows(table.counts.size());
            for (std::size_t row = 0; row < rows.size(); ++row) {
                rows[row] = {shortened(table.keys[row]), table.counts[row]};
            }
            merge(std::move(rows), smaller);
        }
        return smaller;
    }

    // Every subset is reached once: by leaving variables out in ascending order.
    void visit(const JointTable &table, Subset set, Variable first) {
        if (budget_.exhausted()) {
            stopped_ = true;
            return;
        }
        std::uint32_t largest = 0;
        for (const std::uint32_t count : table.counts) {
            largest = std::max(largest, count);
        }
        const ScoreTable::Values value = score_.score().set_terms(configurations(set)).up_to(largest);
        g_[set] = std::accumulate(table.counts.begin(), table.counts.end(), std::int64_t{0},
                                  [&](std::int64_t sum, std::uint32_t count) { return sum + value(count); });
        for (std::size_t i = 0; i < table.variables.size() && !stopped_; ++i) {
            const Variable v = table.variables[i];
            if (v >= first) {
                visit(without(table, i), set & ~(Subset{1} << v), v + 1);
            }
        }
    }

    const LocalScore &score_;
    Budget &budget_;
    std::size_t n_;
    std::vector<std::int64_t> g_;
    bool stopped_ = false;
};

} // namespace

std::vector<ParentSearchResult> exhaust_parents(const LocalScore &score, std::span<const ParentRules> rules,
                                                std::size_t max_sets, Budget &budget) {
    if (score.n_variables() > max_lattice_variables) {
        throw std::invalid_argument("too many variables to look at all subsets");
    }
    if (!score.score().is_difference()) {
        throw std::invalid_argument("the score is not a difference of a function of sets");
    }
    if (score.counter().table().masks != nullptr) {
        throw std::invalid_argument("other rows count for each child, which is not a difference of a function of sets");
    }
    double all_configurations = 1.0;
    for (const std::uint32_t arity : score.counter().table().arities) {
        all_configurations *= static_cast<double>(arity);
    }
    if (all_configurations > max_lattice_configurations) {
        throw std::invalid_argument("too many configurations to number them");
    }
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
            budget.charge(results.back().scored);
        } else { // at least the smallest set
            ParentSearchResult &least = results.emplace_back();
            const std::vector<std::uint16_t> members(rules[child].required.begin(), rules[child].required.end());
            least.sets.push_back(score.recounted(child, rules[child].required), members);
            least.scored = 1;
            least.stopped_by = budget.reason();
        }
    }
    return results;
}

} // namespace arcwise
