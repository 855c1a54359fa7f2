#include "arcwise/budget.hpp"

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {

void bind_budget(nb::module_ &module) {
    nb::enum_<StopReason>(module, "StopReason", "Why work had to stop.")
        .value("none", StopReason::none)
        .value("time", StopReason::time)
        .value("evaluations", StopReason::evaluations)
        .value("interrupt", StopReason::interrupt);
    nb::class_<Budget>(module, "Budget", "One deadline, evaluation limit and interrupt flag; the clock starts at once.")
        .def(nb::init<double, std::uint64_t, Budget *, double>(), "seconds"_a = Budget::no_time_limit,
             "evaluations"_a = Budget::no_evaluation_limit, "whole"_a.none() = nb::none(), "used"_a = 0.0,
             nb::keep_alive<1, 4>())
        .def("interrupt", &Budget::interrupt, "Ask all work on this budget to stop soon.")
        .def("charge", &Budget::charge, "evaluations"_a, "Count evaluations against the limit.")
        .def_prop_ro("reason", &Budget::reason, "Why work must stop now.")
        .def_prop_ro("exhausted", &Budget::exhausted, "Whether work must stop now.")
        .def_prop_ro("elapsed", &Budget::elapsed, "Seconds since the budget was made, and those used before.")
        .def_prop_ro("seconds", &Budget::seconds, "The time limit; infinite when there is none.")
        .def_prop_ro("evaluations", &Budget::evaluations, "Evaluations so far.")
        .def_prop_ro("evaluation_limit", &Budget::evaluation_limit,
                     "The limit; the largest integer when there is none.");
}

} // namespace arcwise::bindings
