// Candidate parent sets of one variable, best first, as order searches read them.
#pragma once

#include "arcwise/table_view.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

using Member = std::uint16_t;

// Sets as bit masks over the variables that occur in the list: whether a set fits under an order is then a word
// operation or two, without a branch for each member.
class SetMasks {
  public:
    // Sets as in SetList; n is the number of all variables.
    SetMasks(std::size_t n, std::span<const std::int64_t> begin, const Member *members);

    [[nodiscard]] std::span<const Member> universe() const noexcept { return universe_; } // what bits stand for
    [[nodiscard]] std::size_t words() const noexcept { return words_; }
    [[nodiscard]] const std::uint64_t *mask(std::size_t i) const noexcept { return bits_.data() + i * words_; }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return 8 * bits_.size() + 4 * first_ranks_.size() + 2 * universe_.size();
    }
    // For every bit the first set that has it: never falling, because bits are given in the order of the sets.
    [[nodiscard]] std::span<const std::uint32_t> first_ranks() const noexcept { return first_ranks_; }

  private:
    std::size_t words_ = 0;
    std::vector<Member> universe_;
    std::vector<std::uint64_t> bits_;
    std::vector<std::uint32_t> first_ranks_;
};

// A view: set i has the members begin[i] to begin[i + 1] of `members`, and scores fall.
struct SetList {
    std::span<const double> scores;
    std::span<const std::int64_t> begin; // one more than there are sets
    const Member *members = nullptr;
    const SetMasks *masks = nullptr;

    [[nodiscard]] std::size_t size() const noexcept { return scores.size(); }
    [[nodiscard]] std::span<const Member> set(std::size_t i) const noexcept {
        return {members + begin[i], members + begin[i + 1]};
    }
};

// The lists of all variables of a table in flat arrays, which live longer than this.
class SetTable {
  public:
    SetTable(std::span<const std::int64_t> variable_begin, std::span<const std::int64_t> set_begin,
             std::span<const Member> members, std::span<const double> scores);
    SetTable(const SetTable &) = delete; // lists point into it
    SetTable &operator=(const SetTable &) = delete;

    [[nodiscard]] std::size_t n_variables() const noexcept { return lists_.size(); }
    [[nodiscard]] std::size_t n_sets() const noexcept { return n_sets_; } // of all variables together
    [[nodiscard]] const std::vector<SetList> &lists() const noexcept { return lists_; }

  private:
    std::size_t n_sets_;
    std::vector<SetMasks> masks_;
    std::vector<SetList> lists_;
};

} // namespace arcwise
