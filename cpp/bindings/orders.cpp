#include "arcwise/acyclic_selection.hpp"
#include "arcwise/narrow_orders.hpp"
#include "arcwise/order_climb.hpp"
#include "arcwise/order_growth.hpp"
#include "arcwise/order_regrowth.hpp"
#include "arcwise/relaxed_graph.hpp"

#include "arc_rules.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"
#include "bound_table.hpp"
#include "set_arrays.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

std::vector<Variable> checked_order(std::size_t n, const Offsets &order) {
    std::vector<char> seen(n, 0);
    std::vector<Variable> checked;
    for (std::size_t i = 0; i < order.shape(0); ++i) {
        const std::int64_t v = order.data()[i];
        if (v < 0 || static_cast<std::size_t>(v) >= n || seen[static_cast<std::size_t>(v)]) {
            break;
        }
        seen[static_cast<std::size_t>(v)] = 1;
        checked.push_back(static_cast<Variable>(v));
    }
    if (checked.size() != n || order.shape(0) != n) {
        throw std::invalid_argument("an order names every variable once");
    }
    return checked;
}

// The best sets of all variables: where each begins, their members, and what each of these weighs.
std::tuple<Array<std::int64_t>, Array<Member>, Array<double>> best_arcs(const GrowingLists &lists) {
    std::vector<std::int64_t> begin{0};
    std::vector<Member> parents;
    std::vector<double> weights;
    {
        const nb::gil_scoped_release release;
        std::vector<SetList> views;
        for (Variable v = 0; v < lists.n_variables(); ++v) {
            views.push_back(lists.view(v));
            const auto best = views.back().set(0);
            parents.insert(parents.end(), best.begin(), best.end());
            begin.push_back(static_cast<std::int64_t>(parents.size()));
        }
        weights = relaxed_weights(views);
    }
    return {to_numpy(std::move(begin)), to_numpy(std::move(parents)), to_numpy(std::move(weights))};
}

} // namespace

void bind_orders(nb::module_ &module) {
    nb::enum_<OrderMoves>(module, "OrderMoves", "Which orders are neighbours, and which of them is chosen.")
        .value("adjacent", OrderMoves::adjacent)
        .value("insert_best", OrderMoves::insert_best)
        .value("insert_first", OrderMoves::insert_first)
        .value("insert_hybrid", OrderMoves::insert_hybrid);
    nb::class_<BoundTable>(module, "SetTable", "The arrays of a ParentSets, ready for order searches.")
        .def(
            "__init__",
            [](BoundTable *self, const Offsets &variable_begin, const Offsets &set_begin, const Members &members,
               const Numbers &scores) {
                const auto variables = span_of(variable_begin), sets = span_of(set_begin);
                check_sets(variables, sets, span_of(members), scores.size());
                new (self) BoundTable{nb::make_tuple(variable_begin, set_begin, members, scores),
                                      SetTable(variables, sets, span_of(members), span_of(scores))};
            },
            "variable_begin"_a.noconvert(), "set_begin"_a.noconvert(), "members"_a.noconvert(), "scores"_a.noconvert())
        .def_prop_ro("n_variables", [](const BoundTable &self) { return self.table.n_variables(); });
    nb::class_<OrderClimbResult>(module, "OrderClimbResult", "Where a climb over orders ended, and how it got there.")
        .def_prop_ro(
            "order", [](const OrderClimbResult &self) { return order_to_numpy(self.order); }, nb::rv_policy::move)
        .def_ro("parents", &OrderClimbResult::parents)
        .def_ro("score", &OrderClimbResult::score)
        .def_ro("start_score", &OrderClimbResult::start_score)
        .def_ro("is_feasible", &OrderClimbResult::is_feasible)
        .def_ro("moves", &OrderClimbResult::moves)
        .def_ro("stopped_by", &OrderClimbResult::stopped_by);
    module.def(
        "climb_order",
        [](const BoundTable &table, const Offsets &order, OrderMoves moves, double tolerance, std::uint64_t max_moves,
           std::uint64_t tabu, std::uint64_t seed, Budget &budget) {
            auto start = checked_order(table.table.n_variables(), order);
            const nb::gil_scoped_release release;
            return climb_order(table.table, std::move(start), {moves, tolerance, max_moves, tabu}, seed, budget);
        },
        "table"_a, "order"_a.noconvert(), "moves"_a, "tolerance"_a, "max_moves"_a, "tabu"_a, "seed"_a, "budget"_a,
        "Move variables while that improves the best graph of the order.");
    module.def(
        "select_acyclic",
        [](const BoundTable &table, const Offsets &order) {
            auto start = checked_order(table.table.n_variables(), order);
            const nb::gil_scoped_release release;
            return select_acyclic(table.table, std::move(start));
        },
        "table"_a, "order"_a.noconvert(), "The best sets that close no cycle, from the end of the order on.");
    module.def(
        "climb_narrow",
        [](const BoundTable &table, const Offsets &order, std::size_t width, double tolerance, std::uint64_t max_moves,
           std::uint64_t seed, Budget &budget) {
            auto start = checked_order(table.table.n_variables(), order);
            const nb::gil_scoped_release release;
            return climb_narrow(table.table, std::move(start), {width, tolerance, max_moves}, seed, budget);
        },
        "table"_a, "order"_a.noconvert(), "width"_a, "tolerance"_a, "max_moves"_a, "seed"_a, "budget"_a,
        "Move variables while that improves the graph of bounded width that the order gives.");
    nb::class_<GrowingLists>(module, "GrowingLists", "Parent sets of all variables, which grow while searches run.")
        .def(
            "__init__",
            [](GrowingLists *self, const BoundScore &score, const BoundRules &rules, Budget &budget) {
                const ArcRules &its_rules = rules.over(score.score.n_variables());
                const nb::gil_scoped_release release;
                new (self) GrowingLists(first_lists(score.rows, its_rules, budget));
            },
            "score"_a, "rules"_a, "budget"_a)
        .def_prop_ro("n_variables", &GrowingLists::n_variables)
        .def_prop_ro("n_sets", &GrowingLists::n_sets, "Number of sets, all variables together.")
        .def_prop_ro("bytes", &GrowingLists::bytes, "Memory of the sets.")
        .def("best_arcs", &best_arcs,
             "The best sets: where each begins, their members, and what the variable loses without each of these.")
        .def(
            "copy", [](const GrowingLists &self) { return self; }, "Lists of their own, with the same sets.")
        .def(
            "add_family",
            [](GrowingLists &self, Variable child, const std::vector<Variable> &parents, double score) {
                check_distinct(self.n_variables(), child, parents);
                std::vector<Member> set(parents.begin(), parents.end());
                std::ranges::sort(set);
                ParentSetList fresh;
                fresh.push_back(score, set);
                self.grow(child, fresh);
            },
            "child"_a, "parents"_a, "score"_a, "Take one more set in.")
        .def(
            "add_found",
            [](GrowingLists &self, const GrowthResult &found) {
                if (found.climb.order.size() != self.n_variables()) {
                    throw std::invalid_argument("the sets are of another table");
                }
                const nb::gil_scoped_release release;
                for (const auto &[v, fresh] : found.fresh) {
                    self.grow(v, fresh);
                }
            },
            "found"_a, "Take all sets in that a climb has found.");
    nb::class_<GrowthResult>(module, "GrowthResult", "Where a growing climb ended, and what it has found.")
        .def_ro("climb", &GrowthResult::climb)
        .def_ro("rounds", &GrowthResult::rounds)
        .def_ro("kicks", &GrowthResult::kicks);
    nb::class_<GrowingClimb>(module, "GrowingClimb",
                             "Climbs on growing lists one after the other, each at the cost of what it changes.")
        .def(
            "__init__",
            [](GrowingClimb *self, const BoundScore &score, const BoundRules &rules) {
                new (self) GrowingClimb(score.rows, rules.over(score.score.n_variables()));
            },
            "score"_a, "rules"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def(
            "run",
            [](GrowingClimb &self, const GrowingLists &lists, const Offsets &order, double tolerance,
               std::uint64_t kicks, std::uint64_t seed, Budget &budget) {
                auto start = checked_order(lists.n_variables(), order);
                // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): others may change them without the GIL.
                const GrowingLists own = lists;
                const nb::gil_scoped_release release;
                GrowthRules rules{{}, kicks};
                rules.climb.tolerance = tolerance;
                return self.run(own, std::move(start), rules, seed, budget);
            },
            "lists"_a, "order"_a.noconvert(), "tolerance"_a, "kicks"_a, "seed"_a, "budget"_a,
            "Move variables and look for better parent sets of them in turn, while that improves the graph.");
    nb::class_<RegrowingClimb>(module, "RegrowingClimb",
                               "Climbs over orders whose parents are grown anew by each move.")
        .def(
            "__init__",
            [](RegrowingClimb *self, const BoundScore &score, const BoundRules &rules) {
                new (self) RegrowingClimb(score.score, rules.over(score.score.n_variables()));
            },
            "score"_a, "rules"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def(
            "run",
            [](RegrowingClimb &self, const Offsets &order, double tolerance, std::uint64_t seed, Budget &budget) {
                auto start = checked_order(self.n_variables(), order);
                const nb::gil_scoped_release release;
                return self.run(std::move(start), tolerance, seed, budget);
            },
            "order"_a.noconvert(), "tolerance"_a, "seed"_a, "budget"_a,
            "Move variables to their best places, while that improves the graph.")
        .def(
            "inserted",
            [](RegrowingClimb &self, const Offsets &sequence, double tolerance, Budget &budget) {
                const auto checked = checked_order(self.n_variables(), sequence);
                std::vector<Variable> order;
                {
                    const nb::gil_scoped_release release;
                    order = self.inserted(checked, tolerance, budget);
                }
                return order_to_numpy(order);
            },
            "sequence"_a.noconvert(), "tolerance"_a, "budget"_a,
            "The order that comes of taking in the variables of a sequence one after the other at their best places.");
}

} // namespace arcwise::bindings
