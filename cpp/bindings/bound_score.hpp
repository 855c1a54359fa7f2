// A LocalScore with the arrays it borrows.
#pragma once

#include "arcwise/addition_rows.hpp"
#include "arcwise/local_score.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <vector>

namespace arcwise::bindings {

template <class Code>
using Codes = nanobind::ndarray<const Code, nanobind::ndim<2>, nanobind::f_contig, nanobind::device::cpu>;
using Weights = nanobind::ndarray<const std::uint32_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

struct BoundScore {
    nanobind::object codes; // keep the borrowed memory alive
    nanobind::object weights;
    LocalScore score;
    std::size_t row_bytes;
    mutable AdditionRows rows{score, row_bytes};
};

} // namespace arcwise::bindings
