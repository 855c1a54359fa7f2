// The loops of exact inference for AVX-512. This file alone is compiled with those instructions.
#include "clique_loops.hpp"

namespace arcwise::avx512 {

const CliqueKernels cliques{Instructions::avx512, lane_kernels<1>, lane_kernels<clique_lanes>};

} // namespace arcwise::avx512
