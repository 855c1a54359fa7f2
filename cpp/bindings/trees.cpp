#include "arcwise/trees.hpp"
#include "arcwise/tree_likelihood.hpp"

#include "arc_rules.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"
#include "set_arrays.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

using Parents = Flat<std::int32_t>;
using Pairs = nb::ndarray<const std::uint32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

struct BoundTreeSearch {
    const LocalScore &score;
    TreeSearch search;
};

// Terms are tabulated for the observations of the table: a replica has as many.
std::span<const std::uint32_t> checked_weights(const BoundTreeSearch &self, const std::optional<Weights> &weights) {
    if (!weights) {
        return {};
    }
    const std::span<const std::uint32_t> given = span_of(*weights);
    if (given.size() != self.score.counter().table().n_rows ||
        std::accumulate(given.begin(), given.end(), std::uint64_t{0}) != self.score.counter().n_observations()) {
        throw std::invalid_argument("the weights must be one for each row, and sum to the number of observations");
    }
    return given;
}

std::span<const std::int32_t> checked_parents(std::size_t n, const Parents &parents) {
    const std::span<const std::int32_t> given = span_of(parents);
    if (given.size() != n) {
        throw std::invalid_argument("the parents are those of another number of variables");
    }
    for (std::size_t v = 0; v < n; ++v) {
        if (given[v] >= static_cast<std::int32_t>(n) || given[v] == static_cast<std::int32_t>(v)) {
            throw std::invalid_argument("variable " + std::to_string(v) + " has a parent that it cannot have");
        }
    }
    return given;
}

nb::tuple to_tuple(TreeResult result) {
    return nb::make_tuple(to_numpy(std::move(result.forest.parents)), to_numpy(std::move(result.forest.gains)),
                          result.is_complete);
}

nb::tuple best(const BoundTreeSearch &self, const std::optional<Weights> &weights, Budget &budget) {
    const auto its_weights = checked_weights(self, weights);
    return to_tuple(unlocked([&] { return self.search.best(its_weights, budget); }));
}

nb::tuple near(const BoundTreeSearch &self, const std::optional<Weights> &weights, const Parents &parents,
               std::size_t n_drawn, std::uint64_t seed, Budget &budget) {
    const auto its_weights = checked_weights(self, weights);
    const auto its_parents = checked_parents(self.search.n_variables(), parents);
    return to_tuple(unlocked([&] { return self.search.near(its_weights, its_parents, n_drawn, seed, budget); }));
}

std::vector<VariablePair> checked_pairs(const BoundTreeSearch &self, const Pairs &pairs) {
    std::vector<VariablePair> its_pairs;
    for (std::size_t k = 0; k < pairs.shape(0); ++k) {
        const VariablePair pair(pairs(k, 0), pairs(k, 1));
        check_distinct(self.search.n_variables(), pair.first, {pair.second});
        its_pairs.push_back(pair);
    }
    return its_pairs;
}

nb::tuple among(const BoundTreeSearch &self, const std::optional<Weights> &weights, const Pairs &pairs,
                Budget &budget) {
    const auto its_weights = checked_weights(self, weights);
    auto its_pairs = checked_pairs(self, pairs);
    return to_tuple(unlocked([&] { return self.search.among(its_weights, std::move(its_pairs), budget); }));
}

nb::tuple within(const BoundTreeSearch &self, const BoundRules &rules, Budget &budget) {
    const ArcRules &its_rules = rules.over(self.search.n_variables());
    return to_tuple(unlocked([&] { return self.search.within(its_rules, budget); }));
}

auto counts(const BoundTreeSearch &self, const Pairs &pairs) {
    const std::vector<VariablePair> its_pairs = checked_pairs(self, pairs);
    return to_numpy(unlocked([&] { return self.search.counts(its_pairs); }));
}

using TreeRows = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using TableRows = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

auto log_likelihoods(const Codes<std::uint16_t> &codes, const std::vector<std::uint32_t> &arities,
                     const TreeRows &parents, const TableRows &tables, const Numbers &log_probabilities,
                     const Numbers &log_weights) {
    const std::size_t n_rows = codes.shape(0);
    const std::size_t n = arities.size();
    const std::size_t n_trees = log_weights.shape(0);
    if (codes.shape(1) != n || parents.shape(0) != n_trees || parents.shape(1) != n || tables.shape(0) != n_trees ||
        tables.shape(1) != n) {
        throw std::invalid_argument("codes, parents, tables and weights do not belong together");
    }
    check_codes(codes, arities);
    const auto length = static_cast<std::int64_t>(log_probabilities.shape(0));
    for (std::size_t place = 0; place < n_trees * n; ++place) {
        const std::int32_t parent = parents.data()[place];
        if (parent >= static_cast<std::int32_t>(n)) {
            throw std::invalid_argument("a tree has a parent that does not exist");
        }
        const std::int64_t rows = parent < 0 ? 1 : arities[static_cast<std::size_t>(parent)];
        const std::int64_t begin = tables.data()[place];
        if (begin < 0 || begin > length || rows * arities[place % n] > length - begin) {
            throw std::invalid_argument("a table lies outside the probabilities");
        }
    }
    const TreeMixtureView mixture{arities,
                                  {parents.data(), n_trees * n},
                                  {tables.data(), n_trees * n},
                                  span_of(log_probabilities),
                                  span_of(log_weights)};
    std::vector<double> rows(n_rows);
    unlocked([&] { tree_log_likelihoods(mixture, codes.data(), rows); });
    return to_numpy(std::move(rows));
}

} // namespace

void bind_trees(nb::module_ &module) {
    nb::class_<BoundTreeSearch>(module, "TreeSearch", "Trees of the largest score, on a table and its replicas.")
        .def(
            "__init__",
            [](BoundTreeSearch *self, const BoundScore &score, const std::string &kind, double parameter,
               std::size_t max_bytes) {
                new (self)
                    BoundTreeSearch{score.score, TreeSearch(score.score, score_kind(kind), parameter, max_bytes)};
            },
            "score"_a, "kind"_a, "parameter"_a, "max_bytes"_a, nb::keep_alive<1, 2>())
        .def("best", &best, "weights"_a.noconvert().none(), "budget"_a,
             "The best forest with the rows weighted: the parent of each variable or -1, what its arc gains, and "
             "whether all pairs were looked at.",
             nb::sig("def best(self, weights: NDArray[numpy.uint32] | None, budget: Budget) -> "
                     "tuple[NDArray[numpy.int32], NDArray[numpy.float64], bool]"))
        .def("near", &near, "weights"_a.noconvert().none(), "parents"_a.noconvert(), "n_drawn"_a, "seed"_a, "budget"_a,
             "The best forest of some pairs: the arcs of another forest, and so many drawn at random.",
             nb::sig("def near(self, weights: NDArray[numpy.uint32] | None, parents: NDArray[numpy.int32], n_drawn: "
                     "int, seed: int, budget: Budget) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64], bool]"))
        .def("among", &among, "weights"_a.noconvert().none(), "pairs"_a.noconvert(), "budget"_a,
             "The best forest of some pairs.",
             nb::sig("def among(self, weights: NDArray[numpy.uint32] | None, pairs: NDArray[numpy.uint32], budget: "
                     "Budget) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64], bool]"))
        .def("within", &within, "rules"_a, "budget"_a,
             "The best forest that the rules allow, where they do not tell the directions of an arc apart.",
             nb::sig("def within(self, rules: ArcRules, budget: Budget) -> tuple[NDArray[numpy.int32], "
                     "NDArray[numpy.float64], bool]"))
        .def("counts", &counts, "pairs"_a.noconvert(),
             "How often the states of the pairs occur together, one table behind the other.",
             nb::sig("def counts(self, pairs: NDArray[numpy.uint32]) -> NDArray[numpy.uint32]"));
    module.def("tree_log_likelihoods", &log_likelihoods, "codes"_a.noconvert(), "arities"_a, "parents"_a.noconvert(),
               "tables"_a.noconvert(), "log_probabilities"_a.noconvert(), "log_weights"_a.noconvert(),
               "The logarithm of the probability of each row under a mixture of trees.",
               nb::sig("def tree_log_likelihoods(codes: NDArray[numpy.uint16], arities: Sequence[int], "
                       "parents: NDArray[numpy.int32], tables: NDArray[numpy.int64], "
                       "log_probabilities: NDArray[numpy.float64], log_weights: NDArray[numpy.float64]) -> "
                       "NDArray[numpy.float64]"));
}

} // namespace arcwise::bindings
