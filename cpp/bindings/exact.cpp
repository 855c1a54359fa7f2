#include "arcwise/best_classes.hpp"
#include "arcwise/subset_programme.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_table.hpp"

#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {

void bind_exact(nb::module_ &module) {
    nb::class_<BestOrder>(module, "BestOrder", "An order whose best graph no other order exceeds.")
        .def_prop_ro(
            "order",
            [](const BestOrder &self) {
                return to_numpy(std::vector<std::int64_t>(self.order.begin(), self.order.end()));
            },
            nb::rv_policy::move)
        .def_ro("score", &BestOrder::score)
        .def_ro("stopped_by", &BestOrder::stopped_by);
    module.attr("max_programme_variables") = max_programme_variables;
    module.def(
        "best_order",
        [](const BoundTable &table, std::size_t workers, Budget &budget) {
            const nb::gil_scoped_release release;
            return best_order(table.table, workers, budget);
        },
        "table"_a, "workers"_a, "budget"_a,
        "The best order of few variables; none where no order gives every variable a set.");
    module.def(
        "best_order_bytes",
        [](const BoundTable &table, std::size_t workers) { return best_order_bytes(table.table, workers); }, "table"_a,
        "workers"_a, "The memory that best_order needs.");
    nb::class_<ScoredGraph>(module, "ScoredGraph", "The parents of each variable, and the score.")
        .def_ro("parents", &ScoredGraph::parents)
        .def_ro("score", &ScoredGraph::score);
    nb::class_<BestClasses>(module, "BestClasses", "The best graphs of different equivalence classes, best first.")
        .def_ro("graphs", &BestClasses::graphs)
        .def_ro("stopped_by", &BestClasses::stopped_by);
    module.attr("max_class_variables") = max_class_variables;
    module.def(
        "best_classes",
        [](const BoundTable &table, std::size_t k, std::size_t workers, Budget &budget) {
            const nb::gil_scoped_release release;
            return best_classes(table.table, k, workers, budget);
        },
        "table"_a, "k"_a, "workers"_a, "budget"_a, "The k best equivalence classes of few variables.");
    module.def(
        "best_classes_bytes", [](const BoundTable &table, std::size_t k) { return best_classes_bytes(table.table, k); },
        "table"_a, "k"_a, "The memory that best_classes needs at most.");
}

} // namespace arcwise::bindings
