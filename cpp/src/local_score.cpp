#include "arcwise/local_score.hpp"

#include "arcwise/check.hpp"
#include "arcwise/counting_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace arcwise {

LocalScore::LocalScore(std::shared_ptr<const ScoreEngine> engine, std::size_t cache_bytes)
    : engine_(std::move(engine)), cache_(engine_->n_variables(), cache_bytes) {}

LocalScore::LocalScore(TableView table, ScoreKind kind, double parameter, const BitKernels &kernels,
                       std::size_t cache_bytes)
    : LocalScore(std::make_shared<CountingEngine>(std::move(table), kind, parameter, kernels), cache_bytes) {}

void LocalScore::charge(std::uint64_t evaluations, Budget *budget) const noexcept {
    evaluations_.fetch_add(evaluations, std::memory_order_relaxed);
    if (budget != nullptr) {
        budget->charge(evaluations);
    }
}

const Counter &LocalScore::counter() const {
    const Counter *counter = engine_->counter();
    if (counter == nullptr) {
        throw std::invalid_argument("this score is not made of counts");
    }
    return *counter;
}

double LocalScore::local(Variable child, std::span<const Variable> parents, Budget *budget) const {
    const SetKey key = cache_.keys().of(parents);
    if (const auto known = cache_.lock(child).find(key)) {
        cache_hits_.fetch_add(1, std::memory_order_relaxed);
        ARCWISE_ASSERT(*known == engine_->score({child, parents})); // to the last bit, whoever scored it and how
        return *known;
    }
    const double score = new_local(child, parents, budget);
    cache_.lock(child).insert(key, score);
    return score;
}

double LocalScore::new_local(Variable child, std::span<const Variable> parents, Budget *budget) const {
    charge(1, budget);
    return engine_->score({child, parents});
}

bool LocalScore::additions(Variable child, std::span<const Variable> parents, std::span<const Variable> candidates,
                           std::span<double> scores, Budget *budget) const {
    const SetKey base = cache_.keys().of(parents);
    const auto key = [&](Variable candidate) { return base ^ cache_.keys().member(candidate); };
    std::vector<std::size_t> missing;
    std::vector<Variable> to_score;
    {
        const auto shard = cache_.lock(child);
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const auto known = shard.find(key(candidates[i]));
            scores[i] = known.value_or(std::numeric_limits<double>::quiet_NaN());
            if (!known) {
                missing.push_back(i);
                to_score.push_back(candidates[i]);
            }
        }
    }
    cache_hits_.fetch_add(candidates.size() - missing.size(), std::memory_order_relaxed);
    std::vector<double> fresh(missing.size());
    const bool complete = new_additions({child, parents}, to_score, fresh, nullptr, budget);
    auto shard = cache_.lock(child);
    for (std::size_t i = 0; i < missing.size(); ++i) {
        scores[missing[i]] = fresh[i];
        if (!std::isnan(fresh[i])) {
            shard.insert(key(to_score[i]), fresh[i]);
        }
    }
    return complete;
}

bool LocalScore::new_additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                               const Bounds *bounds, Budget *budget) const {
    const bool complete = engine_->additions(family, candidates, scores, bounds, budget);
    const auto n_missing = std::ranges::count_if(scores, [](double score) { return std::isnan(score); });
    charge(scores.size() - static_cast<std::size_t>(n_missing), budget);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        ARCWISE_ASSERT(std::isnan(scores[i]) ||
                       scores[i] == engine_->score({family.child, with_one_more(family.parents, candidates[i])}));
    }
    return complete;
}

bool LocalScore::rough_additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                                 Budget *budget) const {
    const bool complete = engine_->rough_additions(family, candidates, scores, budget);
    charge(complete ? candidates.size() : 0, budget);
    return complete;
}

void LocalScore::rough_removals(const Family &family, std::span<const std::size_t> chosen, std::span<double> scores,
                                Budget *budget) const {
    engine_->rough_removals(family, chosen, scores);
    charge(chosen.size(), budget);
}

bool LocalScore::new_improvements(std::span<const Family> batch, std::span<Improvements> answers, Team &team,
                                  Budget *budget) const {
    const bool complete = engine_->improvements(batch, answers, team, budget);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (!std::isnan(answers[i].own)) { // the family, and each addition to it
            charge(n_variables() - batch[i].parents.size(), budget);
        }
    }
    return complete;
}

void LocalScore::removals(Variable child, std::span<const Variable> parents, std::span<double> scores,
                          Budget *budget) const {
    const SetKey base = cache_.keys().of(parents);
    const auto key = [&](std::size_t i) { return base ^ cache_.keys().member(parents[i]); };
    std::vector<std::size_t> missing;
    {
        const auto shard = cache_.lock(child);
        for (std::size_t i = 0; i < parents.size(); ++i) {
            const auto known = shard.find(key(i));
            scores[i] = known.value_or(0.0);
            if (!known) {
                missing.push_back(i);
            }
        }
    }
    cache_hits_.fetch_add(parents.size() - missing.size(), std::memory_order_relaxed);
    if (missing.empty()) {
        return;
    }
    std::vector<double> fresh(missing.size());
    engine_->removals({child, parents}, missing, fresh);
    charge(missing.size(), budget);
    auto shard = cache_.lock(child);
    for (std::size_t k = 0; k < missing.size(); ++k) {
        scores[missing[k]] = fresh[k];
        shard.insert(key(missing[k]), fresh[k]);
    }
}

} // namespace arcwise
