// Sums of products of columns over chosen rows, in the widest instructions the machine has.
#pragma once

#include "arcwise/bits.hpp"

#include <cstddef>
#include <cstdint>

namespace arcwise {

// Sums are kept in so many parts, of which the i-th row of a group adds to part i mod 8: each part is added up row
// after row, without fused multiplication, so that a sum is the same to the last bit in whatever instructions and
// blocks.
inline constexpr std::size_t product_parts = 8;

struct ProductKernels {
    // out[i] = (column[rows[i]] − column's value `at_first`) · roots[i], and 0 from n up to a multiple of
    // product_parts.
    void (*gather)(const double *column, double at_first, const std::uint32_t *rows, std::size_t n, const double *roots,
                   double *out);
    // Adds Σ a[i] · others[o][i] to the parts at sums + o · product_parts, or sets them where there was nothing before.
    // Buffers are aligned to 64 bytes; n is a multiple of product_parts.
    void (*add_products)(const double *a, const double *const *others, std::size_t n_others, std::size_t n,
                         bool is_first, double *sums);
};

// Those of the instructions that the bit kernels use.
[[nodiscard]] const ProductKernels &product_kernels(Instructions instructions);

namespace plain {
extern const ProductKernels products;
}
namespace avx2 {
extern const ProductKernels products;
}
namespace avx512 {
extern const ProductKernels products;
}

} // namespace arcwise
