// Constraints that come from Python as arrays, once, and go to many kernels.
#pragma once

#include "arcwise/arc_rules.hpp"

#include "arrays.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <stdexcept>

namespace arcwise::bindings {

using NodeNumbers = Flat<std::int32_t>;
using NodeFlags = Flat<bool>;

// Lists whose members are nodes, each once and none in its own list.
class BoundLists {
  public:
    BoundLists(Flat<std::int64_t> begin, Flat<Variable> nodes);

    [[nodiscard]] std::size_t n_nodes() const noexcept { return begin_.size() - 1; }
    [[nodiscard]] NodeLists view() const { return {span_of(begin_), span_of(nodes_)}; }

  private:
    Flat<std::int64_t> begin_; // keep the borrowed memory alive
    Flat<Variable> nodes_;
};

class BoundRestrictions {
  public:
    BoundRestrictions(BoundLists forbidden, std::optional<BoundLists> candidates, NodeNumbers tiers, NodeFlags isolated,
                      BoundLists exempt);

    [[nodiscard]] ArcRestrictions view() const;
    [[nodiscard]] bool is_over(std::size_t n) const;

  private:
    BoundLists forbidden_;
    std::optional<BoundLists> candidates_;
    NodeNumbers tiers_;
    NodeFlags isolated_;
    BoundLists exempt_;
};

class BoundRules {
  public:
    BoundRules(BoundRestrictions restrictions, BoundLists required, NodeNumbers max_parents, NodeNumbers max_degree,
               std::optional<Flat<Variable>> required_ancestors, std::optional<Flat<Variable>> forbidden_ancestors);

    [[nodiscard]] std::size_t n_variables() const noexcept { return rules_.max_parents.size(); }

    // The rules for kernels over so many variables. Kernels only read them, from any number of threads.
    [[nodiscard]] const ArcRules &over(std::size_t n) const {
        if (n_variables() != n) {
            throw std::invalid_argument("the constraints are for another number of variables");
        }
        return rules_;
    }
    [[nodiscard]] const ArcRules &rules() const noexcept { return rules_; }

  private:
    BoundRestrictions restrictions_;
    BoundLists required_;
    NodeNumbers max_parents_;
    NodeNumbers max_degree_;
    std::optional<Flat<Variable>> required_ancestors_; // pairs, one behind the other
    std::optional<Flat<Variable>> forbidden_ancestors_;
    ArcRules rules_;
};

} // namespace arcwise::bindings
