// Constraints that come from Python as matrices.
#pragma once

#include "arcwise/arc_rules.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

namespace arcwise::bindings {

using BoolMatrix = nanobind::ndarray<const bool, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using ParentLimits =
    nanobind::ndarray<const std::int32_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// Views of the arrays, which must live as long as the rules.
inline ArcRules checked_rules(std::size_t n, const BoolMatrix &allowed, const BoolMatrix &required,
                              const ParentLimits &max_parents) {
    if (allowed.shape(0) != n || allowed.shape(1) != n || required.shape(0) != n || required.shape(1) != n ||
        max_parents.shape(0) != n) {
        throw std::invalid_argument("the constraints are for another number of variables");
    }
    const auto bytes = [](const BoolMatrix &matrix) {
        return std::span(reinterpret_cast<const std::uint8_t *>(matrix.data()), matrix.size());
    };
    return {bytes(allowed), bytes(required), {max_parents.data(), n}};
}

} // namespace arcwise::bindings
