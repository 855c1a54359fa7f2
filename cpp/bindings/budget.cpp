#include "arcwise/budget.hpp"

#include "bindings.hpp"

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <functional>
#include <optional>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {

void bind_budget(nb::module_ &module) {
    nb::enum_<StopReason>(module, "StopReason", "Why work had to stop.")
        .value("none", StopReason::none)
        .value("time", StopReason::time)
        .value("evaluations", StopReason::evaluations)
        .value("interrupt", StopReason::interrupt);
    nb::class_<Improvement>(module, "Improvement", "A point of a search's trace.")
        .def_ro("seconds", &Improvement::seconds)
        .def_ro("evaluations", &Improvement::evaluations)
        .def_ro("score", &Improvement::score);
    nb::class_<Budget>(module, "Budget", "One deadline, evaluation limit and interrupt flag; the clock starts at once.")
        .def(nb::init<double, std::uint64_t, Budget *, double, bool, std::size_t>(),
             "seconds"_a = Budget::no_time_limit, "evaluations"_a = Budget::no_evaluation_limit,
             "whole"_a.none() = nb::none(), "used"_a = 0.0, "apart"_a = false, "threads"_a = 1, nb::keep_alive<1, 4>())
        // The lock of the best graph comes before Python's: `parents` is called under it.
        .def(
            "show",
            [](Budget &budget, double score, double tolerance, const std::function<ParentLists()> &parents) {
                budget.show(score, tolerance, false, [&] {
                    const nb::gil_scoped_acquire acquire;
                    return parents();
                });
            },
            "score"_a, "tolerance"_a, "parents"_a, nb::call_guard<nb::gil_scoped_release>(),
            "Show a graph as kernels do; `parents` makes it where that is due.")
        .def(
            "take_improvements", [](Budget &budget) { return budget.best().take_points(); },
            nb::call_guard<nb::gil_scoped_release>(), "What kernels have improved since the last call, in order.")
        .def(
            "best_graph",
            [](Budget &budget) -> std::optional<std::pair<ParentLists, double>> {
                auto [parents, score] = budget.best().graph();
                return std::isinf(score) ? std::nullopt : std::optional(std::pair(std::move(parents), score));
            },
            nb::call_guard<nb::gil_scoped_release>(),
            "A good graph of the kernels that run, by its parents, and its score; None where there is none yet.")
        .def(
            "forget_graphs", [](Budget &budget) { budget.best().forget(); }, nb::call_guard<nb::gil_scoped_release>(),
            "Another search begins: what was shown is not its own.")
        .def("interrupt", &Budget::interrupt, "Ask all work on this budget to stop soon.")
        .def("charge", &Budget::charge, "evaluations"_a, "Count evaluations against the limit.")
        .def_prop_ro("reason", &Budget::reason, "Why work must stop now.")
        .def_prop_ro("exhausted", &Budget::exhausted, "Whether work must stop now.")
        .def_prop_ro("elapsed", &Budget::elapsed, "Seconds since the budget was made, and those used before.")
        .def_prop_ro("seconds", &Budget::seconds, "The time limit; infinite when there is none.")
        .def_prop_ro("threads", &Budget::threads,
                     "How many threads a kernel may use; one where evaluations are limited.")
        .def_prop_ro("evaluations", &Budget::evaluations, "Evaluations so far.")
        .def_prop_ro("evaluation_limit", &Budget::evaluation_limit,
                     "The limit; the largest integer when there is none.");
}

} // namespace arcwise::bindings
