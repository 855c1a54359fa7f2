#include "arc_rules.hpp"

#include "bindings.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

std::span<const std::uint8_t> bytes_of(const BoolMatrix &matrix) {
    return {reinterpret_cast<const std::uint8_t *>(matrix.data()), matrix.size()};
}

// Nothing where no limit is below what any graph has: kernels can save the counting then.
std::span<const std::int32_t> limits_in(const NodeLimits &max_degree) {
    const auto limits = span_of(max_degree);
    const bool is_free = std::ranges::all_of(
        limits, [&](std::int32_t most) { return most >= 0 && static_cast<std::size_t>(most) + 1 >= limits.size(); });
    return is_free ? std::span<const std::int32_t>() : limits;
}

} // namespace

BoundRules::BoundRules(BoolMatrix allowed, BoolMatrix required, NodeLimits max_parents, NodeLimits max_degree)
    : allowed_(std::move(allowed)), required_(std::move(required)), max_parents_(std::move(max_parents)),
      max_degree_(std::move(max_degree)),
      rules_{bytes_of(allowed_), bytes_of(required_), span_of(max_parents_), limits_in(max_degree_)} {
    const std::size_t n = max_parents_.shape(0);
    if (max_degree_.shape(0) != n) {
        throw std::invalid_argument("max_parents and max_degree are for different numbers of variables");
    }
    for (const BoolMatrix *matrix : {&allowed_, &required_}) {
        if (matrix->shape(0) != n || matrix->shape(1) != n) {
            throw std::invalid_argument("allowed, required and max_parents are for different numbers of variables");
        }
    }
}

void bind_arc_rules(nb::module_ &module) {
    nb::class_<BoundRules>(module, "ArcRules",
                           "Which arcs a search may use, by [child, parent]; the arrays are kept and must not change.")
        .def(nb::init<BoolMatrix, BoolMatrix, NodeLimits, NodeLimits>(), "allowed"_a.noconvert(),
             "required"_a.noconvert(), "max_parents"_a.noconvert(), "max_degree"_a.noconvert())
        .def_prop_ro("n_variables", &BoundRules::n_variables);
}

} // namespace arcwise::bindings
