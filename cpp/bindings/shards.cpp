#include "arcwise/shard_counter.hpp"
#include "bindings.hpp"
#include "bound_score.hpp"
#include "family_arrays.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

// A part of a table's rows, with the arrays it borrows.
struct BoundShard {
    nb::object codes;
    nb::object weights;
    ShardCounter counter;
};

using Counts = nb::ndarray<std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Code>
void construct(BoundShard *self, const Codes<Code> &codes, const std::vector<std::uint32_t> &arities,
               const std::optional<Weights> &weights, const std::string &instructions) {
    const std::size_t n_rows = codes.shape(0);
    if (codes.shape(1) != arities.size() || n_rows == 0 || (weights && weights->shape(0) != n_rows)) {
        throw std::invalid_argument("codes, arities and weights do not belong together");
    }
    check_codes(codes, arities);
    TableView table{n_rows, arities, codes.data(), {}};
    if (weights) {
        table.weights = {weights->data(), n_rows};
    }
    const BitKernels &kernels = bit_kernels(instructions);
    nb::object kept_codes = nb::cast(codes);
    nb::object kept_weights = weights ? nb::cast(*weights) : nb::none();
    const nb::gil_scoped_release release;
    new (self) BoundShard{std::move(kept_codes), std::move(kept_weights), {std::move(table), kernels}};
}

// The part of the counts that the next table takes.
std::span<std::uint32_t> next_of(std::span<std::uint32_t> &left, std::size_t size) {
    if (left.size() < size) {
        throw std::invalid_argument("there is less room than there are cells");
    }
    const auto next = left.first(size);
    left = left.subspan(size);
    return next;
}

void add_counts(const BoundShard &self, const Children &children, const Starts &starts, const Parents &parents,
                const Counts &counts) {
    const FamilyArrays families(self.counter.counter().table().n_variables(), children, starts, parents);
    std::span<std::uint32_t> left(counts.data(), counts.size());
    const nb::gil_scoped_release release;
    for (const Family &family : families.all()) {
        self.counter.add_counts(family, next_of(left, self.counter.cells(family)));
    }
}

void add_additions(const BoundShard &self, const Children &children, const Starts &starts, const Parents &parents,
                   const Children &candidates, const Counts &counts) {
    const std::size_t n_variables = self.counter.counter().table().n_variables();
    const FamilyArrays families(n_variables, children, starts, parents);
    std::vector<Variable> among;
    for (const std::int32_t candidate : span_of(candidates)) {
        among.push_back(checked_variable(candidate, n_variables));
    }
    check_distinct(n_variables + 1, static_cast<Variable>(n_variables), among);
    std::span<std::uint32_t> left(counts.data(), counts.size());
    const nb::gil_scoped_release release;
    for (const Family &family : families.all()) {
        self.counter.add_additions(family, among, next_of(left, self.counter.cells_of_additions(family, among)));
    }
}

} // namespace

void bind_shards(nb::module_ &module) {
    nb::class_<BoundShard>(module, "ShardCounter", "Counts of families in a part of a table's rows.")
        .def("__init__", &construct<std::uint8_t>, "codes"_a.noconvert(), "arities"_a, "weights"_a.noconvert().none(),
             "instructions"_a)
        .def("__init__", &construct<std::uint16_t>, "codes"_a.noconvert(), "arities"_a, "weights"_a.noconvert().none(),
             "instructions"_a)
        .def("add_counts", &add_counts, "children"_a.noconvert(), "starts"_a.noconvert(), "parents"_a.noconvert(),
             "counts"_a.noconvert(),
             "Adds how often each cell of each family occurs: all configurations of the parents, the child fastest.")
        .def("add_additions", &add_additions, "children"_a.noconvert(), "starts"_a.noconvert(), "parents"_a.noconvert(),
             "candidates"_a.noconvert(), "counts"_a.noconvert(),
             "Adds the same for each family with each candidate that is not in it, whose states are slowest.")
        .def_prop_ro("bytes", [](const BoundShard &self) { return self.counter.counter().bytes(); });
}

} // namespace arcwise::bindings
