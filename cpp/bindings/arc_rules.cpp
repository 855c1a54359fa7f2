#include "arc_rules.hpp"

#include "bindings.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

// Nothing where no limit is below what any graph has: kernels can save the counting then.
std::span<const std::int32_t> limits_in(const NodeNumbers &max_degree) {
    const auto limits = span_of(max_degree);
    const bool is_free = std::ranges::all_of(
        limits, [&](std::int32_t most) { return most >= 0 && static_cast<std::size_t>(most) + 1 >= limits.size(); });
    return is_free ? std::span<const std::int32_t>() : limits;
}

std::span<const Variable> pairs_in(const std::optional<Flat<Variable>> &pairs) {
    return pairs ? span_of(*pairs) : std::span<const Variable>();
}

template <class T> bool is_none_or_over(const Flat<T> &array, std::size_t n) {
    return array.size() == 0 || array.size() == n;
}

std::size_t checked_node(const BoundRules &rules, std::size_t node) {
    if (node >= rules.n_variables()) {
        throw std::invalid_argument("there is no such variable");
    }
    return node;
}

auto allowed_parents(const BoundRules &rules, std::size_t child) {
    std::vector<std::int64_t> found;
    rules.rules().for_each_allowed(checked_node(rules, child), [&](Variable parent) { found.push_back(parent); });
    return to_numpy(std::move(found));
}

auto are_allowed(const BoundRules &rules, const Flat<std::int64_t> &children, const Flat<std::int64_t> &parents) {
    if (children.size() != parents.size()) {
        throw std::invalid_argument("there must be as many children as parents");
    }
    std::vector<char> found;
    for (std::size_t k = 0; k < children.size(); ++k) {
        const std::size_t child = checked_node(rules, static_cast<std::size_t>(children(k)));
        const std::size_t parent = checked_node(rules, static_cast<std::size_t>(parents(k)));
        found.push_back(rules.rules().is_allowed(child, parent));
    }
    return to_numpy(std::move(found));
}

} // namespace

BoundLists::BoundLists(Flat<std::int64_t> begin, Flat<Variable> nodes)
    : begin_(std::move(begin)), nodes_(std::move(nodes)) {
    const auto starts = span_of(begin_);
    if (starts.empty() || starts.front() != 0 || !std::ranges::is_sorted(starts) ||
        starts.back() != static_cast<std::int64_t>(nodes_.size())) {
        throw std::invalid_argument("the lists must begin one behind the other");
    }
    for (std::size_t node = 0; node < n_nodes(); ++node) {
        const auto list = view().of(node);
        if (std::ranges::adjacent_find(list, std::greater_equal<>()) != list.end() ||
            std::ranges::binary_search(list, static_cast<Variable>(node)) ||
            (!list.empty() && list.back() >= n_nodes())) {
            throw std::invalid_argument("each list must be ascending, of nodes other than its own");
        }
    }
}

BoundRestrictions::BoundRestrictions(BoundLists forbidden, std::optional<BoundLists> candidates, NodeNumbers tiers,
                                     NodeFlags isolated, BoundLists exempt)
    : forbidden_(std::move(forbidden)), candidates_(std::move(candidates)), tiers_(std::move(tiers)),
      isolated_(std::move(isolated)), exempt_(std::move(exempt)) {}

ArcRestrictions BoundRestrictions::view() const {
    return {forbidden_.view(),
            candidates_ ? std::optional(candidates_->view()) : std::nullopt,
            span_of(tiers_),
            {reinterpret_cast<const std::uint8_t *>(isolated_.data()), isolated_.size()},
            exempt_.view()};
}

bool BoundRestrictions::is_over(std::size_t n) const {
    return forbidden_.n_nodes() == n && exempt_.n_nodes() == n && (!candidates_ || candidates_->n_nodes() == n) &&
           is_none_or_over(tiers_, n) && is_none_or_over(isolated_, n);
}

BoundRules::BoundRules(BoundRestrictions restrictions, BoundLists required, NodeNumbers max_parents,
                       NodeNumbers max_degree, std::optional<Flat<Variable>> required_ancestors,
                       std::optional<Flat<Variable>> forbidden_ancestors)
    : restrictions_(std::move(restrictions)), required_(std::move(required)), max_parents_(std::move(max_parents)),
      max_degree_(std::move(max_degree)), required_ancestors_(std::move(required_ancestors)),
      forbidden_ancestors_(std::move(forbidden_ancestors)),
      rules_(restrictions_.view(), required_.view(), span_of(max_parents_), limits_in(max_degree_),
             {pairs_in(required_ancestors_), pairs_in(forbidden_ancestors_)}) {
    const std::size_t n = max_parents_.size();
    if (max_degree_.size() != n || required_.n_nodes() != n || !restrictions_.is_over(n)) {
        throw std::invalid_argument("the lists and limits are for different numbers of variables");
    }
    for (const auto pairs : {rules_.ancestors.required, rules_.ancestors.forbidden}) {
        if (pairs.size() % 2 != 0 || std::ranges::any_of(pairs, [&](Variable node) { return node >= n; })) {
            throw std::invalid_argument("ancestors and descendants must be pairs of variables");
        }
    }
}

void bind_arc_rules(nb::module_ &module) {
    nb::class_<BoundLists>(module, "NodeLists",
                           "Lists of nodes, one for each node, ascending; the arrays are kept and must not change.")
        .def(nb::init<Flat<std::int64_t>, Flat<Variable>>(), "begin"_a.noconvert(), "nodes"_a.noconvert());
    nb::class_<BoundRestrictions>(module, "ArcRestrictions", "What forbids arcs; the arrays must not change.")
        .def(nb::init<BoundLists, std::optional<BoundLists>, NodeNumbers, NodeFlags, BoundLists>(), "forbidden"_a,
             "candidates"_a.none(), "tiers"_a.noconvert(), "isolated"_a.noconvert(), "exempt"_a);
    nb::class_<BoundRules>(module, "ArcRules", "Which arcs a search may use, and which it must.")
        .def(nb::init<BoundRestrictions, BoundLists, NodeNumbers, NodeNumbers, std::optional<Flat<Variable>>,
                      std::optional<Flat<Variable>>>(),
             "restrictions"_a, "required"_a, "max_parents"_a.noconvert(), "max_degree"_a.noconvert(),
             "required_ancestors"_a.noconvert() = nb::none(), "forbidden_ancestors"_a.noconvert() = nb::none())
        .def_prop_ro("n_variables", &BoundRules::n_variables)
        .def_prop_ro(
            "allows_all", [](const BoundRules &self) { return self.rules().allows_all(); },
            "Whether nothing forbids any arc.")
        .def_prop_ro(
            "is_symmetric", [](const BoundRules &self) { return self.rules().is_symmetric(); },
            "Whether every arc is allowed if its reverse is.")
        .def("allowed_parents", &allowed_parents, "child"_a, "The parents that a child may have, ascending.",
             nb::sig("def allowed_parents(self, child: int) -> NDArray[numpy.int64]"))
        .def("are_allowed", &are_allowed, "children"_a.noconvert(), "parents"_a.noconvert(),
             "Whether each arc is allowed.",
             nb::sig("def are_allowed(self, children: NDArray[numpy.int64], parents: NDArray[numpy.int64]) -> "
                     "NDArray[numpy.bool_]"))
        .def(
            "is_allowed",
            [](const BoundRules &self, std::size_t child, std::size_t parent) {
                return self.rules().is_allowed(checked_node(self, child), checked_node(self, parent));
            },
            "child"_a, "parent"_a)
        .def(
            "is_required",
            [](const BoundRules &self, std::size_t child, std::size_t parent) {
                return self.rules().is_required(checked_node(self, child), checked_node(self, parent));
            },
            "child"_a, "parent"_a);
}

} // namespace arcwise::bindings
