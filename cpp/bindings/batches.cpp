#include "batch_engine.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"
#include "family_arrays.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

std::vector<std::int64_t> values_up_to(const ScoreTable &table, std::size_t most) {
    const ScoreTable::Values values = table.up_to(static_cast<std::uint32_t>(most));
    std::vector<std::int64_t> all(most + 1);
    for (std::size_t n = 0; n <= most; ++n) {
        all[n] = values(static_cast<std::uint32_t>(n));
    }
    return all;
}

// The terms of families of a shape, for all counts that there may be.
nb::tuple terms(const CountedScore &self, double states, double configurations, std::size_t n_parents,
                std::size_t observed) {
    const Score &score = self.score;
    std::vector<std::int64_t> cell;
    std::vector<std::int64_t> row;
    const double constant = unlocked([&] {
        const ScoreTerms its = score.terms({states, configurations, n_parents}, observed);
        cell = values_up_to(*its.cell, score.n_observations());
        row = values_up_to(*its.row, score.n_observations());
        return its.constant;
    });
    return nb::make_tuple(to_numpy(std::move(cell)), to_numpy(std::move(row)), constant);
}

void construct(CountedScore *self, const std::string &score, double parameter, std::size_t n_observations,
               const std::vector<std::uint32_t> &arities) {
    if (n_observations == 0 || n_observations > std::numeric_limits<std::uint32_t>::max() ||
        std::ranges::count(arities, 0U) > 0) {
        throw std::invalid_argument("counts are those of states in one to four billion observations");
    }
    new (self) CountedScore(score_kind(score), parameter, n_observations, arities);
}

// The scores of families from their counts, those of each between two ends.
Array<double> scores(const CountedScore &self, const Children &children, const Starts &starts, const Parents &parents,
                     const Flat<std::uint32_t> &counts, const Starts &ends) {
    const FamilyArrays families(self.arities.size(), children, starts, parents);
    const auto all = span_of(counts);
    const auto end = span_of(ends);
    if (end.size() != families.all().size() || !std::ranges::is_sorted(end) ||
        (!end.empty() && (end.front() < 0 || static_cast<std::size_t>(end.back()) != all.size()))) {
        throw std::invalid_argument("the counts of a batch do not belong to its families");
    }
    std::vector<double> found;
    {
        const nb::gil_scoped_release release;
        std::size_t begin = 0;
        for (std::size_t i = 0; i < end.size(); ++i) {
            const Family &family = families.all()[i];
            const auto own = all.subspan(begin, static_cast<std::size_t>(end[i]) - begin);
            const std::size_t r = self.arities[family.child];
            if (own.size() % r != 0) {
                throw std::invalid_argument("the counts of a family are rows of the states of its child");
            }
            found.push_back(self.score.of_counts(own, r, self.shape(family)));
            begin = static_cast<std::size_t>(end[i]);
        }
    }
    return to_numpy(std::move(found));
}

BoundScore *alone(const nb::object &answers, std::size_t n_variables, double rounding, bool is_equivalent,
                  double seconds_per_addition, std::size_t cache_bytes,
                  const std::shared_ptr<CountedScore> &penalties) {
    const BatchPromises promises{n_variables, rounding, is_equivalent, penalties};
    auto engine = std::make_shared<BatchEngine>(answers, promises, BatchCost{0.0, seconds_per_addition});
    return new BoundScore{nb::none(), nb::none(), answers, LocalScore(std::move(engine), cache_bytes / 2),
                          cache_bytes - cache_bytes / 2};
}

BoundScore *beside(const BoundScore &other, const nb::object &answers, double seconds_per_batch,
                   double seconds_per_addition, std::size_t cache_bytes) {
    auto engine = std::make_shared<BatchEngine>(answers, other.score.shared_engine(),
                                                BatchCost{seconds_per_batch, seconds_per_addition});
    return new BoundScore{other.codes, other.weights, answers, LocalScore(std::move(engine), cache_bytes / 2),
                          cache_bytes - cache_bytes / 2};
}

// What improves each family of a batch, by the engine itself: nothing is remembered.
nb::tuple improvements(const BoundScore &self, const Flat<std::int32_t> &children, const Flat<std::int64_t> &starts,
                       const Flat<std::int32_t> &parents, std::size_t threads) {
    const std::size_t n = self.score.n_variables();
    if (starts.size() != children.size() + 1 || starts(0) != 0 ||
        starts(children.size()) != static_cast<std::int64_t>(parents.size()) ||
        !std::ranges::is_sorted(span_of(starts))) {
        throw std::invalid_argument("children, starts and parents do not belong together");
    }
    const std::vector<Variable> all(span_of(parents).begin(), span_of(parents).end());
    std::vector<Family> batch;
    for (std::size_t i = 0; i < children.size(); ++i) {
        const auto begin = static_cast<std::size_t>(starts(i));
        const auto its = std::span(all).subspan(begin, static_cast<std::size_t>(starts(i + 1)) - begin);
        check_distinct(n, static_cast<Variable>(children(i)), {its.begin(), its.end()});
        batch.push_back({static_cast<Variable>(children(i)), its});
    }
    std::vector<Improvements> found(batch.size());
    unlocked([&] {
        Team team(threads);
        return self.score.new_improvements(batch, found, team, nullptr);
    });
    std::vector<double> own;
    std::vector<double> scores;
    std::vector<std::int32_t> variables;
    std::vector<std::int64_t> ends{0};
    for (const Improvements &its : found) {
        own.push_back(its.own);
        scores.insert(scores.end(), its.scores.begin(), its.scores.end());
        variables.insert(variables.end(), its.variables.begin(), its.variables.end());
        ends.push_back(static_cast<std::int64_t>(scores.size()));
    }
    return nb::make_tuple(to_numpy(std::move(own)), to_numpy(std::move(scores)), to_numpy(std::move(variables)),
                          to_numpy(std::move(ends)));
}

} // namespace

void bind_batches(nb::module_ &module) {
    nb::class_<CountedScore>(module, "CountedScore", "A score of counts, for those who count elsewhere.")
        .def("__init__", &construct, "score"_a, "parameter"_a, "n_observations"_a, "arities"_a)
        .def("terms", &terms, "states"_a, "configurations"_a, "n_parents"_a, "observed"_a,
             nb::sig("def terms(self, states: float, configurations: float, n_parents: int, observed: int) -> "
                     "tuple[NDArray[numpy.int64], NDArray[numpy.int64], float]"),
             "The terms of families of a shape, of whose parent configurations so many occur: for each count that of a "
             "cell and that of a configuration, in whole units; and what is added to the sum of these.")
        .def("scores", &scores, "children"_a.noconvert(), "starts"_a.noconvert(), "parents"_a.noconvert(),
             "counts"_a.noconvert(), "ends"_a.noconvert(),
             "The scores of families from their counts, one family behind the other up to its end: rows of the child's "
             "states, for parent configurations in any order.")
        .def_prop_ro("nats_per_unit", [](const CountedScore &self) { return self.score.nats(1); })
        .def_prop_ro("is_equivalent", [](const CountedScore &self) { return self.score.is_difference(); })
        .def_prop_ro("needs_observed_configurations",
                     [](const CountedScore &self) { return self.score.needs_observed_configurations(); });
    module.def("score_by_batches", &alone, nb::rv_policy::take_ownership, "answers"_a, "n_variables"_a, "rounding"_a,
               "is_equivalent"_a, "seconds_per_addition"_a, "cache_bytes"_a, "penalties"_a.none() = nb::none(),
               "A score whose families an object in Python answers in batches: with scores, additions and improvements "
               "(batch_engine.hpp). Penalties are those of the score, where it has some.");
    module.def("score_with_batches", &beside, nb::rv_policy::take_ownership, "other"_a, "answers"_a,
               "seconds_per_batch"_a, "seconds_per_addition"_a, "cache_bytes"_a,
               "The same score, of which an object in Python answers the batches that are large enough.");
    module.def("improvements", &improvements, "score"_a, "children"_a.noconvert(), "starts"_a.noconvert(),
               "parents"_a.noconvert(), "threads"_a,
               nb::sig("def improvements(score: LocalScore, children: NDArray[numpy.int32], starts: "
                       "NDArray[numpy.int64], parents: NDArray[numpy.int32], threads: int) -> "
                       "tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.int32], "
                       "NDArray[numpy.int64]]"),
               "What improves each family of a batch, by more than rounding and best first, as batches are answered.");
}

} // namespace arcwise::bindings
