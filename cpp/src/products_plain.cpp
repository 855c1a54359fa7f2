#include "arcwise/product_kernels.hpp"
#include "product_loops.hpp"

namespace arcwise {

const ProductKernels plain::products{gather, add_products};

const ProductKernels &product_kernels(Instructions instructions) {
#ifdef ARCWISE_X86_KERNELS
    if (instructions == Instructions::avx512) {
        return avx512::products;
    }
    if (instructions == Instructions::avx2) {
        return avx2::products;
    }
#else
    (void)instructions;
#endif
    return plain::products;
}

} // namespace arcwise
