#include "arcwise/score_terms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace arcwise {

double entropy(double n) { return n > 0.0 ? n * std::log(n) : 0.0; }

namespace {

// The finest unit, a power of two, in which every sum of terms fits 62 bits. An observation adds at most ln N to a
// likelihood, and at most ln Γ(x + 1) − ln Γ(x), for the smallest or the largest x that there is, to a Dirichlet score.
// The unit is smaller than the rounding of doubles as large as N ln N.
double finest_unit(std::size_t n_observations) {
    constexpr double of_extremes = 1500.0;
    const auto n = static_cast<double>(n_observations);
    const double most = (n + 1.0) * (std::log(n + 1.0) + of_extremes);
    return std::exp2(std::ceil(std::log2(most) - 62.0));
}

} // namespace

TermTables::TermTables(std::size_t n_observations)
    : n_observations_(n_observations), nats_per_unit_(finest_unit(n_observations)),
      entropy_(n_observations, arcwise::entropy, nullptr, 1.0 / nats_per_unit_),
      minus_entropy_(n_observations, [](double n) { return -arcwise::entropy(n); }, nullptr, 1.0 / nats_per_unit_) {}

const ScoreTable &TermTables::of(const TermFunction &function, double parameter, double spread) const {
    // Over many configurations the counts are small, and there may be as many tables as configurations: the wider the
    // spread, the shorter the table, so that all of them together stay within some tens of megabytes. The length is
    // part of the key: beyond it values are rounded differently, and a score must not depend on what was scored before.
    const auto observations = static_cast<double>(n_observations_);
    const auto entries = static_cast<std::size_t>(std::min(observations, 256.0 + 64.0 * observations / spread));
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<ScoreTable> &slot = tables_[{&function, parameter, entries}];
    if (!slot) {
        const auto bound = [parameter](double (*of_both)(double, double)) -> ScoreTable::Function {
            return [of_both, parameter](double n) { return of_both(n, parameter); };
        };
        slot = std::make_unique<ScoreTable>(entries, bound(function.value),
                                            function.step != nullptr ? bound(function.step) : nullptr,
                                            1.0 / nats_per_unit_, function.filling);
    }
    return *slot;
}

namespace {

// Sums may go beyond 64 bits on the way, and come back.
inline std::uint64_t bits(std::int64_t number) { return static_cast<std::uint64_t>(number); }

inline std::int64_t sum_over_rows(const std::uint32_t *counts, std::size_t n_rows, std::size_t r,
                                  ScoreTable::Values cell, ScoreTable::Values row) {
    std::uint64_t sum = 0;
    for (std::size_t j = 0; j < n_rows; ++j, counts += r) {
        std::uint32_t n_j = 0;
        for (std::size_t k = 0; k < r; ++k) {
            sum += bits(cell(counts[k]));
            n_j += counts[k];
        }
        sum += bits(row(n_j));
    }
    return static_cast<std::int64_t>(sum);
}

} // namespace

std::int64_t sum_of_terms(std::span<const std::uint32_t> counts, std::size_t r, std::uint32_t largest,
                          const ScoreTerms &terms) {
    const std::size_t n_rows = counts.size() / r;
    const ScoreTable::Values cell = terms.cell->up_to(largest);
    const ScoreTable::Values row = terms.row->up_to(largest);
    if (r == 2) { // so common that the loop over the states should vanish
        return sum_over_rows(counts.data(), n_rows, 2, cell, row);
    }
    return sum_over_rows(counts.data(), n_rows, r, cell, row);
}

} // namespace arcwise
