// The loops of ProductKernels. The compiler makes the vector code: each set of kernels includes this and gets a version
// in its own instructions. It calls no inline function of a shared header, of which the linker could keep that version.
#pragma once

#include "lanes.hpp"

#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t parts = 8;

// As many numbers as one instruction takes.
#if defined(__AVX512F__)
constexpr std::size_t width = 8;
constexpr std::size_t most_products = 8;
#elif defined(__AVX2__)
constexpr std::size_t width = 4;
constexpr std::size_t most_products = 4;
#else
constexpr std::size_t width = 2;
constexpr std::size_t most_products = 2; // all sums of so many products at a time fit the registers
#endif
using Products = LaneTypes<double, width>::Aligned;
constexpr std::size_t pieces = parts / width;

void gather(const double *column, double at_first, const std::uint32_t *rows, std::size_t n, const double *roots,
            double *out) {
    if (n > 0 && rows[n - 1] - rows[0] == n - 1) { // ascending without a gap
        const double *from = column + rows[0];
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = (from[i] - at_first) * roots[i];
        }
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = (column[rows[i]] - at_first) * roots[i];
        }
    }
    for (std::size_t i = n; i % parts != 0; ++i) {
        out[i] = 0.0;
    }
}

template <std::size_t Together>
void add_some(const double *a, const double *const *others, std::size_t n, bool is_first, double *sums) {
    auto *kept = reinterpret_cast<Products *>(sums);
    Products sum[Together][pieces];
    for (std::size_t o = 0; o < Together; ++o) {
        for (std::size_t p = 0; p < pieces; ++p) {
            sum[o][p] = is_first ? Products{} : kept[o * pieces + p];
        }
    }
    for (std::size_t i = 0; i < n; i += parts) {
        for (std::size_t p = 0; p < pieces; ++p) {
            const Products one = *reinterpret_cast<const Products *>(a + i + p * width);
            for (std::size_t o = 0; o < Together; ++o) {
                sum[o][p] += one * *reinterpret_cast<const Products *>(others[o] + i + p * width);
            }
        }
    }
    for (std::size_t o = 0; o < Together; ++o) {
        for (std::size_t p = 0; p < pieces; ++p) {
            kept[o * pieces + p] = sum[o][p];
        }
    }
}

// As many at a time as fit the registers, then half as many, and so on.
template <std::size_t Together>
void add_rest(const double *a, const double *const *others, std::size_t n_others, std::size_t n, bool is_first,
              double *sums) {
    std::size_t o = 0;
    for (; o + Together <= n_others; o += Together) {
        add_some<Together>(a, others + o, n, is_first, sums + o * parts);
    }
    if constexpr (Together > 1) {
        add_rest<Together / 2>(a, others + o, n_others - o, n, is_first, sums + o * parts);
    }
}

void add_products(const double *a, const double *const *others, std::size_t n_others, std::size_t n, bool is_first,
                  double *sums) {
    add_rest<most_products>(a, others, n_others, n, is_first, sums);
}

} // namespace
