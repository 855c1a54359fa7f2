// One more column for a factored family of a symmetric matrix, several candidates at a time, in the widest instructions
// the machine has.
#pragma once

#include "arcwise/bits.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace arcwise {

inline constexpr std::size_t gaussian_lanes = 16; // candidates at a time, at most
// A column whose pivot is no more than this part of its diagonal says nothing that those before it do not.
inline constexpr double redundant_pivot = 1e-10;

// The matrix that families are cut from.
struct GaussianMatrix {
    const double *values;   // n_columns × n_columns, symmetric
    const double *diagonal; // the same as in `values`, in a row
    const double *floors;   // what a pivot is taken for where it is below
    std::size_t n_columns;
};

// A family's columns, those of its parents in ascending order and then the child's, of which the first n_done are
// eliminated. With v and l = v / pivot (0 where that is redundant), entry (a, b) of the rest is
// G_ab − Σ v_ak l_bk over k = 0, 1, …, n_done − 1 in this order, each difference rounded.
struct GaussianFactor {
    const std::uint32_t *columns; // of the rows
    std::size_t n_rows;
    std::size_t n_parents; // rows; the others are the child's
    std::size_t n_done;
    const double *values;   // n_rows × n_rows, below the diagonal: v where b < n_done, else the rest
    const double *scaled;   // l where b < n_done
    const double *inverses; // of the n_done pivots; 0 where redundant
    double log_pivots;      // Σ ln of them
};

struct GaussianKernels {
    Instructions instructions;

    // For each of the candidates, ascending columns that come after the first n_done parents and before the others: the
    // sum of the logarithms of the child's pivots, and of all parents' where that is wanted (else null). The same to
    // the last bit as eliminating all columns one after the other. `work` has `gaussian_work` doubles, aligned to 64
    // bytes.
    void (*add_columns)(const GaussianMatrix &matrix, const GaussianFactor &factor, const std::uint32_t *candidates,
                        std::size_t n_candidates, double *work, double *log_residuals, double *log_pivots);

    // The bare loop: multiplications and subtractions without memory; returns how many. Only for measuring the machine.
    double (*multiply_subtract)(std::size_t repeats);
};

[[nodiscard]] constexpr std::size_t gaussian_work(std::size_t n_rows) noexcept {
    return gaussian_lanes * (n_rows * n_rows + 5 * n_rows);
}

// The best kernels this machine runs, or the named ones, as with bit_kernels.
[[nodiscard]] const GaussianKernels &gaussian_kernels(std::string_view name = "auto");

namespace plain {
extern const GaussianKernels gaussian;
}
namespace avx2 {
extern const GaussianKernels gaussian;
}
namespace avx512 {
extern const GaussianKernels gaussian;
}

} // namespace arcwise
