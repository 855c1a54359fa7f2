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
    nb::class_<Clock>(module, "Clock", "The machine's time, which does not follow changes of the calendar's.")
        .def(nb::init<>());
    nb::class_<ProcessorClock, Clock>(module, "ProcessorClock",
                                      "What the processor has done for this process, all threads together.")
        .def(nb::init<>());
    nb::class_<SteppedClock, Clock>(module, "SteppedClock",
                                    "Time that passes by looks at budgets, for tests; other threads than the one that "
                                    "has made it wait when all looks that are allowed were taken.")
        .def(nb::init<double, std::uint64_t>(), "seconds_per_look"_a = 0.0, "allowed"_a = SteppedClock::no_limit)
        .def("allow", &SteppedClock::allow, "more"_a, "Allow so many looks more than were taken.")
        .def_prop_ro("looks", &SteppedClock::looks, "How often was looked, those who wait included.");
    nb::class_<Budget>(module, "Budget", "One deadline, evaluation limit and interrupt flag; the clock starts at once.")
        .def(
            "__init__",
            [](Budget *self, double seconds, std::uint64_t evaluations, Budget *whole, double used, bool apart,
               std::size_t threads, Clock *clock) {
                Clock &told_by = clock == nullptr ? Clock::of_the_machine() : *clock;
                new (self) Budget(seconds, evaluations, whole, used, apart, threads, told_by);
            },
            "seconds"_a = Budget::no_time_limit, "evaluations"_a = Budget::no_evaluation_limit,
            "whole"_a.none() = nb::none(), "used"_a = 0.0, "apart"_a = false, "threads"_a = 1,
            "clock"_a.none() = nb::none(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 8>())
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
        // Who looks may have to wait, and others must not wait for Python's lock meanwhile.
        .def_prop_ro("reason", &Budget::reason, nb::call_guard<nb::gil_scoped_release>(), "Why work must stop now.")
        .def_prop_ro("exhausted", &Budget::exhausted, nb::call_guard<nb::gil_scoped_release>(),
                     "Whether work must stop now.")
        .def_prop_ro("elapsed", &Budget::elapsed, "Seconds since the budget was made, and those used before.")
        .def_prop_ro("seconds", &Budget::seconds, "The time limit; infinite when there is none.")
        .def_prop_ro("threads", &Budget::threads,
                     "How many threads a kernel may use; one where evaluations are limited.")
        .def_prop_ro("evaluations", &Budget::evaluations, "Evaluations so far.")
        .def_prop_ro("evaluation_limit", &Budget::evaluation_limit,
                     "The limit; the largest integer when there is none.");
}

} // namespace arcwise::bindings
