#include "arcwise/score_engine.hpp"

#include "arcwise/best_first.hpp"
#include "arcwise/shared_additions.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>

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

namespace {

// All variables but a child and its parents.
std::vector<Variable> outside(std::size_t n, const Family &family) {
    std::vector<Variable> within(family.parents.begin(), family.parents.end());
    within.push_back(family.child);
    std::ranges::sort(within);
    std::vector<Variable> others(n - within.size());
    auto end = others.begin();
    Variable next = 0;
    for (const Variable v : within) {
        const auto begin = end;
        end += v - next;
        std::iota(begin, end, next);
        next = v + 1;
    }
    std::iota(end, others.end(), next);
    return others;
}

// False when the budget ended it early.
bool improve(const ScoreEngine &engine, const Family &family, Improvements &answer, Team &team, const Budget *budget) {
    const std::vector<Variable> others = outside(engine.n_variables(), family);
    const auto all_scores = std::make_unique_for_overwrite<double[]>(others.size());
    const std::span scores(all_scores.get(), others.size());
    const auto count = [&](std::size_t begin, std::size_t end) {
        const std::span part = std::span<const Variable>(others).subspan(begin, end - begin);
        return engine.additions(family, part, scores.subspan(begin, end - begin), nullptr, budget);
    };
    if (!share_additions(team, engine, family.parents.size(), others.size(), count)) {
        return false;
    }
    const double own = engine.score(family);
    const double least = own + engine.rounding();
    std::vector<ScoredVariable> better;
    for (std::size_t i = 0; i < others.size(); ++i) {
        if (scores[i] > least) {
            better.push_back({scores[i], others[i]});
        }
    }
    sort_best_first(better);
    answer.own = own;
    answer.scores.reserve(better.size());
    answer.variables.reserve(better.size());
    for (const auto &[score, variable] : better) {
        answer.scores.push_back(score);
        answer.variables.push_back(variable);
    }
    return true;
}

} // namespace

bool ScoreEngine::improvements(std::span<const Family> batch, std::span<Improvements> answers, Team &team,
                               const Budget *budget) const {
    std::atomic<bool> is_complete{true};
    const double cost = batch.empty() ? 0.0 : cost_of_additions(*this, batch.front().parents.size());
    team.spread(batch.size(), cost, [&](std::size_t, std::size_t i) {
        const bool is_over = budget != nullptr && budget->exhausted();
        if (is_over || !improve(*this, batch[i], answers[i], team, budget)) {
            is_complete.store(false, std::memory_order_relaxed);
        }
    });
    return is_complete.load(std::memory_order_relaxed);
}

void ScoreEngine::removals(const Family &family, std::span<const std::size_t> chosen, std::span<double> scores) const {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        scores[i] = score({family.child, without_one(family.parents, chosen[i])});
    }
}

} // namespace arcwise
