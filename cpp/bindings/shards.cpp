#include "arcwise/shard_counter.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"
#include "family_arrays.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

using Counts = nb::ndarray<std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Code> void append(ShardCounter &self, const Codes<Code> &codes, const std::optional<Weights> &weights) {
    const std::size_t n_rows = codes.shape(0);
    if (codes.shape(1) != self.n_variables() || (weights && weights->shape(0) != n_rows)) {
        throw std::invalid_argument("codes, arities and weights do not belong together");
    }
    check_codes(codes, self.arities());
    TableView table{n_rows, self.arities(), codes.data(), {}};
    if (weights) {
        table.weights = {weights->data(), n_rows};
    }
    const nb::gil_scoped_release release;
    self.append(std::move(table));
}

void add_counts(const ShardCounter &self, const Children &children, const Starts &starts, const Parents &parents,
                const Counts &counts) {
    const FamilyArrays families(self.n_variables(), children, starts, parents);
    const nb::gil_scoped_release release;
    self.add_counts(families.all(), {counts.data(), counts.size()});
}

void add_additions(const ShardCounter &self, const Children &children, const Starts &starts, const Parents &parents,
                   const Children &candidates, const Counts &counts) {
    const FamilyArrays families(self.n_variables(), children, starts, parents);
    std::vector<Variable> among;
    for (const std::int32_t candidate : span_of(candidates)) {
        among.push_back(checked_variable(candidate, self.n_variables()));
    }
    check_distinct(self.n_variables() + 1, static_cast<Variable>(self.n_variables()), among);
    const nb::gil_scoped_release release;
    self.add_additions(families.all(), among, {counts.data(), counts.size()});
}

// Some columns of a block, and its weights.
std::pair<Array<std::uint16_t>, std::optional<Array<std::uint32_t>>> rows(const ShardCounter &self, std::size_t block,
                                                                          const std::vector<std::int32_t> &variables) {
    const Counter &counter = self.block(block);
    const std::size_t n_rows = counter.table().n_rows;
    std::vector<std::uint16_t> codes(n_rows * variables.size());
    auto next = codes.begin();
    for (const std::int32_t variable : variables) {
        counter.with_column(checked_variable(variable, self.n_variables()),
                            [&](const auto *column) { next = std::copy(column, column + n_rows, next); });
    }
    const auto weights = counter.table().weights;
    std::optional<Array<std::uint32_t>> counts;
    if (!weights.empty()) {
        counts = to_numpy(std::vector<std::uint32_t>(weights.begin(), weights.end()));
    }
    return {to_numpy(std::move(codes)), std::move(counts)};
}

// All that is kept of a block, as bits.
std::pair<Array<std::uint64_t>, Array<std::uint64_t>> planes(const ShardCounter &self, std::size_t block) {
    const BitPlanes &planes = self.block(block).planes();
    const auto copied = [](std::span<const std::uint64_t> words) {
        return to_numpy(std::vector<std::uint64_t>(words.begin(), words.end()));
    };
    return {copied(planes.all()), copied(planes.of_weights())};
}

} // namespace

void bind_shards(nb::module_ &module) {
    nb::class_<ShardCounter>(module, "ShardCounter", "Counts of families in a part of a table's rows.")
        .def(
            "__init__",
            [](ShardCounter *self, std::vector<std::uint32_t> arities, const std::string &instructions) {
                new (self) ShardCounter(std::move(arities), bit_kernels(instructions));
            },
            "arities"_a, "instructions"_a)
        .def("append", &append<std::uint8_t>, "codes"_a.noconvert(), "weights"_a.noconvert().none(),
             "Takes some rows in, of which a bit for each state stays.")
        .def("append", &append<std::uint16_t>, "codes"_a.noconvert(), "weights"_a.noconvert().none())
        .def("add_counts", &add_counts, "children"_a.noconvert(), "starts"_a.noconvert(), "parents"_a.noconvert(),
             "counts"_a.noconvert(),
             "Adds how often each cell of each family occurs: all configurations of the parents, the child fastest.")
        .def("add_additions", &add_additions, "children"_a.noconvert(), "starts"_a.noconvert(), "parents"_a.noconvert(),
             "candidates"_a.noconvert(), "counts"_a.noconvert(),
             "Adds the same for each family with each candidate that is not in it, whose states are slowest.")
        .def("rows", &rows, "block"_a, "variables"_a,
             "The codes of some variables in a block, one column behind the other, and the weights of its rows.")
        .def("planes", &planes, "block"_a, "The bits of a block: of its states, and of its weights.")
        .def_prop_ro("n_blocks", &ShardCounter::n_blocks)
        .def_prop_ro("bytes", &ShardCounter::bytes);
}

} // namespace arcwise::bindings
