// A table of parent sets, as the kernels read it, with the numpy arrays it borrows.
#pragma once

#include "arcwise/set_list.hpp"

#include <nanobind/nanobind.h>

namespace arcwise::bindings {

struct BoundTable {
    nanobind::object arrays;
    SetTable table;
};

} // namespace arcwise::bindings
