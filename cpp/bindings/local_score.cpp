#include "arcwise/adjusted_engine.hpp"
#include "arcwise/conditional_gaussian_engine.hpp"
#include "arcwise/counting_engine.hpp"
#include "arcwise/gaussian_engine.hpp"
#include "arcwise/pairwise_engine.hpp"

#include "arrays.hpp"
#include "batch_engine.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"
#include "python_engine.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

using VariableList = std::vector<Variable>;
using ArcTuple = std::tuple<Variable, Variable, double>; // parent, child, what is added

// For some variables, rows that are left out (not 0).
using RowsByVariable = std::vector<std::pair<Variable, Flat<std::uint8_t>>>;

std::shared_ptr<const RowMasks> masks_of(std::size_t n_rows, std::size_t n_variables, const RowsByVariable &forced,
                                         const RowsByVariable &gaps) {
    if (forced.empty() && gaps.empty()) {
        return nullptr;
    }
    auto masks = std::make_shared<RowMasks>(n_rows, n_variables);
    for (const auto &[variable, rows] : forced) {
        masks->set_forced(variable, {rows.data(), rows.shape(0)});
    }
    for (const auto &[variable, rows] : gaps) {
        masks->set_gaps(variable, {rows.data(), rows.shape(0)});
    }
    return masks;
}

// One that is counted, by its name; or a function in Python.
using Definition = std::variant<std::string, FamilyFunction>;

std::shared_ptr<const ScoreEngine> engine_of(TableView table, const Definition &score, double parameter,
                                             const BitKernels &kernels) {
    if (const auto *function = std::get_if<FamilyFunction>(&score)) {
        return std::make_shared<PythonEngine>(std::move(table), kernels, *function);
    }
    return std::make_shared<CountingEngine>(std::move(table), score_kind(std::get<std::string>(score)), parameter,
                                            kernels);
}

// A function may refer to what refers to the score, such as the module in which both are: the garbage collector must
// see that. It breaks such a cycle elsewhere, because an engine needs its function to the end.
int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self)) {
        Py_VISIT(nb::inst_ptr<BoundScore>(self)->function.ptr());
    }
    return 0;
}

PyType_Slot slots_of_score[] = {{Py_tp_traverse, reinterpret_cast<void *>(&traverse)}, {0, nullptr}};

// A discrete table, checked; it borrows codes and weights.
template <class Code>
TableView table_of(const Codes<Code> &codes, const std::vector<std::uint32_t> &arities,
                   const std::optional<Weights> &weights, const RowsByVariable &forced, const RowsByVariable &gaps) {
    const std::size_t n_rows = codes.shape(0);
    if (codes.shape(1) != arities.size() || n_rows == 0 || (weights && weights->shape(0) != n_rows)) {
        throw std::invalid_argument("codes, arities and weights do not belong together");
    }
    check_codes(codes, arities);
    TableView table{n_rows, arities, codes.data(), {}};
    if (weights) {
        table.weights = {weights->data(), n_rows};
    }
    table.masks = masks_of(n_rows, arities.size(), forced, gaps);
    return table;
}

template <class Code>
void construct(BoundScore *self, const Codes<Code> &codes, const std::vector<std::uint32_t> &arities,
               const std::optional<Weights> &weights, const Definition &score, double parameter,
               const std::string &instructions, std::size_t cache_bytes, const RowsByVariable &forced,
               const RowsByVariable &gaps) {
    TableView table = table_of(codes, arities, weights, forced, gaps);
    const auto *function = std::get_if<FamilyFunction>(&score);
    new (self) BoundScore{
        nb::cast(codes), weights ? nb::cast(*weights) : nb::none(),
        function == nullptr ? nb::object() : nb::object(function->answer),
        LocalScore(engine_of(std::move(table), score, parameter, bit_kernels(instructions)), cache_bytes / 2),
        cache_bytes - cache_bytes / 2};
}

using ColumnsOfNumbers = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

// A score of discrete and continuous variables, which have arity 0. The engine copies the codes and borrows the rest.
template <class Code>
BoundScore *conditional_gaussian(const Codes<Code> &codes, const std::vector<std::uint32_t> &arities,
                                 const ColumnsOfNumbers &numbers, const std::optional<Weights> &weights,
                                 double per_parameter, double gamma, const std::string &instructions,
                                 std::size_t cache_bytes, const RowsByVariable &forced, const RowsByVariable &gaps,
                                 double for_missing) {
    const std::size_t n_rows = codes.shape(0);
    const auto n_continuous = static_cast<std::size_t>(std::ranges::count(arities, 0U));
    if (codes.shape(1) != arities.size() || n_rows == 0 || (weights && weights->shape(0) != n_rows) ||
        numbers.shape(0) != n_rows || numbers.shape(1) != n_continuous) {
        throw std::invalid_argument("codes, arities, numbers and weights do not belong together");
    }
    std::vector<std::uint32_t> most = arities; // a continuous variable has code 0
    std::ranges::replace(most, 0U, 1U);
    check_codes(codes, most);
    MixedTable table{{n_rows, arities, codes.data(), {}}, {numbers.data(), n_rows * n_continuous}};
    if (weights) {
        table.discrete.weights = {weights->data(), n_rows};
    }
    table.discrete.masks = masks_of(n_rows, arities.size(), forced, gaps);
    const BitKernels &kernels = bit_kernels(instructions);
    auto engine = unlocked(
        [&] { return std::make_shared<ConditionalGaussianEngine>(table, per_parameter, gamma, kernels, for_missing); });
    return new BoundScore{nb::cast(numbers), weights ? nb::cast(*weights) : nb::none(), nb::object(),
                          LocalScore(std::move(engine), cache_bytes / 2), cache_bytes - cache_bytes / 2};
}

// A score of a discrete table with gaps, whose codes are not looked at there.
template <class Code>
BoundScore *pairwise(const Codes<Code> &codes, const std::vector<std::uint32_t> &arities,
                     const std::optional<Weights> &weights, double per_parameter, double gamma, double for_missing,
                     const std::string &instructions, std::size_t cache_bytes, const RowsByVariable &forced,
                     const RowsByVariable &gaps) {
    TableView table = table_of(codes, arities, weights, forced, gaps);
    const Penalties penalties{per_parameter, gamma, arities.size()};
    const BitKernels &kernels = bit_kernels(instructions);
    auto engine =
        unlocked([&] { return std::make_shared<PairwiseEngine>(std::move(table), penalties, for_missing, kernels); });
    return new BoundScore{nb::cast(codes), weights ? nb::cast(*weights) : nb::none(), nb::object(),
                          LocalScore(std::move(engine), cache_bytes / 2), cache_bytes - cache_bytes / 2};
}

// The same score with something added to it.
BoundScore *adjusted(const BoundScore &self, double penalty_factor, double per_parent, bool has_uniform_in_degrees,
                     const std::vector<ArcTuple> &arcs, std::size_t cache_bytes) {
    Adjustment adjustment{penalty_factor, per_parent, has_uniform_in_degrees, {}};
    for (const auto &[parent, child, added] : arcs) {
        adjustment.arcs.push_back({parent, child, added});
    }
    auto engine = std::make_shared<AdjustedEngine>(self.score.shared_engine(), adjustment);
    return new BoundScore{self.codes, self.weights, self.function, LocalScore(std::move(engine), cache_bytes / 2),
                          cache_bytes - cache_bytes / 2};
}

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A score of continuous data, which is given by one matrix.
BoundScore *gaussian(const Matrix &gram, const std::vector<std::uint32_t> &widths,
                     const std::vector<double> &log_scales, double n_observations,
                     const std::variant<PenalisedGaussian, BayesianGaussian> &score, const std::string &instructions,
                     std::size_t cache_bytes) {
    if (gram.shape(0) != gram.shape(1)) {
        throw std::invalid_argument("a matrix of " + std::to_string(gram.shape(0)) + " rows and " +
                                    std::to_string(gram.shape(1)) + " columns is not square");
    }
    GaussianData data{{gram.data(), gram.size()}, widths, log_scales, n_observations};
    const GaussianKernels &kernels = gaussian_kernels(instructions);
    auto engine = std::visit(
        [&](const auto &its) { return std::make_shared<GaussianEngine>(std::move(data), its, kernels); }, score);
    return new BoundScore{nb::cast(gram), nb::none(), nb::object(), LocalScore(std::move(engine), cache_bytes / 2),
                          cache_bytes - cache_bytes / 2};
}

} // namespace

void bind_local_score(nb::module_ &module) {
    nb::class_<FamilyFunction>(module, "FamilyFunction", "A score that is computed in Python.")
        .def(
            "__init__",
            [](FamilyFunction *self, nb::callable answer, bool wants_counts, bool is_equivalent, double rounding) {
                new (self) FamilyFunction{std::move(answer), wants_counts, is_equivalent, rounding};
            },
            "answer"_a, "wants_counts"_a, "is_equivalent"_a, "rounding"_a,
            nb::sig("def __init__(self, answer: Callable[[int, tuple[int, ...], NDArray[numpy.int64] | None], float], "
                    "wants_counts: bool, is_equivalent: bool, rounding: float) -> None"));
    nb::class_<PenalisedGaussian>(module, "PenalisedGaussian",
                                  "The likelihood of linear regression less so much for each free parameter, and gamma "
                                  "ln C(n - 1, k) for k parents.")
        .def(nb::init<double, double>(), "per_parameter"_a, "gamma"_a = 0.0);
    nb::class_<BayesianGaussian>(module, "BayesianGaussian", "The Bayesian Gaussian equivalent score.")
        .def(nb::init<double, double>(), "alpha_mu"_a, "alpha_w"_a);
    nb::class_<BoundScore>(module, "LocalScore", nb::type_slots(slots_of_score), "A score bound to a table of codes.")
        .def("__init__", &construct<std::uint8_t>, "codes"_a.noconvert(), "arities"_a, "weights"_a.noconvert().none(),
             "score"_a, "parameter"_a, "instructions"_a, "cache_bytes"_a, "forced"_a = RowsByVariable{},
             "gaps"_a = RowsByVariable{})
        .def("__init__", &construct<std::uint16_t>, "codes"_a.noconvert(), "arities"_a, "weights"_a.noconvert().none(),
             "score"_a, "parameter"_a, "instructions"_a, "cache_bytes"_a, "forced"_a = RowsByVariable{},
             "gaps"_a = RowsByVariable{})
        .def_static("gaussian", &gaussian, nb::rv_policy::take_ownership, "gram"_a.noconvert(), "widths"_a,
                    "log_scales"_a, "n_observations"_a, "score"_a, "instructions"_a, "cache_bytes"_a,
                    "A score of continuous data: gram is the matrix of products of all columns, of which each variable "
                    "has some; of columns with mean 0 and standard deviation 1 where the score is penalised, on their "
                    "own scale and with that of the prior added where it is Bayesian.")
        .def_static("conditional_gaussian", &conditional_gaussian<std::uint8_t>, nb::rv_policy::take_ownership,
                    "codes"_a.noconvert(), "arities"_a, "numbers"_a.noconvert(), "weights"_a.noconvert().none(),
                    "per_parameter"_a, "gamma"_a, "instructions"_a, "cache_bytes"_a, "forced"_a = RowsByVariable{},
                    "gaps"_a = RowsByVariable{}, "for_missing"_a = 0.0,
                    "The score of discrete and continuous variables; these have arity 0, and a column of numbers each.")
        .def_static("conditional_gaussian", &conditional_gaussian<std::uint16_t>, nb::rv_policy::take_ownership,
                    "codes"_a.noconvert(), "arities"_a, "numbers"_a.noconvert(), "weights"_a.noconvert().none(),
                    "per_parameter"_a, "gamma"_a, "instructions"_a, "cache_bytes"_a, "forced"_a = RowsByVariable{},
                    "gaps"_a = RowsByVariable{}, "for_missing"_a = 0.0, "The same with wider codes.")
        .def_static("pairwise", &pairwise<std::uint8_t>, nb::rv_policy::take_ownership, "codes"_a.noconvert(),
                    "arities"_a, "weights"_a.noconvert().none(), "per_parameter"_a, "gamma"_a, "for_missing"_a,
                    "instructions"_a, "cache_bytes"_a, "forced"_a, "gaps"_a,
                    "The score of a table with gaps, each family on the rows that have all of it; codes are below the "
                    "arities also where the value is missing.")
        .def_static("pairwise", &pairwise<std::uint16_t>, nb::rv_policy::take_ownership, "codes"_a.noconvert(),
                    "arities"_a, "weights"_a.noconvert().none(), "per_parameter"_a, "gamma"_a, "for_missing"_a,
                    "instructions"_a, "cache_bytes"_a, "forced"_a, "gaps"_a, "The same with wider codes.")
        .def(
            "local",
            [](const BoundScore &self, Variable child, const VariableList &parents, Budget *budget) {
                check_distinct(self.score.n_variables(), child, parents);
                const nb::gil_scoped_release release;
                return self.score.local(child, parents, budget);
            },
            "child"_a, "parents"_a, "budget"_a.none() = nb::none(), "The score of a child with the given parents.")
        .def(
            "additions",
            [](const BoundScore &self, Variable child, const VariableList &parents,
               const std::optional<VariableList> &chosen, Budget *budget) {
                check_distinct(self.score.n_variables(), child, parents, chosen.value_or(VariableList{}));
                const VariableList candidates = chosen ? *chosen : all_others(self.score, child, parents);
                std::vector<double> scores(candidates.size());
                unlocked([&] { self.score.additions(child, parents, candidates, scores, budget); });
                return to_numpy(std::move(scores));
            },
            "child"_a, "parents"_a, "candidates"_a.none() = nb::none(), "budget"_a.none() = nb::none(),
            "The score with each of the candidates, or of all other variables, as one more parent; NaN where the "
            "budget ended before.")
        .def(
            "removals",
            [](const BoundScore &self, Variable child, const VariableList &parents) {
                check_distinct(self.score.n_variables(), child, parents);
                std::vector<double> scores(parents.size());
                unlocked([&] { self.score.removals(child, parents, scores); });
                return to_numpy(std::move(scores));
            },
            "child"_a, "parents"_a, "The score without each of the parents.")
        .def("adjusted", &adjusted, nb::rv_policy::take_ownership, "penalty_factor"_a, "per_parent"_a,
             "has_uniform_in_degrees"_a, "arcs"_a, "cache_bytes"_a,
             "The same score with what needs no data: its penalty so many times, so much for each parent and for "
             "single arcs (parent, child, number), and -ln C(n - 1, k) for k parents where that is wanted.")
        .def_prop_ro("evaluations", [](const BoundScore &self) { return self.score.evaluations(); })
        .def_prop_ro("cache_hits", [](const BoundScore &self) { return self.score.cache_hits(); })
        .def_prop_ro("rounding", [](const BoundScore &self) { return self.score.rounding(); })
        .def_prop_ro("is_equivalent", [](const BoundScore &self) { return self.score.engine().is_equivalent(); })
        .def_prop_ro("is_counted",
                     [](const BoundScore &self) {
                         const ScoreEngine *engine = &self.score.engine();
                         if (const auto *batches = dynamic_cast<const BatchEngine *>(engine)) {
                             engine = batches->beside();
                         }
                         return dynamic_cast<const CountingEngine *>(engine) != nullptr;
                     })
        .def_prop_ro("has_set_function",
                     [](const BoundScore &self) { return self.score.engine().set_function() != nullptr; })
        .def(
            "seconds_per_addition",
            [](const BoundScore &self, std::size_t n_parents) {
                return self.score.engine().seconds_per_addition(n_parents);
            },
            "n_parents"_a, "Seconds that the score of one more parent takes within a batch, roughly.")
        .def_prop_ro("bytes", [](const BoundScore &self) { return self.score.engine().bytes(); })
        .def_prop_ro("cache_bytes", [](const BoundScore &self) { return self.score.cache_bytes(); });
}

} // namespace arcwise::bindings
