#include "arcwise/gaussian_engine.hpp"
#include "arcwise/team.hpp"

#include "batch_engine.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"
#include "family_arrays.hpp"
#include "found_records.hpp"

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
                   double seconds_per_addition, std::size_t cache_bytes, double growth_per_parent) {
    const BatchCost cost{seconds_per_batch, seconds_per_addition, growth_per_parent};
    auto engine = std::make_shared<BatchEngine>(answers, other.score.shared_engine(), cost);
    return new BoundScore{other.codes, other.weights, answers, LocalScore(std::move(engine), cache_bytes / 2),
                          cache_bytes - cache_bytes / 2};
}

// Nanoseconds, for each improvement.
constexpr double cost_of_copying = 2.0;

// A numpy array that owns the values, which were never set to zero.
template <class T> Array<T> owned_by_numpy(std::unique_ptr<T[]> values, std::size_t size) {
    T *const pointer = values.release();
    const nb::capsule owner(pointer, [](void *its) noexcept { delete[] static_cast<T *>(its); });
    return Array<T>(pointer, {size}, owner);
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
    std::vector<double> own;
    std::vector<std::int64_t> ends{0};
    std::unique_ptr<double[]> scores;
    std::unique_ptr<std::int32_t[]> variables;
    {
        const nb::gil_scoped_release release;
        Team team(threads);
        std::vector<Improvements> found(batch.size());
        self.score.new_improvements(batch, found, team, nullptr);
        for (const Improvements &its : found) {
            own.push_back(its.own);
            ends.push_back(ends.back() + static_cast<std::int64_t>(its.scores.size()));
        }
        const auto total = static_cast<std::size_t>(ends.back());
        scores = std::make_unique_for_overwrite<double[]>(total);
        variables = std::make_unique_for_overwrite<std::int32_t[]>(total);
        const double cost = cost_of_copying * static_cast<double>(total) / static_cast<double>(batch.size() + 1);
        team.split(batch.size(), cost, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                std::ranges::copy(found[i].scores, scores.get() + ends[i]);
                std::ranges::transform(found[i].variables, variables.get() + ends[i],
                                       [](Variable v) { return static_cast<std::int32_t>(v); });
            }
        });
    }
    const auto total = static_cast<std::size_t>(ends.back());
    return nb::make_tuple(to_numpy(std::move(own)), owned_by_numpy(std::move(scores), total),
                          owned_by_numpy(std::move(variables), total), to_numpy(std::move(ends)));
}

const GaussianEngine &gaussian_engine(const BoundScore &self) {
    const auto *engine = dynamic_cast<const GaussianEngine *>(&self.score.engine());
    if (engine == nullptr || !engine->has_single_columns()) {
        throw std::invalid_argument("the score is not one of single columns of a matrix");
    }
    return *engine;
}

nb::tuple gaussian_parts(const BoundScore &self) {
    const GaussianEngine &engine = gaussian_engine(self);
    return nb::make_tuple(self.codes, to_numpy(std::vector<double>(engine.floors().begin(), engine.floors().end())),
                          engine.is_bayesian());
}

nb::tuple gaussian_lines(const BoundScore &self, const Children &children, const Flat<std::int64_t> &n_parents) {
    const GaussianEngine &engine = gaussian_engine(self);
    if (children.size() != n_parents.size()) {
        throw std::invalid_argument("there must be a number of parents for each child");
    }
    std::vector<double> constants;
    std::vector<double> slopes;
    for (std::size_t i = 0; i < children.size(); ++i) {
        const auto count = static_cast<std::size_t>(n_parents(i));
        if (n_parents(i) < 0 || count >= engine.n_variables()) {
            throw std::invalid_argument("there are not so many parents");
        }
        const GaussianEngine::Line line = engine.line(checked_variable(children(i), engine.n_variables()), count);
        constants.push_back(line.constant);
        slopes.push_back(line.slope);
    }
    return nb::make_tuple(to_numpy(std::move(constants)), to_numpy(std::move(slopes)));
}

// The improvements of each family, best first, and among equals the smaller variable first.
nb::tuple sorted_improvements(const Flat<std::uint8_t> &found, std::size_t n_families, std::size_t threads) {
    const FoundRecords records(span_of(found), n_families);
    std::vector<std::int64_t> ends{0};
    std::unique_ptr<double[]> scores;
    std::unique_ptr<std::int32_t[]> variables;
    {
        const nb::gil_scoped_release release;
        Team team(threads);
        scores = std::make_unique_for_overwrite<double[]>(records.size());
        variables = std::make_unique_for_overwrite<std::int32_t[]>(records.size());
        const auto all_ends = records.sorted(team, [&](std::size_t, std::size_t begin, std::span<ScoredVariable> its) {
            for (std::size_t i = 0; i < its.size(); ++i) {
                scores[begin + i] = its[i].score;
                variables[begin + i] = static_cast<std::int32_t>(its[i].variable);
            }
        });
        ends.insert(ends.end(), all_ends.begin(), all_ends.end());
    }
    return nb::make_tuple(owned_by_numpy(std::move(scores), records.size()),
                          owned_by_numpy(std::move(variables), records.size()), to_numpy(std::move(ends)));
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
               "seconds_per_batch"_a, "seconds_per_addition"_a, "cache_bytes"_a, "growth_per_parent"_a = 2.0,
               "The same score, of which an object in Python answers the batches that are large enough.");
    module.def("improvements", &improvements, "score"_a, "children"_a.noconvert(), "starts"_a.noconvert(),
               "parents"_a.noconvert(), "threads"_a,
               nb::sig("def improvements(score: LocalScore, children: NDArray[numpy.int32], starts: "
                       "NDArray[numpy.int64], parents: NDArray[numpy.int32], threads: int) -> "
                       "tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.int32], "
                       "NDArray[numpy.int64]]"),
               "What improves each family of a batch, by more than rounding and best first, as batches are answered.");
    module.def("sorted_improvements", &sorted_improvements, "found"_a.noconvert(), "n_families"_a, "threads"_a = 1,
               nb::sig("def sorted_improvements(found: NDArray[numpy.uint8], n_families: int, threads: int = 1) -> "
                       "tuple[NDArray[numpy.float64], NDArray[numpy.int32], NDArray[numpy.int64]]"),
               "The improvements of each family of a batch, best first: scores, variables, and where those of each "
               "begin. They come in any order, as bytes: a score, the place of the family, and the variable.");
    module.def("gaussian_parts", &gaussian_parts, "score"_a,
               nb::sig("def gaussian_parts(score: LocalScore) -> "
                       "tuple[NDArray[numpy.float64], NDArray[numpy.float64], bool]"),
               "What a score of continuous data is made of: the matrix of products, what pivots are taken for where "
               "they are below, and whether the logarithms of the parents' pivots count.");
    module.def("gaussian_lines", &gaussian_lines, "score"_a, "children"_a.noconvert(), "n_parents"_a.noconvert(),
               nb::sig("def gaussian_lines(score: LocalScore, children: NDArray[numpy.int32], n_parents: "
                       "NDArray[numpy.int64]) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]"),
               "Of each family a constant and a slope: its score is constant - slope * ln(residual) - the sum of the "
               "logarithms of its parents' pivots / 2, which is 0 unless they count.");
}

} // namespace arcwise::bindings
