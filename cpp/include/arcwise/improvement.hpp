// A point of a search's trace.
#pragma once

#include <cstdint>

namespace arcwise {

struct Improvement {
    double seconds;
    std::uint64_t evaluations;
    double score;
};

} // namespace arcwise
