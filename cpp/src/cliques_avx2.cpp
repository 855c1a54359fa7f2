// The loops of exact inference for AVX2. This file alone is compiled with those instructions.
#include "clique_loops.hpp"

namespace arcwise::avx2 {

const CliqueKernels cliques{Instructions::avx2, lane_kernels<1>, lane_kernels<clique_lanes>};

} // namespace arcwise::avx2
