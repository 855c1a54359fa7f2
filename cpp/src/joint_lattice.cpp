#include "arcwise/joint_lattice.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

namespace arcwise {
namespace {

using Subset = std::uint32_t; // bit v: variable v is a member

// Counts of the configurations of some variables, in mixed radix with the last variable fastest: all of them one behind
// the other, or, where most do not occur, only those that do.
struct JointTable {
    std::vector<std::uint32_t> variables; // ascending
    std::vector<std::uint32_t> counts;
    std::vector<std::uint64_t> keys; // of the counts, ascending; empty: all configurations
};

class JointLattice {
  public:
    JointLattice(const Counter &counter, const Score &score, std::span<std::int64_t> values, const Budget &budget)
        : counter_(counter), score_(score), values_(values), budget_(budget), n_(counter.table().n_variables()) {}

    bool fill() {
        visit(all_rows(), static_cast<Subset>((std::size_t{1} << n_) - 1), 0);
        return !stopped_;
    }

  private:
    [[nodiscard]] double arity(Variable v) const { return static_cast<double>(counter_.arity(v)); }

    [[nodiscard]] double configurations(Subset set) const {
        double q = 1.0;
        for (Subset rest = set; rest != 0; rest &= rest - 1) {
            q *= arity(static_cast<Variable>(std::countr_zero(rest)));
        }
        return q;
    }

    [[nodiscard]] JointTable all_rows() const {
        const TableView &table = counter_.table();
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
            after *= j > i ? counter_.arity(table.variables[j]) : 1;
        }
        const std::uint64_t states = counter_.arity(table.variables[i]);
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
        const ScoreTable::Values value = score_.set_terms(configurations(set)).up_to(largest);
        values_[set] = std::accumulate(table.counts.begin(), table.counts.end(), std::int64_t{0},
                                       [&](std::int64_t sum, std::uint32_t count) { return sum + value(count); });
        for (std::size_t i = 0; i < table.variables.size() && !stopped_; ++i) {
            const Variable v = table.variables[i];
            if (v >= first) {
                visit(without(table, i), set & ~(Subset{1} << v), v + 1);
            }
        }
    }

    const Counter &counter_;
    const Score &score_;
    std::span<std::int64_t> values_;
    const Budget &budget_;
    std::size_t n_;
    bool stopped_ = false;
};

} // namespace

bool fits_joint_lattice(const TableView &table) noexcept {
    double all_configurations = 1.0;
    for (const std::uint32_t arity : table.arities) {
        all_configurations *= static_cast<double>(arity);
    }
    return all_configurations <= max_lattice_configurations;
}

bool fill_joint_lattice(const Counter &counter, const Score &score, std::span<std::int64_t> values,
                        const Budget &budget) {
    return JointLattice(counter, score, values, budget).fill();
}

} // namespace arcwise
