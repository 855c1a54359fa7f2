#include "arcwise/inference.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using AnyCodes = std::variant<Codes<std::uint8_t>, Codes<std::uint16_t>>;
using Cost = std::tuple<std::size_t, double, double>;

// The arrays that evidence is read from.
struct BoundEvidence {
    AnyCodes codes;
    std::vector<std::pair<std::uint32_t, Rows>> likelihoods;
    RowEvidence evidence;
    std::size_t n_nodes;
};

BoundEvidence bound_evidence(AnyCodes codes, std::vector<std::pair<std::uint32_t, Rows>> likelihoods) {
    BoundEvidence bound{std::move(codes), std::move(likelihoods), {}, 0};
    std::visit(
        [&](const auto &array) {
            bound.evidence.n_rows = array.shape(0);
            bound.n_nodes = array.shape(1);
            if constexpr (std::is_same_v<std::decay_t<decltype(array)>, Codes<std::uint8_t>>) {
                bound.evidence.narrow = array.data();
            } else {
                bound.evidence.wide = array.data();
            }
        },
        bound.codes);
    if (bound.evidence.n_rows > std::numeric_limits<std::uint32_t>::max()) {
        throw std::invalid_argument("there are too many rows");
    }
    for (const auto &[node, rows] : bound.likelihoods) {
        const bool is_same = rows.shape(0) == 1;
        if (node >= bound.n_nodes || (!is_same && rows.shape(0) != bound.evidence.n_rows)) {
            throw std::invalid_argument("the likelihoods of node " + std::to_string(node) + " do not fit the codes");
        }
        bound.evidence.likelihoods.push_back({node, rows.data(), is_same});
    }
    return bound;
}

DiscreteNetwork checked_network(std::vector<std::uint32_t> arities, const std::vector<Scope> &parents,
                                const std::vector<Flat<double>> &tables) {
    if (parents.size() != arities.size() || tables.size() != arities.size()) {
        throw std::invalid_argument("arities, parents and tables do not belong together");
    }
    std::vector<std::vector<double>> numbers;
    for (std::uint32_t node = 0; node < arities.size(); ++node) {
        check_distinct(arities.size(), node, parents[node]);
        std::size_t cells = arities[node];
        for (const std::uint32_t parent : parents[node]) {
            cells *= arities[parent]; // no more than the numbers that are there, or it does not fit
            if (cells > tables[node].size()) {
                break;
            }
        }
        if (cells != tables[node].size() || cells == 0 || cells > std::numeric_limits<std::uint32_t>::max()) {
            throw std::invalid_argument("the table of node " + std::to_string(node) + " has another size");
        }
        numbers.emplace_back(tables[node].data(), tables[node].data() + cells);
    }
    DiscreteNetwork network(std::move(arities), parents, std::move(numbers));
    if (network.order.size() != network.size()) {
        throw std::invalid_argument("the parents form a cycle");
    }
    return network;
}

void check_sets(const Inference &self, const std::vector<Scope> &sets) {
    for (const Scope &set : sets) {
        if (set.empty()) {
            throw std::invalid_argument("a set is empty");
        }
        check_distinct(self.network().size(), set.front(), {set.begin() + 1, set.end()});
    }
}

void check_evidence(const Inference &self, const BoundEvidence &bound) {
    const DiscreteNetwork &network = self.network();
    if (bound.n_nodes != network.size()) {
        throw std::invalid_argument("the codes must have a column for each node");
    }
    for (const auto &[node, rows] : bound.likelihoods) {
        if (rows.shape(1) != network.arities[node]) {
            throw std::invalid_argument("the likelihoods of node " + std::to_string(node) + " do not fit its states");
        }
    }
}

Cost cost_of(const CliqueCost &cost) { return {cost.largest_nodes, cost.largest_cells, cost.cells}; }

std::optional<Cost> refusal(const InferenceOutcome &outcome) {
    return outcome.too_wide ? std::optional(cost_of(*outcome.too_wide)) : std::nullopt;
}

nb::tuple posteriors(const Inference &self, const BoundEvidence &bound, const std::vector<Scope> &sets,
                     std::size_t max_bytes, const Budget &budget) {
    check_sets(self, sets);
    check_evidence(self, bound);
    const std::size_t n_rows = bound.evidence.n_rows;
    const double most = static_cast<double>(max_bytes) / 8.0;
    double numbers = 0.0;
    for (const Scope &set : sets) {
        double cells = 1.0;
        for (const std::uint32_t node : set) {
            cells *= self.network().arities[node];
        }
        if (cells > std::numeric_limits<std::uint32_t>::max()) {
            throw std::invalid_argument("a set has too many states");
        }
        numbers += cells * static_cast<double>(n_rows);
    }
    if (numbers > most) {
        throw std::invalid_argument("the answers do not fit into the memory");
    }
    std::vector<std::vector<double>> tables;
    RowAnswers answers;
    for (const Scope &set : sets) {
        std::size_t cells = n_rows;
        for (const std::uint32_t node : set) {
            cells *= self.network().arities[node];
        }
        tables.emplace_back(cells, 0.0);
        answers.posteriors.push_back(tables.back().data());
    }
    std::vector<double> logs(n_rows, std::numeric_limits<double>::quiet_NaN());
    answers.log_probabilities = logs;
    const Question question{Question::Kind::posteriors, sets};
    const InferenceOutcome outcome =
        unlocked([&] { return self.answer(question, bound.evidence, answers, {max_bytes}, budget); });
    nb::list arrays;
    for (std::vector<double> &table : tables) {
        arrays.append(to_numpy(std::move(table)));
    }
    return nb::make_tuple(arrays, to_numpy(std::move(logs)), refusal(outcome));
}

template <class Code>
nb::tuple states_as(const Inference &self, const BoundEvidence &bound, Question::Kind kind, std::uint64_t seed,
                    std::size_t max_bytes, const Budget &budget) {
    const auto &given = std::get<Codes<Code>>(bound.codes);
    std::vector<Code> codes(given.data(), given.data() + given.size());
    std::vector<double> logs(bound.evidence.n_rows, std::numeric_limits<double>::quiet_NaN());
    RowAnswers answers;
    answers.log_probabilities = logs;
    answers.seed = seed;
    if constexpr (sizeof(Code) == 1) {
        answers.narrow = codes.data();
    } else {
        answers.wide = codes.data();
    }
    const Question question{kind, {}};
    const InferenceOutcome outcome =
        unlocked([&] { return self.answer(question, bound.evidence, answers, {max_bytes}, budget); });
    return nb::make_tuple(to_numpy(std::move(codes)), to_numpy(std::move(logs)), refusal(outcome));
}

nb::tuple states(const Inference &self, const BoundEvidence &bound, std::optional<std::uint64_t> seed,
                 std::size_t max_bytes, const Budget &budget) {
    check_evidence(self, bound);
    const Question::Kind kind = seed ? Question::Kind::draws : Question::Kind::most_probable;
    return bound.evidence.wide == nullptr
               ? states_as<std::uint8_t>(self, bound, kind, seed.value_or(0), max_bytes, budget)
               : states_as<std::uint16_t>(self, bound, kind, seed.value_or(0), max_bytes, budget);
}

Cost cost(const Inference &self, const std::vector<Scope> &sets, const std::vector<std::uint32_t> &known) {
    check_sets(self, sets);
    std::vector<Known> of_nodes(self.network().size(), Known::never);
    for (const std::uint32_t node : known) {
        of_nodes.at(node) = Known::always;
    }
    const Question question{Question::Kind::posteriors, sets};
    return cost_of(unlocked([&] { return self.cost(question, of_nodes); }));
}

} // namespace

void bind_inference(nb::module_ &module) {
    nb::class_<BoundEvidence>(module, "RowEvidence", "What is known in some rows: codes, and likelihoods of states.")
        .def(
            "__init__",
            [](BoundEvidence *self, AnyCodes codes, std::vector<std::pair<std::uint32_t, Rows>> likelihoods) {
                new (self) BoundEvidence(bound_evidence(std::move(codes), std::move(likelihoods)));
            },
            "codes"_a.noconvert(), "likelihoods"_a.noconvert());
    nb::class_<Inference>(module, "Inference", "Exact answers about a network of tables, for rows of evidence.")
        .def(
            "__init__",
            [](Inference *self, std::vector<std::uint32_t> arities, const std::vector<Scope> &parents,
               const std::vector<Flat<double>> &tables) {
                new (self) Inference(checked_network(std::move(arities), parents, tables));
            },
            "arities"_a, "parents"_a, "tables"_a.noconvert())
        .def("cost", &cost, "sets"_a, "known"_a,
             "Nodes and cells of the largest clique, and cells of all, where joint posteriors of some sets are asked "
             "for and some nodes are known.")
        .def("posteriors", &posteriors, "evidence"_a, "sets"_a, "max_bytes"_a, "budget"_a,
             "Joint posteriors of each set in each row, one row after the other; the logarithm of the probability of "
             "each row's evidence, NaN where the budget ended it; and what would have been needed if that is too much.",
             nb::sig("def posteriors(self, evidence: RowEvidence, sets: collections.abc.Sequence["
                     "collections.abc.Sequence[int]], max_bytes: int, budget: Budget) -> "
                     "tuple[list[NDArray[numpy.float64]], NDArray[numpy.float64], tuple[int, float, float] | None]"))
        .def("states", &states, "evidence"_a, "seed"_a.none(), "max_bytes"_a, "budget"_a,
             "The most probable states of all nodes, or with a seed some that are drawn, column by column; the "
             "logarithms of their probability, or of that of the evidence; and what would have been needed.",
             nb::sig("def states(self, evidence: RowEvidence, seed: int | None, max_bytes: int, budget: Budget) -> "
                     "tuple[NDArray[numpy.uint8] | NDArray[numpy.uint16], NDArray[numpy.float64], "
                     "tuple[int, float, float] | None]"));
}

} // namespace arcwise::bindings
