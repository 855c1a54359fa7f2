// Candidate parent sets of one variable, best first, as searches over orders read them.
#pragma once

#include "arcwise/table_view.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace arcwise {

using Member = std::uint16_t;

// A view: set i has the members begin[i] to begin[i + 1] of `members`, and scores fall.
struct SetList {
    std::span<const double> scores;
    std::span<const std::int64_t> begin; // one more than there are sets
    const Member *members = nullptr;
    std::span<const std::uint32_t> first_rank; // of the first set that holds each variable

    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

    [[nodiscard]] std::size_t size() const noexcept { return scores.size(); }
    [[nodiscard]] std::span<const Member> set(std::size_t i) const noexcept {
        return {members + begin[i], members + begin[i + 1]};
    }
};

// The ranks that a SetList needs, of lists for n variables.
[[nodiscard]] inline std::vector<std::uint32_t> first_ranks(std::size_t n, std::span<const std::int64_t> begin,
                                                            const Member *members) {
    std::vector<std::uint32_t> ranks(n, SetList::nowhere);
    for (std::size_t i = begin.size() - 1; i-- > 0;) {
        for (std::int64_t at = begin[i]; at < begin[i + 1]; ++at) {
            ranks[members[at]] = static_cast<std::uint32_t>(i);
        }
    }
    return ranks;
}

// The lists of all variables of a table in flat arrays, which live longer than this.
class SetTable {
  public:
    SetTable(std::span<const std::int64_t> variable_begin, std::span<const std::int64_t> set_begin,
             std::span<const Member> members, std::span<const double> scores);

    [[nodiscard]] std::size_t n_variables() const noexcept { return lists_.size(); }
    [[nodiscard]] const std::vector<SetList> &lists() const noexcept { return lists_; }

  private:
    std::vector<std::vector<std::uint32_t>> first_ranks_;
    std::vector<SetList> lists_;
};

} // namespace arcwise
