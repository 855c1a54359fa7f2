// A graph by the parents of each node.
#pragma once

#include "arcwise/table_view.hpp"

#include <vector>

namespace arcwise {

using ParentLists = std::vector<std::vector<Variable>>;

} // namespace arcwise
