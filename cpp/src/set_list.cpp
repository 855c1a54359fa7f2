#include "arcwise/set_list.hpp"

namespace arcwise {

SetTable::SetTable(std::span<const std::int64_t> variable_begin, std::span<const std::int64_t> set_begin,
                   std::span<const Member> members, std::span<const double> scores) {
    const std::size_t n = variable_begin.size() - 1;
    first_ranks_.reserve(n);
    lists_.reserve(n);
    for (std::size_t v = 0; v < n; ++v) {
        const auto first = static_cast<std::size_t>(variable_begin[v]);
        const auto count = static_cast<std::size_t>(variable_begin[v + 1]) - first;
        const auto begin = set_begin.subspan(first, count + 1);
        first_ranks_.push_back(first_ranks(n, begin, members.data()));
        lists_.push_back({scores.subspan(first, count), begin, members.data(), first_ranks_.back()});
    }
}

} // namespace arcwise
