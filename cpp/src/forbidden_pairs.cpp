#include "arcwise/forbidden_pairs.hpp"

#include <algorithm>
#include <utility>

namespace arcwise {

bool ForbiddenPairs::is_out(Variable node, Variable x) const noexcept {
    const auto &[has_looked, members] = sides_[node];
    const bool is_member = std::ranges::binary_search(members, x);
    return has_looked ? !is_member && rules_.is_allowed(node, x) : is_member;
}

void ForbiddenPairs::insert(Variable node, Variable x) {
    auto &[has_looked, members] = sides_[node];
    const auto place = std::ranges::lower_bound(members, x);
    const bool is_member = place != members.end() && *place == x;
    if (has_looked && is_member) {
        members.erase(place);
    } else if (!has_looked && !is_member) {
        members.insert(place, x);
    }
}

void ForbiddenPairs::leave(Variable node, std::vector<Variable> open) { sides_[node] = {true, std::move(open)}; }

} // namespace arcwise
