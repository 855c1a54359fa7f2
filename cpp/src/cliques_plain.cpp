// The loops of exact inference in portable C++, and the choice among the three.
#include "clique_loops.hpp"

namespace arcwise {
namespace plain {

const CliqueKernels cliques{Instructions::plain, lane_kernels<1>, lane_kernels<clique_lanes>};

} // namespace plain

const CliqueKernels &clique_kernels(std::string_view name) {
#if defined(ARCWISE_X86_KERNELS)
    switch (bit_kernels(name).instructions) {
    case Instructions::avx512:
        return avx512::cliques;
    case Instructions::avx2:
        return avx2::cliques;
    case Instructions::neon:
    case Instructions::plain:
        break;
    }
#else
    (void)bit_kernels(name); // refuses what is unknown
#endif
    return plain::cliques;
}

} // namespace arcwise
