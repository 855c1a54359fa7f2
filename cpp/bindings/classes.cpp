#include "arcwise/boundary_sampler.hpp"
#include "arcwise/class_search.hpp"

#include "bindings.hpp"
#include "climbs.hpp"

#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
void bind_classes(nb::module_ &module) {
    nb::class_<ClassSearchResult>(module, "ClassSearchResult",
                                  "Where a climb over classes ended, and how it got there.")
        .def_ro("parents", &ClassSearchResult::parents)
        .def_ro("score", &ClassSearchResult::score)
        .def_ro("stopped_by", &ClassSearchResult::stopped_by)
        .def_ro("insertions", &ClassSearchResult::insertions)
        .def_ro("deletions", &ClassSearchResult::deletions)
        .def_ro("reversals", &ClassSearchResult::reversals);
    nb::class_<ClassNeighbour>(module, "ClassNeighbour", "A class next to another, by one of its graphs.")
        .def_ro("parents", &ClassNeighbour::parents)
        .def_ro("gain", &ClassNeighbour::gain);
    module.def(
        "search_classes",
        [](const BoundScore &score, const BoundRules &rules, double k, bool reversing, ParentLists start,
           std::uint64_t seed, Budget &budget) {
            return climb_from(score, rules, std::move(start), [&](const ArcRules &its_rules, const ParentLists &first) {
                return search_classes(score.rows, its_rules, k, reversing, first, seed, budget);
            });
        },
        "score"_a, "rules"_a, "k"_a, "reversing"_a, "start"_a, "seed"_a, "budget"_a,
        "Move to the best of a random share of the better classes next to this one.");
    nb::class_<BoundaryDraws>(module, "BoundaryDraws", "How a climb draws from the boundaries of classes.")
        .def(
            "__init__",
            [](BoundaryDraws *self, std::uint64_t per_step, std::uint64_t idle, std::size_t reversals) {
                new (self) BoundaryDraws{per_step, idle, reversals};
            },
            "per_step"_a, "idle"_a, "reversals"_a)
        .def_ro("per_step", &BoundaryDraws::per_step)
        .def_ro("idle", &BoundaryDraws::idle)
        .def_ro("reversals", &BoundaryDraws::reversals);
    module.def(
        "search_classes_by_draws",
        [](const BoundScore &score, const BoundRules &rules, const BoundaryDraws &draws, ParentLists start,
           std::uint64_t seed, Budget &budget) {
            return climb_from(score, rules, std::move(start), [&](const ArcRules &its_rules, const ParentLists &first) {
                return search_classes_by_draws(score.score, its_rules, draws, first, seed, budget);
            });
        },
        "score"_a, "rules"_a, "draws"_a, "start"_a, "seed"_a, "budget"_a,
        "Move to the best of some drawn classes next to this one if it is better.");
    module.def(
        "search_classes_by_phases",
        [](const BoundScore &score, const BoundRules &rules, bool reversing, ParentLists start, std::uint64_t seed,
           Budget &budget) {
            return climb_from(score, rules, std::move(start), [&](const ArcRules &its_rules, const ParentLists &first) {
                return search_classes_by_phases(score.rows, its_rules, reversing, first, seed, budget);
            });
        },
        "score"_a, "rules"_a, "reversing"_a, "start"_a, "seed"_a, "budget"_a,
        "Insert edges while that improves the class, then delete edges.");
    module.def(
        "search_classes_deleting_first",
        [](const BoundScore &score, const BoundRules &rules, bool reversing, bool extended, ParentLists start,
           std::uint64_t seed, Budget &budget) {
            return climb_from(score, rules, std::move(start), [&](const ArcRules &its_rules, const ParentLists &first) {
                return search_classes_deleting_first(score.rows, its_rules, reversing, extended, first, seed, budget);
            });
        },
        "score"_a, "rules"_a, "reversing"_a, "extended"_a, "start"_a, "seed"_a, "budget"_a,
        "Delete edges before others are reversed or inserted, then try what comes of each deletion.");
    module.def(
        "neighbours_of_class",
        [](const BoundScore &score, const BoundRules &rules, bool reversing, ParentLists graph, Budget &budget) {
            return climb_from(score, rules, std::move(graph), [&](const ArcRules &its_rules, const ParentLists &first) {
                return neighbours_of_class(score.rows, its_rules, reversing, first, budget);
            });
        },
        "score"_a, "rules"_a, "reversing"_a, "graph"_a, "budget"_a, "All classes next to that of a graph, each once.");
}

} // namespace arcwise::bindings
