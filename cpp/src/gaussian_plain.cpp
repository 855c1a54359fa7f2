// The Gaussian kernel in portable C++, and the choice among the three.
#include "gaussian_lanes.hpp"

namespace arcwise {
namespace plain {

const GaussianKernels gaussian{Instructions::plain, &add_columns, &multiply_subtract};

} // namespace plain

const GaussianKernels &gaussian_kernels(std::string_view name) {
#if defined(ARCWISE_X86_KERNELS)
    switch (bit_kernels(name).instructions) {
    case Instructions::avx512:
        return avx512::gaussian;
    case Instructions::avx2:
        return avx2::gaussian;
    case Instructions::neon:
    case Instructions::plain:
        break;
    }
#else
    (void)bit_kernels(name); // refuses what is unknown
#endif
    return plain::gaussian;
}

} // namespace arcwise
