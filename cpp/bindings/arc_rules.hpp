// Constraints that come from Python as matrices, once, and go to many kernels.
#pragma once

#include "arcwise/arc_rules.hpp"

#include "arrays.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

namespace arcwise::bindings {

using BoolMatrix = nanobind::ndarray<const bool, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using NodeLimits = Flat<std::int32_t>;

class BoundRules {
  public:
    BoundRules(BoolMatrix allowed, BoolMatrix required, NodeLimits max_parents, NodeLimits max_degree);

    [[nodiscard]] std::size_t n_variables() const noexcept { return rules_.max_parents.size(); }

    // The rules for kernels over so many variables. Kernels only read them, from any number of threads.
    [[nodiscard]] const ArcRules &over(std::size_t n) const {
        if (n_variables() != n) {
            throw std::invalid_argument("the constraints are for another number of variables");
        }
        return rules_;
    }

  private:
    BoolMatrix allowed_; // keep the borrowed memory alive
    BoolMatrix required_;
    NodeLimits max_parents_;
    NodeLimits max_degree_;
    ArcRules rules_;
};

} // namespace arcwise::bindings
