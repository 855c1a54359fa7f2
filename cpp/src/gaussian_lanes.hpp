// The kernel of gaussian_kernels.hpp, included by one file for each instruction set. Whatever the instructions, every
// operation is the same and rounded by itself (-ffp-contract=off), and so are the answers.
#pragma once

#include "arcwise/gaussian_kernels.hpp"

#include "gaussian_log.hpp"

namespace {

using arcwise::gaussian_lanes;
using arcwise::GaussianFactor;
using arcwise::GaussianMatrix;

using Lanes [[gnu::vector_size(gaussian_lanes * sizeof(double))]] = double;
using Wholes [[gnu::vector_size(gaussian_lanes * sizeof(std::int64_t))]] = std::int64_t;

// The candidates' entries of one row of the matrix.
template <bool Consecutive> inline void load(const double *row, const std::uint32_t *candidates, Lanes &lanes) {
    if constexpr (Consecutive) {
        __builtin_memcpy(&lanes, row + candidates[0], sizeof(Lanes));
    } else {
        for (std::size_t i = 0; i < gaussian_lanes; ++i) {
            lanes[i] = row[candidates[i]];
        }
    }
}

struct Sums {
    Lanes log_residuals;
    Lanes log_pivots;
};

// Eight candidates; see GaussianFactor for v, l and the order of the differences.
template <bool Consecutive, bool WithPivots>
void add_eight(const GaussianMatrix &matrix, const GaussianFactor &factor, const std::uint32_t *candidates, Lanes *work,
               Sums &sums) {
    const std::size_t m = factor.n_rows;
    const std::size_t n_done = factor.n_done;
    const std::size_t n_left = m - n_done;
    Lanes *v = work;               // of the candidate's row, then of the row at hand
    Lanes *l = v + m;              // of the candidate's row
    Lanes *l_of_candidate = l + m; // in the rows that are left
    Lanes *inverses = l_of_candidate + m;
    Lanes *l_left = inverses + m; // of the rows that are left, in their own columns
    const Lanes zero{};

    Lanes diagonal;
    load<Consecutive>(matrix.diagonal, candidates, diagonal);
    Lanes pivot = diagonal;
    for (std::size_t a = 0; a < n_done; ++a) {
        Lanes entry;
        load<Consecutive>(matrix.values + factor.columns[a] * matrix.n_columns, candidates, entry);
        const double *scaled = factor.scaled + a * m;
        for (std::size_t k = 0; k < a; ++k) {
            entry -= v[k] * scaled[k];
        }
        v[a] = entry;
        l[a] = entry * factor.inverses[a];
        pivot -= v[a] * l[a];
    }
    const Lanes inverse = pivot > diagonal * arcwise::redundant_pivot ? 1.0 / pivot : zero;
    sums.log_residuals = zero;
    if constexpr (WithPivots) {
        Lanes floor;
        load<Consecutive>(matrix.floors, candidates, floor);
        const Lanes kept = pivot > floor ? pivot : floor;
        sums.log_pivots = factor.log_pivots + natural_log<Lanes, Wholes>(kept);
    }

    for (std::size_t t = 0; t < n_left; ++t) {
        const std::size_t row = n_done + t;
        const std::size_t column = factor.columns[row];
        const double *known = factor.values + row * m;
        Lanes entry;
        load<Consecutive>(matrix.values + column * matrix.n_columns, candidates, entry);
        for (std::size_t k = 0; k < n_done; ++k) {
            entry -= known[k] * l[k];
        }
        l_of_candidate[t] = entry * inverse;
        Lanes *l_of_row = l_left + t * n_left;
        Lanes rest = known[row] - entry * l_of_candidate[t];
        for (std::size_t b = 0; b < t; ++b) {
            const Lanes *l_of_b = l_left + b * n_left;
            Lanes below = known[n_done + b] - entry * l_of_candidate[b];
            for (std::size_t k = 0; k < b; ++k) {
                below -= v[k] * l_of_b[k];
            }
            v[b] = below;
            l_of_row[b] = below * inverses[b];
            rest -= below * l_of_row[b];
        }
        if (t + 1 < n_left) {
            inverses[t] = rest > matrix.diagonal[column] * arcwise::redundant_pivot ? 1.0 / rest : zero;
        }
        const bool is_child = row >= factor.n_parents;
        if (is_child || WithPivots) {
            const Lanes floor = zero + matrix.floors[column];
            const Lanes kept = rest > floor ? rest : floor;
            (is_child ? sums.log_residuals : sums.log_pivots) += natural_log<Lanes, Wholes>(kept);
        }
    }
}

template <bool Consecutive>
void add_some(const GaussianMatrix &matrix, const GaussianFactor &factor, const std::uint32_t *candidates, Lanes *work,
              bool with_pivots, Sums &sums) {
    if (with_pivots) {
        add_eight<Consecutive, true>(matrix, factor, candidates, work, sums);
    } else {
        add_eight<Consecutive, false>(matrix, factor, candidates, work, sums);
    }
}

void add_columns(const GaussianMatrix &matrix, const GaussianFactor &factor, const std::uint32_t *candidates,
                 std::size_t n_candidates, double *work, double *log_residuals, double *log_pivots) {
    Lanes *lanes = reinterpret_cast<Lanes *>(work);
    for (std::size_t begin = 0; begin < n_candidates; begin += gaussian_lanes) {
        const std::size_t left = n_candidates - begin;
        const std::size_t n = left < gaussian_lanes ? left : gaussian_lanes;
        std::uint32_t eight[gaussian_lanes]; // the last one again where there are fewer
        bool are_consecutive = true;
        for (std::size_t i = 0; i < gaussian_lanes; ++i) {
            eight[i] = candidates[begin + (i < n ? i : n - 1)];
            are_consecutive = are_consecutive && eight[i] == eight[0] + i;
        }
        Sums sums;
        if (are_consecutive) {
            add_some<true>(matrix, factor, eight, lanes, log_pivots != nullptr, sums);
        } else {
            add_some<false>(matrix, factor, eight, lanes, log_pivots != nullptr, sums);
        }
        __builtin_memcpy(log_residuals + begin, &sums.log_residuals, n * sizeof(double));
        if (log_pivots != nullptr) {
            __builtin_memcpy(log_pivots + begin, &sums.log_pivots, n * sizeof(double));
        }
    }
}

double multiply_subtract(std::size_t repeats) {
    constexpr std::size_t n_sums = 8; // as many as hide the time that one takes
    Lanes sums[n_sums]{};
    Lanes factor = Lanes{} + 1.0;
    for (std::size_t i = 0; i < repeats; ++i) {
        for (Lanes &sum : sums) {
            sum -= factor * sum;
        }
        asm volatile("" : "+m"(factor)); // so that nothing is known of it
    }
    double total = 0.0;
    for (const Lanes &sum : sums) {
        total += sum[0];
    }
    return total;
}

} // namespace
