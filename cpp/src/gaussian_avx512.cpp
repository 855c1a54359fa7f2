// The Gaussian kernel for AVX-512. This file alone is compiled with those instructions, so it calls no inline function
// of a shared header: the linker could keep its copy for machines that lack them.
#include "gaussian_lanes.hpp"

namespace arcwise::avx512 {

const GaussianKernels gaussian{Instructions::avx512, &add_columns, &multiply_subtract};

} // namespace arcwise::avx512
