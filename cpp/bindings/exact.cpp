#include "arcwise/best_classes.hpp"
#include "arcwise/credible_classes.hpp"
#include "arcwise/parent_enumeration.hpp"
#include "arcwise/price_ascent.hpp"
#include "arcwise/short_cycles.hpp"
#include "arcwise/subset_programming.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"
#include "bound_table.hpp"
#include "parent_rules.hpp"
#include "set_arrays.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {

namespace {

using Nodes = std::vector<Variable>;
using Rows = std::vector<std::pair<Nodes, std::uint32_t>>; // nodes, and how many of them must come first

std::vector<Cluster> clusters_of(const Rows &rows, std::size_t n_variables) {
    std::vector<Cluster> clusters;
    for (const auto &[nodes, first] : rows) {
        for (const Variable v : nodes) {
            if (v >= n_variables) {
                throw std::invalid_argument("a cluster has the unknown variable " + std::to_string(v));
            }
        }
        clusters.push_back({nodes, first});
    }
    return clusters;
}

Array<double> priced(const BoundTable &table, const Rows &rows, const Numbers &prices, std::size_t workers) {
    const std::vector<Cluster> clusters = clusters_of(rows, table.table.n_variables());
    if (prices.size() != clusters.size()) {
        throw std::invalid_argument("there must be one price for each cluster");
    }
    return to_numpy(unlocked([&] { return priced_scores(table.table, clusters, span_of(prices), workers); }));
}

nb::tuple kept(const BoundTable &table, const Rows &rows, const Offsets &sets) {
    const std::span<const std::int64_t> some = span_of(sets);
    const auto n_sets = static_cast<std::int64_t>(table.table.n_sets());
    if (!std::ranges::is_sorted(some) || (!some.empty() && (some.front() < 0 || some.back() >= n_sets))) {
        throw std::invalid_argument("sets must ascend and be in the table");
    }
    const std::vector<Cluster> clusters = clusters_of(rows, table.table.n_variables());
    KeptRows found = unlocked([&] { return kept_rows(table.table, clusters, some); });
    return nb::make_tuple(to_numpy(std::move(found.begin)), to_numpy(std::move(found.places)));
}

using Square = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<Nodes> cycles_of(const Square &weights, double most) {
    if (weights.shape(0) != weights.shape(1)) {
        throw std::invalid_argument("weights of arcs must be a square");
    }
    const std::span<const double> all{weights.data(), weights.size()};
    return unlocked([&] { return short_cycles(all, weights.shape(0), most); });
}

EnumerationResult enumerated(const BoundScore &score, Variable child, const std::vector<Variable> &required,
                             const std::vector<Variable> &candidates, const Rows &rows, const Numbers &prices,
                             std::size_t max_parents, std::size_t allowed_parents, double threshold,
                             std::size_t max_sets, Budget &budget) {
    const std::size_t n = score.score.n_variables();
    if (n > 0xffff) {
        throw std::invalid_argument("parent sets are for at most 65,535 variables");
    }
    check_distinct(n, child, required, candidates);
    const std::vector<Cluster> clusters = clusters_of(rows, n);
    if (prices.size() != clusters.size()) {
        throw std::invalid_argument("there must be one price for each cluster");
    }
    const nb::gil_scoped_release release;
    return enumerate_parents(score.score, child, required, candidates, clusters, span_of(prices),
                             {max_parents, allowed_parents, threshold, max_sets}, budget);
}

nb::tuple raised(const BoundTable &table, std::uint64_t seed, Budget &budget) {
    PricedClusters found = unlocked([&] { return raise_prices(table.table, seed, budget); });
    std::vector<Nodes> nodes;
    nodes.reserve(found.clusters.size());
    for (Cluster &cluster : found.clusters) {
        nodes.push_back(std::move(cluster.nodes));
    }
    return nb::make_tuple(nodes, to_numpy(std::move(found.prices)));
}

CredibleClasses credible(const BoundScore &score, const ParentsOfEach &required, const ParentsOfEach &candidates,
                         const std::vector<std::size_t> &max_parents, double within, std::size_t most,
                         std::size_t workers, Budget &budget) {
    const std::vector<ParentRules> rules = checked_rules(score.score.n_variables(), required, candidates, max_parents);
    const nb::gil_scoped_release release;
    const std::vector<SetScores> scores = scores_of_all_sets(score.score, rules, workers, budget);
    if (scores.empty()) {
        CredibleClasses nothing;
        nothing.stopped_by = budget.reason();
        return nothing;
    }
    return credible_classes(scores, within, most, workers, budget);
}

} // namespace

void bind_exact(nb::module_ &module) {
    nb::class_<BestOrder>(module, "BestOrder", "An order whose best graph no other order exceeds.")
        .def_prop_ro(
            "order", [](const BestOrder &self) { return order_to_numpy(self.order); }, nb::rv_policy::move)
        .def_ro("score", &BestOrder::score)
        .def_ro("stopped_by", &BestOrder::stopped_by);
    module.attr("max_subset_variables") = max_subset_variables;
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
    module.def("priced_scores", &priced, "table"_a, "clusters"_a, "prices"_a.noconvert(), "workers"_a,
               nb::sig("def priced_scores(table: SetTable, clusters: Sequence[tuple[Sequence[int], int]], prices: "
                       "NDArray[numpy.float64], workers: int) -> NDArray[numpy.float64]"),
               "Scores of all sets with the prices of the rows that they keep.");
    module.def("kept_rows", &kept, "table"_a, "clusters"_a, "sets"_a.noconvert(),
               nb::sig("def kept_rows(table: SetTable, clusters: Sequence[tuple[Sequence[int], int]], sets: "
                       "NDArray[numpy.int64]) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]"),
               "Which of some sets keep each row: where each row begins, and the places of its sets.");
    module.def("short_cycles", &cycles_of, "weights"_a.noconvert(), "most"_a,
               nb::sig("def short_cycles(weights: NDArray[numpy.float64], most: float) -> list[list[int]]"),
               "For each node a cycle through it whose arcs lack less than `most` of their weight in all, if there is "
               "one.");
    nb::class_<EnumerationResult>(module, "EnumerationResult",
                                  "The parent sets of one variable above a threshold, and what bounds the others.")
        .def_ro("found", &EnumerationResult::found)
        .def_ro("rest", &EnumerationResult::rest)
        .def_ro("deeper", &EnumerationResult::deeper);
    module.def("enumerate_parents", &enumerated, "score"_a, "child"_a, "required"_a, "candidates"_a, "clusters"_a,
               "prices"_a.noconvert(), "max_parents"_a, "allowed_parents"_a, "threshold"_a, "max_sets"_a, "budget"_a,
               nb::sig("def enumerate_parents(score: LocalScore, child: int, required: Sequence[int], candidates: "
                       "Sequence[int], clusters: Sequence[tuple[Sequence[int], int]], prices: NDArray[numpy.float64], "
                       "max_parents: int, allowed_parents: int, threshold: float, max_sets: int, budget: Budget) -> "
                       "EnumerationResult"),
               "All parent sets of one variable whose score, with the prices of the rows they keep, is above a "
               "threshold.");
    module.def("raise_prices", &raised, "table"_a, "seed"_a, "budget"_a,
               nb::sig("def raise_prices(table: SetTable, seed: int, budget: Budget) -> tuple[list[list[int]], "
                       "NDArray[numpy.float64]]"),
               "Clusters with prices that bring the bound down, found without a linear program.");
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
    nb::class_<CredibleClasses>(module, "CredibleClasses",
                                "All classes that are good enough, if there are not too many.")
        .def_ro("graphs", &CredibleClasses::graphs)
        .def_ro("n_sets", &CredibleClasses::n_sets)
        .def_ro("is_complete", &CredibleClasses::is_complete)
        .def_ro("stopped_by", &CredibleClasses::stopped_by);
    module.def("credible_classes", &credible, "score"_a, "required"_a, "candidates"_a, "max_parents"_a, "within"_a,
               "most"_a, "workers"_a, "budget"_a, "The classes that score at most so much less than the best.");
    module.def("credible_classes_bytes", &credible_classes_bytes, "n_variables"_a, "most"_a,
               "What that allocates, at most.");
}

} // namespace arcwise::bindings
