// The kernel of gaussian_kernels.hpp, included by one file for each instruction set. Whatever the instructions, every
// operation is the same and rounded by itself (-ffp-contract=off), and so are the answers.
#pragma once

#include "arcwise/gaussian_kernels.hpp"

#include "gaussian_log.hpp"
#include "lanes.hpp"

#include <cstring>
#include <type_traits>

namespace {

using arcwise::gaussian_lanes;
using arcwise::GaussianFactor;
using arcwise::GaussianMatrix;

// As wide as the instructions; several of them side by side, because each operation waits for the one before it.
#if defined(__AVX512F__)
constexpr std::size_t vector_doubles = 8;
constexpr std::size_t n_vectors = 2;
#elif defined(__AVX2__)
constexpr std::size_t vector_doubles = 4;
constexpr std::size_t n_vectors = 2;
#else
constexpr std::size_t vector_doubles = 2;
constexpr std::size_t n_vectors = 4;
#endif
constexpr std::size_t n_lanes = vector_doubles * n_vectors;
static_assert(n_lanes <= gaussian_lanes);

using Doubles = LaneTypes<double, vector_doubles>::Some;
using Wholes = LaneTypes<std::uint64_t, vector_doubles>::Some;
using Anywhere = LaneTypes<double, vector_doubles>::Anywhere;

// Copied part by part: g++ 12 copies the whole in pieces of 16 bytes, which the next load of a part has to wait for.
struct Lanes {
    Doubles parts[n_vectors];

    Lanes() = default;
    ARCWISE_INLINE Lanes(const Lanes &other) { *this = other; }
    // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): a part that is copied onto itself stays as it is.
    ARCWISE_INLINE Lanes &operator=(const Lanes &other) {
        for (std::size_t i = 0; i < n_vectors; ++i) {
            parts[i] = other.parts[i];
        }
        return *this;
    }
};

// parts[i] = make(i)
template <class Make> ARCWISE_INLINE void each(Lanes &lanes, const Make &make) {
    for (std::size_t i = 0; i < n_vectors; ++i) {
        lanes.parts[i] = make(i);
    }
}

// The candidates' entries of one row of the matrix.
template <bool Consecutive> ARCWISE_INLINE void load(const double *row, const std::uint32_t *candidates, Lanes &lanes) {
    if constexpr (Consecutive) {
        const double *first = row + candidates[0];
        each(lanes, [&](std::size_t i) { return *reinterpret_cast<const Anywhere *>(first + i * vector_doubles); });
    } else {
        each(lanes, [&](std::size_t i) {
            Doubles entries;
            for (std::size_t k = 0; k < vector_doubles; ++k) {
                entries[k] = row[candidates[i * vector_doubles + k]];
            }
            return entries;
        });
    }
}

ARCWISE_INLINE void store(const Lanes &lanes, double *to) {
    for (std::size_t i = 0; i < n_vectors; ++i) {
        *reinterpret_cast<Anywhere *>(to + i * vector_doubles) = lanes.parts[i];
    }
}

// from − a b, for Lanes or one number for all lanes
template <class B> ARCWISE_INLINE void subtract(Lanes &from, const Lanes &a, const B &b) {
    if constexpr (std::is_same_v<B, double>) {
        each(from, [&](std::size_t i) { return from.parts[i] - a.parts[i] * b; });
    } else {
        each(from, [&](std::size_t i) { return from.parts[i] - a.parts[i] * b.parts[i]; });
    }
}

// Of pivots; 0 where they are redundant.
template <class B> ARCWISE_INLINE void invert(Lanes &inverses, const Lanes &pivots, const B &diagonal) {
    each(inverses, [&](std::size_t i) {
        Doubles least;
        if constexpr (std::is_same_v<B, double>) {
            least = Doubles{} + diagonal * arcwise::redundant_pivot;
        } else {
            least = diagonal.parts[i] * arcwise::redundant_pivot;
        }
        const Doubles inverse = 1.0 / pivots.parts[i];
        return if_greater(pivots.parts[i], least, inverse, Doubles{});
    });
}

// The logarithms of pivots, or of their floors, added up.
template <class B> ARCWISE_INLINE void add_logs(Lanes &sums, const Lanes &pivots, const B &floors) {
    each(sums, [&](std::size_t i) {
        Doubles floor;
        if constexpr (std::is_same_v<B, double>) {
            floor = Doubles{} + floors;
        } else {
            floor = floors.parts[i];
        }
        const Doubles kept = if_greater(pivots.parts[i], floor, pivots.parts[i], floor);
        return sums.parts[i] + natural_log<Doubles, Wholes>(kept);
    });
}

ARCWISE_INLINE void fill(Lanes &lanes, double value) {
    each(lanes, [&](std::size_t) { return Doubles{} + value; });
}

struct Sums {
    Lanes log_residuals;
    Lanes log_pivots;
};

// As many candidates as there are lanes; see GaussianFactor for v, l and the order of the differences.
template <bool Consecutive, bool WithPivots>
void add_lanes(const GaussianMatrix &matrix, const GaussianFactor &factor, const std::uint32_t *candidates, Lanes *work,
               Sums &sums) {
    const std::size_t m = factor.n_rows;
    const std::size_t n_done = factor.n_done;
    const std::size_t n_left = m - n_done;
    Lanes *v = work;               // of the candidate's row, then of the row at hand
    Lanes *l = v + m;              // of the candidate's row
    Lanes *l_of_candidate = l + m; // in the rows that are left
    Lanes *inverses = l_of_candidate + m;
    Lanes *l_left = inverses + m; // of the rows that are left, in their own columns

    Lanes diagonal;
    load<Consecutive>(matrix.diagonal, candidates, diagonal);
    Lanes pivot = diagonal;
    for (std::size_t a = 0; a < n_done; ++a) {
        Lanes entry;
        load<Consecutive>(matrix.values + factor.columns[a] * matrix.n_columns, candidates, entry);
        const double *scaled = factor.scaled + a * m;
        for (std::size_t k = 0; k < a; ++k) {
            subtract(entry, v[k], scaled[k]);
        }
        v[a] = entry;
        each(l[a], [&](std::size_t i) { return entry.parts[i] * factor.inverses[a]; });
        subtract(pivot, entry, l[a]);
    }
    Lanes inverse;
    invert(inverse, pivot, diagonal);
    fill(sums.log_residuals, 0.0);
    if constexpr (WithPivots) {
        Lanes floors;
        load<Consecutive>(matrix.floors, candidates, floors);
        fill(sums.log_pivots, factor.log_pivots);
        add_logs(sums.log_pivots, pivot, floors);
    }

    for (std::size_t t = 0; t < n_left; ++t) {
        const std::size_t row = n_done + t;
        const std::size_t column = factor.columns[row];
        const double *known = factor.values + row * m;
        Lanes entry;
        load<Consecutive>(matrix.values + column * matrix.n_columns, candidates, entry);
        for (std::size_t k = 0; k < n_done; ++k) {
            subtract(entry, l[k], known[k]);
        }
        each(l_of_candidate[t], [&](std::size_t i) { return entry.parts[i] * inverse.parts[i]; });
        Lanes *l_of_row = l_left + t * n_left;
        Lanes rest;
        fill(rest, known[row]);
        subtract(rest, entry, l_of_candidate[t]);
        for (std::size_t b = 0; b < t; ++b) {
            const Lanes *l_of_b = l_left + b * n_left;
            Lanes below;
            fill(below, known[n_done + b]);
            subtract(below, entry, l_of_candidate[b]);
            for (std::size_t k = 0; k < b; ++k) {
                subtract(below, v[k], l_of_b[k]);
            }
            v[b] = below;
            each(l_of_row[b], [&](std::size_t i) { return below.parts[i] * inverses[b].parts[i]; });
            subtract(rest, below, l_of_row[b]);
        }
        if (t + 1 < n_left) {
            invert(inverses[t], rest, matrix.diagonal[column]);
        }
        if (row >= factor.n_parents) {
            add_logs(sums.log_residuals, rest, matrix.floors[column]);
        } else if constexpr (WithPivots) {
            add_logs(sums.log_pivots, rest, matrix.floors[column]);
        }
    }
}

template <bool WithPivots>
void add_all(const GaussianMatrix &matrix, const GaussianFactor &factor, const std::uint32_t *candidates,
             std::size_t n_candidates, Lanes *work, double *log_residuals, double *log_pivots) {
    std::size_t begin = 0;
    Sums sums;
    for (; begin + n_lanes <= n_candidates; begin += n_lanes) {
        const std::uint32_t *some = candidates + begin;
        if (some[n_lanes - 1] - some[0] == n_lanes - 1) {
            add_lanes<true, WithPivots>(matrix, factor, some, work, sums);
        } else {
            add_lanes<false, WithPivots>(matrix, factor, some, work, sums);
        }
        store(sums.log_residuals, log_residuals + begin);
        if constexpr (WithPivots) {
            store(sums.log_pivots, log_pivots + begin);
        }
    }
    if (begin < n_candidates) {
        std::uint32_t some[n_lanes]; // the last one again for lanes that are left
        for (std::size_t i = 0; i < n_lanes; ++i) {
            some[i] = candidates[begin + i < n_candidates ? begin + i : n_candidates - 1];
        }
        add_lanes<false, WithPivots>(matrix, factor, some, work, sums);
        std::memcpy(log_residuals + begin, sums.log_residuals.parts, (n_candidates - begin) * sizeof(double));
        if constexpr (WithPivots) {
            std::memcpy(log_pivots + begin, sums.log_pivots.parts, (n_candidates - begin) * sizeof(double));
        }
    }
}

void add_columns(const GaussianMatrix &matrix, const GaussianFactor &factor, const std::uint32_t *candidates,
                 std::size_t n_candidates, double *work, double *log_residuals, double *log_pivots) {
    Lanes *lanes = reinterpret_cast<Lanes *>(work);
    if (log_pivots != nullptr) {
        add_all<true>(matrix, factor, candidates, n_candidates, lanes, log_residuals, log_pivots);
    } else {
        add_all<false>(matrix, factor, candidates, n_candidates, lanes, log_residuals, log_pivots);
    }
}

double multiply_subtract(std::size_t repeats) {
    constexpr std::size_t n_sums = 12; // as many as hide the time that one takes
    Doubles sums[n_sums]{};
    const volatile double one = 1.0; // of which nothing is known
    for (std::size_t i = 0; i < repeats; ++i) {
        const Doubles factor = Doubles{} + one;
        for (Doubles &sum : sums) {
            sum -= factor * sum;
        }
    }
    double total = 0.0;
    for (const Doubles &sum : sums) {
        total += sum[0];
    }
    return total + 2.0 * static_cast<double>(n_sums * vector_doubles * repeats);
}

} // namespace
