#include "arcwise/score_engine.hpp"

#include <algorithm>

namespace arcwise {

std::vector<Variable> with_one_more(std::span<const Variable> parents, Variable one_more) {
    std::vector<Variable> more(parents.begin(), parents.end());
    more.push_back(one_more);
    return more;
}

std::vector<Variable> without_one(std::span<const Variable> parents, std::size_t place) {
    std::vector<Variable> fewer(parents.begin(), parents.end());
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(place));
    return fewer;
}

bool ScoreEngine::additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                            const Bounds *bounds, const Budget *budget) const {
    std::ranges::fill(scores, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (budget != nullptr && budget->exhausted()) {
            return false;
        }
        scores[i] = score({family.child, with_one_more(family.parents, candidates[i])});
        if (bounds != nullptr) {
            bounds->values[i] = infinity;
        }
    }
    return true;
}

void ScoreEngine::removals(const Family &family, std::span<const std::size_t> chosen, std::span<double> scores) const {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        scores[i] = score({family.child, without_one(family.parents, chosen[i])});
    }
}

} // namespace arcwise
