// The loops of exact inference: products of tables and sums over them, for several rows of evidence side by side.
#pragma once

#include "arcwise/bits.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace arcwise {

inline constexpr std::size_t clique_lanes = 8; // rows side by side

// A table with one number for each lane in every cell, seen from the cells of a clique: cell (o, i) of the clique is
// cell outer[o] + inner[i] of the table.
struct LaneTable {
    std::size_t begin; // in cells of the workspace
    const std::uint32_t *outer;
    const std::uint32_t *inner;
};

// One pass over the cells of a clique: the product of all that comes in is added to all that goes out (or the largest
// is kept). The first of the tables on either side depend on both parts of a cell, the others on the outer part alone.
struct CliquePass {
    std::size_t n_outer;
    std::size_t n_inner;
    const double *fixed; // the same for all lanes
    const std::uint32_t *fixed_outer;
    const std::uint32_t *fixed_inner;
    const LaneTable *in;
    std::size_t n_in;
    std::size_t n_in_outer;
    const LaneTable *out;
    std::size_t n_out;
    std::size_t n_out_outer;
};

// What is done with `n_lanes` rows at a time, in a workspace that is aligned to a cell of all lanes. The lanes do not
// touch each other, so that a row's numbers are the same in whatever company, and every operation is rounded by itself,
// the same for all instructions.
struct LaneKernels {
    std::size_t n_lanes;

    // Over the outer cells from begin to end.
    void (*add)(const CliquePass &pass, std::size_t begin, std::size_t end, double *workspace);
    void (*keep_largest)(const CliquePass &pass, std::size_t begin, std::size_t end, double *workspace);

    // Multiplies each lane by a power of two so that its largest number is from 0.5 to below 1; a lane of zeros stays
    // as it is. What the exponents of the true numbers are higher by is added.
    void (*rescale)(double *table, std::size_t n_cells, double *exponents);

    // The first becomes its quotient by the second; 0 where that is 0.
    void (*divide)(double *table, const double *by, std::size_t n_cells);
};

struct CliqueKernels {
    Instructions instructions;
    LaneKernels single;   // one row
    LaneKernels together; // clique_lanes of them
};

// The best kernels this machine runs, or the named ones, as with bit_kernels.
[[nodiscard]] const CliqueKernels &clique_kernels(std::string_view name = "auto");

namespace plain {
extern const CliqueKernels cliques;
}
namespace avx2 {
extern const CliqueKernels cliques;
}
namespace avx512 {
extern const CliqueKernels cliques;
}

} // namespace arcwise
