#include "arcwise/expected_engine.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

// With the weights, which it borrows.
struct BoundGapTable {
    nb::object weights;
    std::shared_ptr<const GapTable> table;
};

template <class Code>
void construct_table(BoundGapTable *self, const Codes<Code> &codes, const std::vector<std::uint32_t> &arities,
                     const std::optional<Weights> &weights) {
    const std::size_t n_rows = codes.shape(0);
    if (codes.shape(1) != arities.size() || n_rows == 0 || (weights && weights->shape(0) != n_rows)) {
        throw std::invalid_argument("codes, arities and weights do not belong together");
    }
    std::vector<std::uint32_t> with_gap = arities; // which has a code of its own
    for (std::uint32_t &arity : with_gap) {
        if (arity == 0 || arity > 0xffff) {
            throw std::invalid_argument("an arity must be from 1 to 65535");
        }
        ++arity;
    }
    check_codes(codes, with_gap);
    TableView view{n_rows, arities, codes.data(), {}};
    if (weights) {
        view.weights = {weights->data(), n_rows};
    }
    new (self) BoundGapTable{weights ? nb::cast(*weights) : nb::none(),
                             unlocked([&] { return std::make_shared<const GapTable>(view); })};
}

struct BoundPosteriors {
    nb::object weights;
    std::shared_ptr<const GapPosteriors> posteriors;

    [[nodiscard]] const GapPosteriors &complete() const {
        if (!posteriors->is_complete()) {
            throw std::invalid_argument("the budget has ended before all posteriors were there");
        }
        return *posteriors;
    }
};

BoundPosteriors *posteriors(const BoundGapTable &self, const std::vector<std::vector<Variable>> &parents,
                            const std::vector<Flat<double>> &logarithms, std::size_t most_cells, std::size_t most_bytes,
                            std::uint64_t seed, Budget &budget) {
    const auto n = static_cast<Variable>(self.table->n_variables());
    if (parents.size() != n || logarithms.size() != n) {
        throw std::invalid_argument("the network has other variables than the table");
    }
    NetworkTables network{parents, {}};
    for (Variable child = 0; child < n; ++child) {
        check_distinct(n, child, parents[child]);
        const std::span<const double> its = span_of(logarithms[child]);
        network.logarithms.emplace_back(its.begin(), its.end());
    }
    return new BoundPosteriors{self.weights, unlocked([&] {
                                   return std::make_shared<const GapPosteriors>(
                                       self.table, network, GapLimits{most_cells, most_bytes, seed}, budget);
                               })};
}

Array<double> counts(const BoundPosteriors &self, Variable child, const std::vector<Variable> &parents,
                     std::size_t most_cells) {
    const GapPosteriors &its = self.complete();
    check_distinct(its.table().n_variables(), child, parents);
    return to_numpy(unlocked([&] { return expected_counts(its, {child, parents}, most_cells); }));
}

BoundScore *score(const BoundPosteriors &self, const std::string &name, double parameter, std::size_t cache_bytes) {
    (void)self.complete();
    auto engine = std::make_shared<ExpectedEngine>(self.posteriors, score_kind(name), parameter);
    return new BoundScore{nb::none(), self.weights, nb::object(), LocalScore(std::move(engine), cache_bytes / 2),
                          cache_bytes - cache_bytes / 2};
}

} // namespace

void bind_gaps(nb::module_ &module) {
    nb::class_<BoundPosteriors>(module, "GapPosteriors", "The posteriors of the gaps of a table in a network.")
        .def("counts", &counts, "child"_a, "parents"_a, "most_cells"_a,
             "The expected counts of a family, flat: the first parent varies slowest, the child fastest.")
        .def("score", &score, nb::rv_policy::take_ownership, "score"_a, "parameter"_a, "cache_bytes"_a,
             "The score of expected counts.")
        .def(
            "draw",
            [](const BoundPosteriors &self, std::uint64_t seed) {
                const GapPosteriors &its = self.complete();
                return to_numpy(unlocked([&] { return its.draw(seed); }));
            },
            "seed"_a, "All codes, column by column, with the gaps filled by one draw.")
        .def_prop_ro("is_complete", [](const BoundPosteriors &self) { return self.posteriors->is_complete(); })
        .def_prop_ro("log_likelihood", [](const BoundPosteriors &self) { return self.complete().log_likelihood(); })
        .def(
            "row_log_likelihoods",
            [](const BoundPosteriors &self) {
                const auto rows = self.complete().row_log_likelihoods();
                return to_numpy(std::vector<double>(rows.begin(), rows.end()));
            },
            "The logarithm of the probability of what is there in each row.")
        .def_prop_ro("most_cells", [](const BoundPosteriors &self) { return self.posteriors->most_cells(); })
        .def_prop_ro("n_entries", [](const BoundPosteriors &self) { return self.posteriors->n_entries(); })
        .def_prop_ro("n_drawn_rows", [](const BoundPosteriors &self) { return self.posteriors->n_drawn_rows(); })
        .def_prop_ro("bytes", [](const BoundPosteriors &self) { return self.posteriors->bytes(); });
    nb::class_<BoundGapTable>(module, "GapTable", "A table of codes in which a gap has the code one past the last.")
        .def("__init__", &construct_table<std::uint8_t>, "codes"_a.noconvert(), "arities"_a,
             "weights"_a.noconvert().none())
        .def("__init__", &construct_table<std::uint16_t>, "codes"_a.noconvert(), "arities"_a,
             "weights"_a.noconvert().none())
        .def("posteriors", &posteriors, nb::rv_policy::take_ownership, "parents"_a, "logarithms"_a, "most_cells"_a,
             "most_bytes"_a, "seed"_a, "budget"_a,
             "What is known of the gaps in a network: the parents of each variable, and the logarithms of its "
             "probabilities, flat, the first parent varying slowest.")
        .def_prop_ro("n_gaps", [](const BoundGapTable &self) { return self.table->n_gaps(); });
}

} // namespace arcwise::bindings
