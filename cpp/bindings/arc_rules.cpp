#include "arc_rules.hpp"

#include "bindings.hpp"

#include <span>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

std::span<const std::uint8_t> bytes_of(const BoolMatrix &matrix) {
    return {reinterpret_cast<const std::uint8_t *>(matrix.data()), matrix.size()};
}

} // namespace

BoundRules::BoundRules(BoolMatrix allowed, BoolMatrix required, ParentLimits max_parents)
    : allowed_(std::move(allowed)), required_(std::move(required)), max_parents_(std::move(max_parents)),
      rules_{bytes_of(allowed_), bytes_of(required_), span_of(max_parents_)} {
    const std::size_t n = max_parents_.shape(0);
    for (const BoolMatrix *matrix : {&allowed_, &required_}) {
        if (matrix->shape(0) != n || matrix->shape(1) != n) {
            throw std::invalid_argument("allowed, required and max_parents are for different numbers of variables");
        }
    }
}

void bind_arc_rules(nb::module_ &module) {
    nb::class_<BoundRules>(module, "ArcRules",
                           "Which arcs a search may use, by [child, parent]; the arrays are kept and must not change.")
        .def(nb::init<BoolMatrix, BoolMatrix, ParentLimits>(), "allowed"_a.noconvert(), "required"_a.noconvert(),
             "max_parents"_a.noconvert())
        .def_prop_ro("n_variables", &BoundRules::n_variables);
}

} // namespace arcwise::bindings
