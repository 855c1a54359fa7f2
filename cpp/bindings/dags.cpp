#include "arcwise/hill_climb.hpp"

#include "arc_rules.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"

#include <nanobind/stl/vector.h>

#include <stdexcept>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

HillClimbResult climb(const BoundScore &score, const BoolMatrix &allowed, const BoolMatrix &required,
                      const ParentLimits &max_parents, ParentLists start, std::uint64_t seed, Budget &budget) {
    const std::size_t n = score.score.n_variables();
    const ArcRules rules = checked_rules(n, allowed, required, max_parents);
    if (start.size() != n) {
        throw std::invalid_argument("the start is for another number of variables");
    }
    for (const auto &parents : start) {
        for (const Variable parent : parents) {
            if (parent >= n) {
                throw std::invalid_argument("the start names a variable that does not exist");
            }
        }
    }
    const nb::gil_scoped_release release;
    return hill_climb(score.score, rules, std::move(start), seed, budget);
}

} // namespace

void bind_dags(nb::module_ &module) {
    nb::class_<Improvement>(module, "Improvement", "A point of a search's trace.")
        .def_ro("seconds", &Improvement::seconds)
        .def_ro("evaluations", &Improvement::evaluations)
        .def_ro("score", &Improvement::score);
    nb::class_<HillClimbResult>(module, "HillClimbResult", "Where a climb ended, and how it got there.")
        .def_ro("parents", &HillClimbResult::parents)
        .def_ro("score", &HillClimbResult::score)
        .def_ro("stopped_by", &HillClimbResult::stopped_by)
        .def_ro("trace", &HillClimbResult::trace)
        .def_ro("additions", &HillClimbResult::additions)
        .def_ro("deletions", &HillClimbResult::deletions)
        .def_ro("reversals", &HillClimbResult::reversals);
    module.def("hill_climb", &climb, "score"_a, "allowed"_a.noconvert(), "required"_a.noconvert(),
               "max_parents"_a.noconvert(), "start"_a, "seed"_a, "budget"_a,
               "Add, delete or reverse one arc at a time, always the best, while that improves the score.");
}

} // namespace arcwise::bindings
