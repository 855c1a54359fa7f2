// Lists of parent sets that grow while an order search runs.
#pragma once

#include "arcwise/parent_search.hpp"
#include "arcwise/set_list.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace arcwise {

// The sets of one variable; it never changes, so that searches share it.
class GrownList {
  public:
    // The old sets, if any, and those of the fresh ones that are new; sets whose scores differ by no more than
    // `rounding` are the same if their members are.
    GrownList(const GrownList *old, const ParentSetList &fresh, double rounding, std::size_t n_variables);

    [[nodiscard]] std::size_t size() const noexcept { return scores_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return 8 * (scores_.size() + begin_.size()) + 2 * members_.size() + masks_->bytes();
    }
    [[nodiscard]] SetList view() const noexcept { return {scores_, begin_, members_.data(), &*masks_}; }

  private:
    std::vector<double> scores_;
    std::vector<std::int64_t> begin_{0};
    std::vector<Member> members_;
    std::optional<SetMasks> masks_; // made last, of the others
};

// All variables' lists. Copies share the lists until one of them grows.
class GrowingLists {
  public:
    GrowingLists(std::span<const ParentSetList> first, double rounding);

    [[nodiscard]] std::size_t n_variables() const noexcept { return lists_.size(); }
    [[nodiscard]] std::size_t n_sets() const noexcept;
    [[nodiscard]] std::size_t bytes() const noexcept;
    [[nodiscard]] SetList view(Variable v) const noexcept { return lists_[v]->view(); }
    // Whether the other lists have the very same one for a variable.
    [[nodiscard]] bool shares(Variable v, const GrowingLists &other) const noexcept {
        return lists_[v] == other.lists_[v];
    }
    // Takes new sets in; returns whether there were any.
    bool grow(Variable v, const ParentSetList &fresh);

  private:
    double rounding_;
    std::vector<std::shared_ptr<const GrownList>> lists_;
};

} // namespace arcwise
