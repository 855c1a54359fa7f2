#include "arcwise/tree_likelihood.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace arcwise {
namespace {

// So many rows at a time that the sums of all of them, and the codes of some variables, stay in the first cache.
constexpr std::size_t rows_at_once = 1024;

double log_sum(double a, double b) noexcept {
    const double larger = std::max(a, b);
    if (larger == -std::numeric_limits<double>::infinity()) {
        return larger;
    }
    return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

} // namespace

void tree_log_likelihoods(const TreeMixtureView &mixture, const std::uint16_t *codes, std::span<double> out) {
    const std::size_t n_variables = mixture.arities.size();
    const std::size_t n_rows = out.size();
    std::fill(out.begin(), out.end(), -std::numeric_limits<double>::infinity());
    std::array<double, rows_at_once> sums{};
    for (std::size_t begin = 0; begin < n_rows; begin += rows_at_once) {
        const std::size_t rows = std::min(rows_at_once, n_rows - begin);
        for (std::size_t tree = 0; tree < mixture.log_weights.size(); ++tree) {
            std::fill(sums.begin(), sums.end(), mixture.log_weights[tree]);
            for (std::size_t v = 0; v < n_variables; ++v) {
                const std::size_t place = tree * n_variables + v;
                const double *table = mixture.log_probabilities.data() + mixture.tables[place];
                const std::uint16_t *states = codes + v * n_rows + begin;
                if (mixture.parents[place] < 0) {
                    for (std::size_t row = 0; row < rows; ++row) {
                        sums[row] += table[states[row]];
                    }
                    continue;
                }
                const std::size_t arity = mixture.arities[v];
                const std::uint16_t *above = codes + static_cast<std::size_t>(mixture.parents[place]) * n_rows + begin;
                for (std::size_t row = 0; row < rows; ++row) {
                    sums[row] += table[above[row] * arity + states[row]];
                }
            }
            for (std::size_t row = 0; row < rows; ++row) {
                out[begin + row] = log_sum(out[begin + row], sums[row]);
            }
        }
    }
}

} // namespace arcwise
