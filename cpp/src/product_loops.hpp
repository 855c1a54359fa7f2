// The loops of ProductKernels. The compiler makes the vector code: each set of kernels includes this and gets a version
// in its own instructions. It calls no inline function of a shared header, of which the linker could keep that version.
#pragma once

#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t parts = 8;

// One for each part; as wide as the widest instructions, and made of several narrower ones elsewhere.
using Parts [[gnu::vector_size(parts * sizeof(double)), gnu::may_alias]] = double;

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
    auto *kept = reinterpret_cast<Parts *>(sums);
    Parts sum[Together];
    for (std::size_t o = 0; o < Together; ++o) {
        sum[o] = is_first ? Parts{} : kept[o];
    }
    for (std::size_t i = 0; i < n; i += parts) {
        const Parts one = *reinterpret_cast<const Parts *>(a + i);
        for (std::size_t o = 0; o < Together; ++o) {
            sum[o] += one * *reinterpret_cast<const Parts *>(others[o] + i);
        }
    }
    for (std::size_t o = 0; o < Together; ++o) {
        kept[o] = sum[o];
    }
}

void add_products(const double *a, const double *const *others, std::size_t n_others, std::size_t n, bool is_first,
                  double *sums) {
    std::size_t o = 0;
    for (; o + 4 <= n_others; o += 4) {
        add_some<4>(a, others + o, n, is_first, sums + o * parts);
    }
    for (; o + 2 <= n_others; o += 2) {
        add_some<2>(a, others + o, n, is_first, sums + o * parts);
    }
    if (o < n_others) {
        add_some<1>(a, others + o, n, is_first, sums + o * parts);
    }
}

} // namespace
