#include "arcwise/class_search.hpp"

#include "arc_rules.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"
#include "parent_lists.hpp"

#include <nanobind/stl/vector.h>

#include <limits>
#include <stdexcept>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

// Calls kernel(additions, rules, start) without the lock of the interpreter.
template <class Kernel>
auto run(BoundScore &score, const BoolMatrix &allowed, const BoolMatrix &required, const ParentLimits &max_parents,
         ParentLists start, Kernel &&kernel) {
    const std::size_t n = score.score.n_variables();
    if (n > std::numeric_limits<Member>::max()) {
        throw std::invalid_argument("searches over equivalence classes are for at most 65,535 variables");
    }
    const ArcRules rules = checked_rules(n, allowed, required, max_parents);
    start = checked_lists(n, std::move(start));
    const nb::gil_scoped_release release;
    return kernel(score.rows, rules, start);
}

} // namespace

void bind_classes(nb::module_ &module) {
    nb::class_<ClassSearchResult>(module, "ClassSearchResult",
                                  "Where a climb over classes ended, and how it got there.")
        .def_ro("parents", &ClassSearchResult::parents)
        .def_ro("score", &ClassSearchResult::score)
        .def_ro("stopped_by", &ClassSearchResult::stopped_by)
        .def_ro("insertions", &ClassSearchResult::insertions)
        .def_ro("deletions", &ClassSearchResult::deletions)
        .def_ro("turns", &ClassSearchResult::turns);
    nb::class_<ClassNeighbour>(module, "ClassNeighbour", "A class next to another, by one of its graphs.")
        .def_ro("parents", &ClassNeighbour::parents)
        .def_ro("gain", &ClassNeighbour::gain);
    module.def(
        "search_classes",
        [](BoundScore &score, const BoolMatrix &allowed, const BoolMatrix &required, const ParentLimits &max_parents,
           double k, bool turning, ParentLists start, std::uint64_t seed, Budget &budget) {
            return run(score, allowed, required, max_parents, std::move(start),
                       [&](AdditionRows &additions, const ArcRules &rules, const ParentLists &first) {
                           return search_classes(additions, rules, k, turning, first, seed, budget);
                       });
        },
        "score"_a, "allowed"_a.noconvert(), "required"_a.noconvert(), "max_parents"_a.noconvert(), "k"_a, "turning"_a,
        "start"_a, "seed"_a, "budget"_a, "Move to the best of a random share of the better classes next to this one.");
    module.def(
        "search_classes_by_phases",
        [](BoundScore &score, const BoolMatrix &allowed, const BoolMatrix &required, const ParentLimits &max_parents,
           bool turning, ParentLists start, std::uint64_t seed, Budget &budget) {
            return run(score, allowed, required, max_parents, std::move(start),
                       [&](AdditionRows &additions, const ArcRules &rules, const ParentLists &first) {
                           return search_classes_by_phases(additions, rules, turning, first, seed, budget);
                       });
        },
        "score"_a, "allowed"_a.noconvert(), "required"_a.noconvert(), "max_parents"_a.noconvert(), "turning"_a,
        "start"_a, "seed"_a, "budget"_a, "Insert edges while that improves the class, then delete edges.");
    module.def(
        "search_classes_deleting_first",
        [](BoundScore &score, const BoolMatrix &allowed, const BoolMatrix &required, const ParentLimits &max_parents,
           bool turning, bool extended, ParentLists start, std::uint64_t seed, Budget &budget) {
            return run(score, allowed, required, max_parents, std::move(start),
                       [&](AdditionRows &additions, const ArcRules &rules, const ParentLists &first) {
                           return search_classes_deleting_first(additions, rules, turning, extended, first, seed,
                                                                budget);
                       });
        },
        "score"_a, "allowed"_a.noconvert(), "required"_a.noconvert(), "max_parents"_a.noconvert(), "turning"_a,
        "extended"_a, "start"_a, "seed"_a, "budget"_a,
        "Delete edges before others are turned or inserted, then try what comes of each deletion.");
    module.def(
        "neighbours_of_class",
        [](BoundScore &score, const BoolMatrix &allowed, const BoolMatrix &required, const ParentLimits &max_parents,
           bool turning, ParentLists graph, Budget &budget) {
            return run(score, allowed, required, max_parents, std::move(graph),
                       [&](AdditionRows &additions, const ArcRules &rules, const ParentLists &first) {
                           return neighbours_of_class(additions, rules, turning, first, budget);
                       });
        },
        "score"_a, "allowed"_a.noconvert(), "required"_a.noconvert(), "max_parents"_a.noconvert(), "turning"_a,
        "graph"_a, "budget"_a, "All classes next to that of a graph, each once.");
}

} // namespace arcwise::bindings
