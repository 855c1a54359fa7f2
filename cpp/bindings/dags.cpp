#include "arcwise/hill_climb.hpp"

#include "bindings.hpp"
#include "climbs.hpp"

#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {

void bind_dags(nb::module_ &module) {
    nb::class_<HillClimbResult>(module, "HillClimbResult", "Where a climb ended, and how it got there.")
        .def_ro("parents", &HillClimbResult::parents)
        .def_ro("score", &HillClimbResult::score)
        .def_ro("stopped_by", &HillClimbResult::stopped_by)
        .def_ro("additions", &HillClimbResult::additions)
        .def_ro("deletions", &HillClimbResult::deletions)
        .def_ro("reversals", &HillClimbResult::reversals)
        .def_ro("swaps", &HillClimbResult::swaps)
        .def_ro("longer_additions", &HillClimbResult::longer_additions)
        .def_ro("longer_swaps", &HillClimbResult::longer_swaps)
        .def_ro("longest_chain", &HillClimbResult::longest_chain)
        .def_ro("reinsertions", &HillClimbResult::reinsertions);
    nb::enum_<DagMoves>(module, "DagMoves", "Which graphs are neighbours.")
        .value("add_delete_reverse", DagMoves::add_delete_reverse)
        .value("add_delete_reverse_swap", DagMoves::add_delete_reverse_swap)
        .value("break_cycles", DagMoves::break_cycles);
    module.def(
        "hill_climb",
        [](const BoundScore &score, const BoundRules &rules, DagMoves moves, ParentLists start, std::uint64_t seed,
           Budget &budget) {
            return climb_from(score, rules, std::move(start), [&](const ArcRules &its_rules, ParentLists first) {
                return hill_climb(score.leading, its_rules, moves, std::move(first), seed, budget);
            });
        },
        "score"_a, "rules"_a, "moves"_a, "start"_a, "seed"_a, "budget"_a,
        "Change the graph by a best move, drawn at random where there are several, while that improves the score.");
    module.def(
        "hill_climb_forbidding",
        [](const BoundScore &score, const BoundRules &rules, DagMoves moves, bool two_phases, ParentLists start,
           std::uint64_t seed, Budget &budget) {
            return climb_from(score, rules, std::move(start), [&](const ArcRules &its_rules, ParentLists first) {
                return hill_climb_forbidding(score.leading, its_rules, moves, two_phases, std::move(first), seed,
                                             budget);
            });
        },
        "score"_a, "rules"_a, "moves"_a, "two_phases"_a, "start"_a, "seed"_a, "budget"_a,
        "Climb without joining variables that a step has shown to be better apart; in two phases, then climb freely.");
    module.def(
        "tabu_search",
        [](const BoundScore &score, const BoundRules &rules, DagMoves moves, std::size_t length, std::size_t patience,
           ParentLists start, std::uint64_t seed, Budget &budget) {
            return climb_from(score, rules, std::move(start), [&](const ArcRules &its_rules, ParentLists first) {
                return tabu_search(score.leading, its_rules, moves, {length, patience}, std::move(first), seed, budget);
            });
        },
        "score"_a, "rules"_a, "moves"_a, "length"_a, "patience"_a, "start"_a, "seed"_a, "budget"_a,
        "Change the graph by a best move that leads to no recent graph, and return the best one on the way.");
    module.def(
        "look_ahead",
        [](const BoundScore &score, const BoundRules &rules, std::size_t steps, std::size_t directions,
           ParentLists start, std::uint64_t seed, Budget &budget) {
            return climb_from(score, rules, std::move(start), [&](const ArcRules &its_rules, ParentLists first) {
                return look_ahead(score.leading, its_rules, {steps, directions}, std::move(first), seed, budget);
            });
        },
        "score"_a, "rules"_a, "steps"_a, "directions"_a, "start"_a, "seed"_a, "budget"_a,
        "Change the graph by the best sequence of moves in good directions, while that improves the score.");
    module.attr("MOST_REINSERTION_CANDIDATES") = ReinsertionLimits::most_candidates;
    module.def(
        "reinsert",
        [](const BoundScore &score, const BoundRules &rules, std::size_t set_size, std::size_t candidates,
           ParentLists start, std::uint64_t seed, Budget &budget) {
            return climb_from(score, rules, std::move(start), [&](const ArcRules &its_rules, ParentLists first) {
                return reinsert(score.leading, its_rules, {set_size, candidates}, std::move(first), seed, budget);
            });
        },
        "score"_a, "rules"_a, "set_size"_a, "candidates"_a, "start"_a, "seed"_a, "budget"_a,
        "Cut nodes off and put them back with the best parents and children, while that improves the score.");
}

} // namespace arcwise::bindings
