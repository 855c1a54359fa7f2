// A score of counts without the table that they come from: for those who count elsewhere.
#pragma once

#include "arcwise/score.hpp"
#include "arcwise/score_engine.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace arcwise::bindings {

// For tables of so many observations, whose variables have these arities.
struct CountedScore {
    CountedScore(ScoreKind kind, double parameter, std::size_t n_observations, std::vector<std::uint32_t> its_arities)
        : arities(std::move(its_arities)), score(kind, parameter, n_observations, arities.size()) {}

    [[nodiscard]] FamilyShape shape(const Family &family) const {
        return {static_cast<double>(arities[family.child]), configurations(arities, family.parents),
                family.parents.size()};
    }

    std::vector<std::uint32_t> arities;
    Score score;
};

} // namespace arcwise::bindings
