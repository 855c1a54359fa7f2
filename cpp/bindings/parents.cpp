#include "arcwise/subset_lattice.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"
#include "parent_rules.hpp"
#include "set_arrays.hpp"

#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

ParentSearchResult search(const BoundScore &score, Variable child, const std::vector<Variable> &required,
                          const std::vector<Variable> &candidates, Selection selection, std::size_t max_parents,
                          std::size_t max_sets, std::size_t max_bytes, Budget &budget) {
    if (score.score.n_variables() > 0xffff) {
        throw std::invalid_argument("parent sets are for at most 65,535 variables");
    }
    check_distinct(score.score.n_variables(), child, required, candidates);
    const nb::gil_scoped_release release;
    return search_parents(score.score, child, required, candidates, {selection, max_parents, max_sets, max_bytes},
                          budget);
}

std::vector<ParentSearchResult> exhaust(const BoundScore &score, const ParentsOfEach &required,
                                        const ParentsOfEach &candidates, const std::vector<std::size_t> &max_parents,
                                        std::size_t max_sets, Budget &budget) {
    const std::vector<ParentRules> rules = checked_rules(score.score.n_variables(), required, candidates, max_parents);
    const nb::gil_scoped_release release;
    return exhaust_parents(score.score, rules, max_sets, budget);
}

Array<bool> undominated_sets(const Offsets &set_begin, const Members &members, const Numbers &scores) {
    const std::vector<bool> keep = unlocked([&] {
        ParentSetList list;
        for (std::size_t i = 0; i + 1 < set_begin.shape(0); ++i) {
            const auto begin = static_cast<std::size_t>(set_begin.data()[i]);
            const auto end = static_cast<std::size_t>(set_begin.data()[i + 1]);
            if (begin > end || end > members.shape(0) || i >= scores.shape(0)) {
                throw std::invalid_argument("set_begin, members and scores do not fit");
            }
            list.push_back(scores.data()[i], {members.data() + begin, end - begin});
        }
        return undominated(list);
    });
    return to_numpy(std::vector<char>(keep.begin(), keep.end()));
}

} // namespace

void bind_parents(nb::module_ &module) {
    nb::enum_<Selection>(module, "Selection", "Which parent set is expanded next.")
        .value("sequential", Selection::sequential)
        .value("greedy", Selection::greedy)
        .value("independence", Selection::independence)
        .value("balanced", Selection::balanced);
    nb::class_<ParentSearchResult>(module, "ParentSearchResult", "Candidate parent sets of one variable, best first.")
        .def(
            "take",
            [](ParentSearchResult &self) {
                ParentSetList sets = std::exchange(self.sets, {});
                const std::vector<std::int64_t> begin(sets.begin.begin(), sets.begin.end());
                return nb::make_tuple(to_numpy(begin), to_numpy(std::move(sets.members)),
                                      to_numpy(std::move(sets.scores)));
            },
            "Where each set's members begin and the last one's end, the members, and the scores; leaves nothing "
            "behind.",
            nb::sig("def take(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint16], NDArray[numpy.float64]]"))
        .def_ro("scored", &ParentSearchResult::scored)
        .def_ro("stopped_by", &ParentSearchResult::stopped_by)
        .def_ro("is_complete", &ParentSearchResult::is_complete)
        .def_ro("was_cut", &ParentSearchResult::was_cut);
    module.def("search_parents", &search, "score"_a, "child"_a, "required"_a, "candidates"_a, "selection"_a,
               "max_parents"_a, "max_sets"_a, "max_bytes"_a, "budget"_a,
               "Search the candidate parent sets of one variable.");
    module.def("exhaust_parents", &exhaust, "score"_a, "required"_a, "candidates"_a, "max_parents"_a, "max_sets"_a,
               "budget"_a, "All parent sets of all variables, for few variables.");
    module.attr("max_lattice_variables") = max_lattice_variables;
    module.def("undominated", &undominated_sets, "set_begin"_a.noconvert(), "members"_a.noconvert(),
               "scores"_a.noconvert(), "Which sets of one variable score more than each of their subsets.");
}

} // namespace arcwise::bindings
