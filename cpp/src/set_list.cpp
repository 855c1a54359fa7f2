#include "arcwise/set_list.hpp"

#include <limits>

namespace arcwise {

SetMasks::SetMasks(std::size_t n, std::span<const std::int64_t> begin, const Member *members) {
    const std::size_t n_sets = begin.size() - 1;
    const auto first = static_cast<std::size_t>(begin.front());
    const auto last = static_cast<std::size_t>(begin.back());
    if (first == last) { // only the empty set, as of all variables when there was no time for more
        return;
    }
    constexpr Member none = std::numeric_limits<Member>::max(); // there are fewer variables
    std::vector<Member> bit(n, none);
    std::size_t set = 0;
    for (std::size_t at = first; at < last; ++at) {
        while (static_cast<std::size_t>(begin[set + 1]) <= at) {
            ++set;
        }
        if (bit[members[at]] == none) {
            first_ranks_.push_back(static_cast<std::uint32_t>(set));
            bit[members[at]] = static_cast<Member>(universe_.size());
            universe_.push_back(members[at]);
        }
    }
    words_ = (universe_.size() + 63) / 64;
    bits_.assign(n_sets * words_, 0);
    for (std::size_t i = 0; i < n_sets; ++i) {
        for (auto at = static_cast<std::size_t>(begin[i]); at < static_cast<std::size_t>(begin[i + 1]); ++at) {
            const std::size_t k = bit[members[at]];
            bits_[i * words_ + k / 64] |= std::uint64_t{1} << (k % 64);
        }
    }
}

SetTable::SetTable(std::span<const std::int64_t> variable_begin, std::span<const std::int64_t> set_begin,
                   std::span<const Member> members, std::span<const double> scores)
    : n_sets_(scores.size()) {
    const std::size_t n = variable_begin.size() - 1;
    masks_.reserve(n); // lists point to them
    lists_.reserve(n);
    for (std::size_t v = 0; v < n; ++v) {
        const auto first = static_cast<std::size_t>(variable_begin[v]);
        const auto count = static_cast<std::size_t>(variable_begin[v + 1]) - first;
        const auto begin = set_begin.subspan(first, count + 1);
        masks_.emplace_back(n, begin, members.data());
        lists_.push_back({scores.subspan(first, count), begin, members.data(), &masks_.back()});
    }
}

} // namespace arcwise
