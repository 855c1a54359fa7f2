#include "arcwise/exact_posterior.hpp"
#include "arcwise/partition_chain.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"
#include "parent_rules.hpp"

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

ExactPosterior exact(const BoundScore &score, const ParentsOfEach &required, const ParentsOfEach &candidates,
                     const std::vector<std::size_t> &max_parents, GraphPrior prior, std::size_t workers,
                     Budget &budget) {
    const std::vector<ParentRules> rules = checked_rules(score.score.n_variables(), required, candidates, max_parents);
    const nb::gil_scoped_release release;
    std::vector<SetScores> scores = scores_of_all_sets(score.score, rules, workers, budget);
    if (scores.empty()) {
        ExactPosterior nothing;
        nothing.stopped_by = budget.reason();
        return nothing;
    }
    return exact_posterior(std::move(scores), prior, workers, budget);
}

// The sums of all variables, as chains look them up.
struct BoundSums {
    std::vector<CandidateSums> sums;
};

using Draws = nb::ndarray<const Mask, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// None when the budget ended it early.
std::unique_ptr<BoundSums> sums_of(const BoundScore &score, const ParentsOfEach &required,
                                   const ParentsOfEach &candidates, const std::vector<std::size_t> &max_parents,
                                   std::size_t workers, Budget &budget) {
    const std::vector<ParentRules> rules = checked_rules(score.score.n_variables(), required, candidates, max_parents);
    const nb::gil_scoped_release release;
    std::vector<CandidateSums> sums = candidate_sums(score.score, rules, workers, budget);
    return sums.empty() ? nullptr : std::make_unique<BoundSums>(std::move(sums));
}

std::vector<ParentMasks> rows_of(const Draws &draws) {
    std::vector<ParentMasks> rows;
    for (std::size_t row = 0; row < draws.shape(0); ++row) {
        const Mask *first = draws.data() + row * draws.shape(1);
        rows.emplace_back(first, first + draws.shape(1));
    }
    return rows;
}

Array<Mask> flat(const std::vector<ParentMasks> &rows) {
    std::vector<Mask> all;
    for (const ParentMasks &row : rows) {
        all.insert(all.end(), row.begin(), row.end());
    }
    return to_numpy(std::move(all));
}

} // namespace

void bind_posterior(nb::module_ &module) {
    nb::enum_<GraphPrior>(module, "GraphPrior", "How often each graph counts.")
        .value("graphs", GraphPrior::graphs)
        .value("orders", GraphPrior::orders);
    nb::class_<ExactPosterior>(module, "ExactPosterior", "Probabilities of arcs and ancestors, row by row.")
        .def_ro("log_evidence", &ExactPosterior::log_evidence)
        .def_prop_ro(
            "arcs", [](const ExactPosterior &self) { return to_numpy(self.arcs); }, nb::rv_policy::move)
        .def_prop_ro(
            "ancestors", [](const ExactPosterior &self) { return to_numpy(self.ancestors); }, nb::rv_policy::move)
        .def_ro("rounding", &ExactPosterior::rounding)
        .def_ro("stopped_by", &ExactPosterior::stopped_by);
    module.def("exact_posterior", &exact, "score"_a, "required"_a, "candidates"_a, "max_parents"_a, "prior"_a,
               "workers"_a, "budget"_a, "Sum over all graphs of few variables.");
    nb::class_<BoundSums>(module, "CandidateSums", "Sums over the sets of candidate parents of each variable.")
        .def(
            "run_chain",
            [](const BoundSums &self, const Flat<Mask> &start, std::uint64_t seed, std::size_t sweeps,
               std::size_t draws, double first_power, Budget &budget) {
                const ParentMasks parents(start.data(), start.data() + start.size());
                return unlocked(
                    [&] { return run_chain(self.sums, parents, seed, {sweeps, draws, first_power}, budget); });
            },
            "start"_a.noconvert(), "seed"_a, "sweeps"_a, "draws"_a, "first_power"_a, "budget"_a,
            "Draw graphs from the posterior, from a graph on.")
        .def(
            "random_start",
            [](const BoundSums &self, std::uint64_t seed) { return to_numpy(random_start(self.sums, seed)); }, "seed"_a,
            "A graph along a random order; empty if there is none.")
        .def(
            "relations",
            [](const BoundSums &self, const Draws &draws) {
                Relations found = unlocked([&] { return relations_in(self.sums, rows_of(draws)); });
                return nb::make_tuple(to_numpy(std::move(found.ancestors)), to_numpy(std::move(found.blankets)));
            },
            "draws"_a.noconvert(),
            nb::sig("def relations(self, draws: numpy.ndarray) -> tuple[NDArray[numpy.uint32], NDArray[numpy.uint32]]"),
            "How many graphs have each pair as ancestor and descendant, and in a Markov blanket; row by row.");
    nb::class_<ChainPart>(module, "ChainPart", "What a chain has seen in some sweeps.")
        .def_prop_ro(
            "arcs", [](const ChainPart &self) { return to_numpy(self.arcs); }, nb::rv_policy::move)
        .def_prop_ro(
            "draws", [](const ChainPart &self) { return flat(self.draws); }, nb::rv_policy::move)
        .def_prop_ro(
            "last", [](const ChainPart &self) { return to_numpy(self.last); }, nb::rv_policy::move)
        .def_ro("sweeps", &ChainPart::sweeps)
        .def_ro("score", &ChainPart::score)
        .def_ro("stopped_by", &ChainPart::stopped_by);
    module.def("candidate_sums", &sums_of, "score"_a, "required"_a, "candidates"_a, "max_parents"_a, "workers"_a,
               "budget"_a, "Sum over the sets of candidate parents; None when the budget ends it.",
               nb::sig("def candidate_sums(score: LocalScore, required: Sequence[Sequence[int]], candidates: "
                       "Sequence[Sequence[int]], max_parents: Sequence[int], workers: int, budget: Budget) -> "
                       "CandidateSums | None"));
    module.def("candidate_sums_bytes", &CandidateSums::bytes, "n_candidates"_a, "What those of one variable take.");
    module.attr("max_candidates") = max_candidates;
    module.def("exact_posterior_bytes", &exact_posterior_bytes, "n_variables"_a, "What that allocates, at most.");
}

} // namespace arcwise::bindings
