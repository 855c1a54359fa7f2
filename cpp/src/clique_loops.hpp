// The kernels of clique_kernels.hpp, included by one file for each instruction set. They call no inline function of a
// shared header, of which the linker could keep a version for other machines.
#pragma once

#include "arcwise/clique_kernels.hpp"

#include "lanes.hpp"

#include <cstring>

namespace {

using arcwise::CliquePass;
using arcwise::LaneTable;

constexpr std::size_t most_in = 4;  // tables that the compiler unrolls loops for; there may be more
constexpr std::size_t most_out = 3; // the same

// As many as Count, or all of them where that is the most.
template <std::size_t Count, std::size_t Most, class Work> ARCWISE_INLINE void each(std::size_t n, const Work &work) {
    for (std::size_t k = 0; k < Count; ++k) {
        work(k);
    }
    if constexpr (Count == Most) {
        for (std::size_t k = Count; k < n; ++k) {
            work(k);
        }
    }
}

template <class Some, bool Adds> ARCWISE_INLINE void join(Some &into, const Some &value) {
    if constexpr (Adds) {
        into += value;
    } else {
        into = if_greater(into, value, into, value);
    }
}

template <std::size_t N, bool Adds, std::size_t In, std::size_t Out>
void pass_over(const CliquePass &pass, std::size_t begin, std::size_t end, double *workspace) {
    using Some = LaneTypes<double, N>::Aligned;
    auto *const cells = reinterpret_cast<Some *>(workspace);
    const LaneTable *const in = pass.in;
    const LaneTable *const out = pass.out;
    for (std::size_t o = begin; o < end; ++o) {
        Some common = Some{} + 1.0;
        for (std::size_t k = pass.n_in; k < pass.n_in + pass.n_in_outer; ++k) {
            common *= cells[in[k].begin + in[k].outer[o]];
        }
        const double *const fixed = pass.fixed + pass.fixed_outer[o];
        const Some *from[most_in];
        each<In, 0>(0, [&](std::size_t k) { from[k] = cells + in[k].begin + in[k].outer[o]; });
        Some *to[most_out];
        each<Out, 0>(0, [&](std::size_t k) { to[k] = cells + out[k].begin + out[k].outer[o]; });
        Some whole = Some{};
        for (std::size_t i = 0; i < pass.n_inner; ++i) {
            const double factor = fixed[pass.fixed_inner[i]];
            if (factor == 0.0) { // as most cells of networks with deterministic nodes
                continue;
            }
            Some value = common * factor;
            each<In, most_in>(pass.n_in, [&](std::size_t k) {
                value *= k < In ? from[k][in[k].inner[i]] : cells[in[k].begin + in[k].outer[o] + in[k].inner[i]];
            });
            join<Some, Adds>(whole, value);
            each<Out, most_out>(pass.n_out, [&](std::size_t k) {
                join<Some, Adds>(
                    k < Out ? to[k][out[k].inner[i]] : cells[out[k].begin + out[k].outer[o] + out[k].inner[i]], value);
            });
        }
        for (std::size_t k = pass.n_out; k < pass.n_out + pass.n_out_outer; ++k) {
            join<Some, Adds>(cells[out[k].begin + out[k].outer[o]], whole);
        }
    }
}

template <std::size_t N, bool Adds, std::size_t In>
void with_outputs(const CliquePass &pass, std::size_t begin, std::size_t end, double *workspace) {
    switch (pass.n_out) {
    case 0:
        return pass_over<N, Adds, In, 0>(pass, begin, end, workspace);
    case 1:
        return pass_over<N, Adds, In, 1>(pass, begin, end, workspace);
    case 2:
        return pass_over<N, Adds, In, 2>(pass, begin, end, workspace);
    default:
        return pass_over<N, Adds, In, most_out>(pass, begin, end, workspace);
    }
}

template <std::size_t N, bool Adds>
void run_pass(const CliquePass &pass, std::size_t begin, std::size_t end, double *workspace) {
    switch (pass.n_in) {
    case 0:
        return with_outputs<N, Adds, 0>(pass, begin, end, workspace);
    case 1:
        return with_outputs<N, Adds, 1>(pass, begin, end, workspace);
    case 2:
        return with_outputs<N, Adds, 2>(pass, begin, end, workspace);
    case 3:
        return with_outputs<N, Adds, 3>(pass, begin, end, workspace);
    default:
        return with_outputs<N, Adds, most_in>(pass, begin, end, workspace);
    }
}

// Of a positive normal number: 2^-e where it is m 2^e with m from 0.5 to below 1, and e.
ARCWISE_INLINE double inverse_power(double number, double &exponent) {
    constexpr int bias = 1022;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    const int e = static_cast<int>(bits >> 52) - bias;
    exponent = e;
    const std::uint64_t power = static_cast<std::uint64_t>(1023 - e) << 52;
    double factor = 0.0;
    std::memcpy(&factor, &power, sizeof factor);
    return factor;
}

constexpr double smallest = 0x1p-1000;
constexpr double largest = 0x1p+1000;

template <std::size_t N> void rescale(double *table, std::size_t n_cells, double *exponents) {
    using Some = LaneTypes<double, N>::Aligned;
    auto *const cells = reinterpret_cast<Some *>(table);
    Some most = Some{};
    for (std::size_t i = 0; i < n_cells; ++i) {
        most = if_greater(most, cells[i], most, cells[i]);
    }
    double of_lanes[N];
    double factors[N];
    std::memcpy(of_lanes, &most, sizeof of_lanes);
    for (std::size_t lane = 0; lane < N; ++lane) {
        double exponent = 0.0;
        factors[lane] = 1.0;
        if (of_lanes[lane] > largest) {
            factors[lane] = smallest;
            exponent = 1000.0;
        } else if (of_lanes[lane] >= smallest) {
            factors[lane] = inverse_power(of_lanes[lane], exponent);
        } else if (of_lanes[lane] > 0.0) {
            factors[lane] = largest;
            exponent = -1000.0;
        }
        exponents[lane] += exponent;
    }
    Some factor;
    std::memcpy(&factor, factors, sizeof factor);
    for (std::size_t i = 0; i < n_cells; ++i) {
        cells[i] *= factor;
    }
}

template <std::size_t N> void divide(double *table, const double *by, std::size_t n_cells) {
    // A number below the least normal one has lost its digits, and its inverse may be infinite.
    constexpr double least = 0x1p-1022;
    for (std::size_t i = 0; i < n_cells * N; ++i) {
        table[i] = by[i] >= least ? table[i] / by[i] : 0.0;
    }
}

template <std::size_t N>
constexpr arcwise::LaneKernels lane_kernels{N, &run_pass<N, true>, &run_pass<N, false>, &rescale<N>, &divide<N>};

} // namespace
