// Batches of families as arrays: the children, and the parents of all one behind the other.
#pragma once

#include "arcwise/score_engine.hpp"

#include "arrays.hpp"

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace arcwise::bindings {

using Children = Flat<std::int32_t>;
using Starts = Flat<std::int64_t>;
using Parents = Flat<std::int32_t>;

inline Variable checked_variable(std::int32_t variable, std::size_t n_variables) {
    if (variable < 0 || static_cast<std::size_t>(variable) >= n_variables) {
        throw std::invalid_argument("a batch has a variable that is unknown");
    }
    return static_cast<Variable>(variable);
}

// Checked, and copied: arrays may change while no lock is held.
class FamilyArrays {
  public:
    FamilyArrays(std::size_t n_variables, const Children &children, const Starts &starts, const Parents &parents) {
        const auto begin = span_of(starts);
        if (begin.size() != children.size() + 1 || begin.front() != 0 || !std::ranges::is_sorted(begin) ||
            static_cast<std::size_t>(begin.back()) != parents.size()) {
            throw std::invalid_argument("the arrays of a batch of families do not belong together");
        }
        for (const std::int32_t parent : span_of(parents)) {
            parents_.push_back(checked_variable(parent, n_variables));
        }
        for (std::size_t i = 0; i < children.size(); ++i) {
            const Variable child = checked_variable(span_of(children)[i], n_variables);
            const auto first = static_cast<std::size_t>(begin[i]);
            const std::span<const Variable> its(parents_.data() + first,
                                                static_cast<std::size_t>(begin[i + 1]) - first);
            check_distinct(n_variables, child, {its.begin(), its.end()});
            families_.push_back({child, its});
        }
    }
    FamilyArrays(const FamilyArrays &) = delete;
    FamilyArrays &operator=(const FamilyArrays &) = delete;

    [[nodiscard]] const std::vector<Family> &all() const noexcept { return families_; }

  private:
    std::vector<Variable> parents_;
    std::vector<Family> families_;
};

} // namespace arcwise::bindings
