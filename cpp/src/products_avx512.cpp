#include "arcwise/product_kernels.hpp"
#include "product_loops.hpp"

namespace arcwise {

const ProductKernels avx512::products{gather, add_products};

} // namespace arcwise
