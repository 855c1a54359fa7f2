#include "arcwise/independence.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

using VariableList = std::vector<Variable>;

// A test compares two variables alike, whichever of them was forced.
void check_all_rows_count(const BoundScore &score) {
    if (score.score.counter().table().masks != nullptr) {
        throw std::invalid_argument("tests of independence count all rows");
    }
}

nb::tuple test(const BoundScore &score, Statistic statistic, Variable target, const VariableList &given,
               const VariableList &candidates, Budget &budget, std::size_t permutations, std::uint64_t seed,
               double log_alpha) {
    check_distinct(score.score.n_variables(), target, given, candidates);
    check_all_rows_count(score);
    const auto tests = unlocked([&] {
        std::vector<IndependenceTest> made(candidates.size());
        if (permutations == 0) {
            test_independence(score.score, statistic, target, given, candidates, made, budget);
        } else {
            test_by_permutations(score.score, statistic, {permutations, seed}, log_alpha, target, given, candidates,
                                 made, budget);
        }
        return made;
    });
    std::vector<double> statistics;
    std::vector<double> degrees;
    std::vector<double> log_p;
    for (const IndependenceTest &each : tests) {
        statistics.push_back(each.statistic);
        degrees.push_back(each.degrees);
        log_p.push_back(each.log_p);
    }
    return nb::make_tuple(to_numpy(std::move(statistics)), to_numpy(std::move(degrees)), to_numpy(std::move(log_p)));
}

std::pair<std::vector<double>, bool> weaken(const BoundScore &score, const TestRules &rules, Variable target,
                                            const VariableList &always, const VariableList &sometimes,
                                            const VariableList &candidates, std::vector<double> log_p, Budget &budget) {
    check_distinct(score.score.n_variables(), target, always, sometimes);
    check_all_rows_count(score);
    check_distinct(score.score.n_variables(), target, always, candidates);
    if (log_p.size() != candidates.size()) {
        throw std::invalid_argument("log_p and candidates must have the same length");
    }
    const nb::gil_scoped_release release;
    const bool complete = weaken_associations(score.score, rules, target, always, sometimes, candidates, log_p, budget);
    return {std::move(log_p), complete};
}

} // namespace

void bind_independence(nb::module_ &module) {
    nb::enum_<Statistic>(module, "Statistic", "What a test of independence adds up.")
        .value("g2", Statistic::g2)
        .value("chi2", Statistic::chi2);
    nb::class_<TestRules>(module, "TestRules", "Which tests of independence are made, and what they show.")
        .def(
            "__init__",
            [](TestRules *self, Statistic statistic, double log_alpha, double least_per_cell,
               std::size_t max_conditions, std::size_t permutations, std::uint64_t seed) {
                new (self) TestRules{statistic, log_alpha, least_per_cell, max_conditions, {permutations, seed}};
            },
            "statistic"_a, "log_alpha"_a, "least_per_cell"_a, "max_conditions"_a, "permutations"_a, "seed"_a);
    module.def("log_chi2_survival", &log_chi2_survival, "statistic"_a, "degrees"_a,
               "The logarithm of the p-value of a χ² statistic.");
    module.def("test_independence", &test, "score"_a, "statistic"_a, "target"_a, "given"_a, "candidates"_a, "budget"_a,
               "permutations"_a = 0, "seed"_a = 0, "log_alpha"_a = 0.0,
               "Statistics, degrees of freedom and logarithms of the p-values of the candidates, by permutations where "
               "there are some; NaN where the budget ended before.",
               nb::sig("def test_independence(score: LocalScore, statistic: Statistic, target: int, "
                       "given: Sequence[int], candidates: Sequence[int], budget: Budget, permutations: int = 0, "
                       "seed: int = 0, log_alpha: float = 0.0) -> "
                       "tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]"));
    module.def("weaken_associations", &weaken, "score"_a, "rules"_a, "target"_a, "always"_a, "sometimes"_a,
               "candidates"_a, "log_p"_a, "budget"_a,
               "The largest log p of each candidate over the sets of other variables with all of `always` and some of "
               "`sometimes` as conditions, and whether all tests were made.");
}

} // namespace arcwise::bindings
