#include "arcwise/leading_rows.hpp"

#include "arcwise/shared_additions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace arcwise {
namespace {

// With what the map and the shared pointer take.
std::size_t bytes_of(const LeadingRow &row) noexcept {
    constexpr std::size_t of_row = sizeof(SetKey) + sizeof(LeadingRow) + 12 * sizeof(void *);
    return of_row + row.scores.capacity() * sizeof(double) + row.variables.capacity() * sizeof(Variable);
}

struct Entry {
    double score;
    Variable variable;
};

bool is_before(const Entry &a, const Entry &b) noexcept {
    return a.score != b.score ? a.score > b.score : a.variable < b.variable;
}

// What improves a family is usually not much; of more than that the first ones are kept.
LeadingRow row_of(Improvements found) {
    constexpr std::size_t most = 2 * leading_length;
    LeadingRow row{std::move(found.scores), std::move(found.variables), false, true};
    if (row.scores.size() > most) {
        row.scores.resize(most);
        row.variables.resize(most);
        row.has_all_improvements = false;
    }
    row.scores.shrink_to_fit();
    row.variables.shrink_to_fit();
    return row;
}

} // namespace

LeadingRow leading_row(std::span<const Variable> candidates, std::span<const double> scores, std::size_t length) {
    if (candidates.size() <= 2 * length) {
        length = candidates.size();
    }
    // Twice as many as wanted at most: whenever there are that many, the worse half goes, and whatever scores no more
    // than the worst of the others does not come in.
    std::vector<Entry> best;
    best.reserve(2 * length);
    double bar = -std::numeric_limits<double>::infinity();
    const auto keep_leading = [&] {
        const auto end = best.begin() + static_cast<std::ptrdiff_t>(length);
        std::nth_element(best.begin(), end - 1, best.end(), is_before);
        best.erase(end, best.end());
        bar = best.back().score;
    };
    const bool is_whole = length == candidates.size();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (best.size() < length || scores[i] > bar) {
            best.push_back({scores[i], candidates[i]});
            if (!is_whole && best.size() == 2 * length) {
                keep_leading();
            }
        }
    }
    if (best.size() > length) {
        keep_leading();
    }
    std::ranges::sort(best, is_before);
    LeadingRow row;
    row.scores.reserve(best.size());
    row.variables.reserve(best.size());
    for (const Entry &entry : best) {
        row.scores.push_back(entry.score);
        row.variables.push_back(entry.variable);
    }
    row.is_whole = is_whole;
    row.has_all_improvements = is_whole;
    return row;
}

struct LeadingRows::Shard {
    std::mutex mutex;
    std::unordered_map<SetKey, Row, SetKeyHash> rows;
    std::size_t bytes = 0;

    [[nodiscard]] Row find(SetKey key) const {
        const auto known = rows.find(key);
        return known == rows.end() ? nullptr : known->second;
    }
};

LeadingRows::LeadingRows(const LocalScore &score, std::size_t max_bytes)
    : score_(score), max_bytes_(max_bytes), shards_(std::make_unique<Shard[]>(score.n_variables())) {}

LeadingRows::~LeadingRows() = default;

LeadingRows::Row LeadingRows::row(const Family &family, std::size_t length, Budget &budget, Team &team) {
    Shard &shard = shards_[family.child];
    const std::scoped_lock lock(shard.mutex);
    const SetKey key = score_.keys().of(family.parents);
    if (Row known = shard.find(key); known != nullptr && (known->is_whole || known->scores.size() >= length)) {
        return known;
    }
    std::optional<LeadingRow> found = counted(family, length, budget, team);
    return found ? keep(shard, key, std::move(*found)) : nullptr;
}

LeadingRows::Row LeadingRows::improvements(const Family &family, Budget &budget, Team &team) {
    Shard &shard = shards_[family.child];
    const std::scoped_lock lock(shard.mutex);
    const SetKey key = score_.keys().of(family.parents);
    if (Row known = shard.find(key); known != nullptr) {
        return known;
    }
    Improvements found;
    if (budget.exhausted() || !score_.new_improvements({&family, 1}, {&found, 1}, team, &budget)) {
        return nullptr;
    }
    return keep(shard, key, row_of(std::move(found)));
}

void LeadingRows::prepare(std::span<const Family> batch, Budget &budget, Team &team) {
    if (budget.limits_evaluations()) { // rows are then asked for one at a time, so that the last one ends it
        return;
    }
    constexpr std::size_t at_a_time = 1024; // what improves them is in memory until it is cut
    for (std::size_t begin = 0; begin < batch.size(); begin += at_a_time) {
        std::vector<Family> missing;
        for (const Family &family : batch.subspan(begin, std::min(at_a_time, batch.size() - begin))) {
            const std::scoped_lock lock(shards_[family.child].mutex);
            if (shards_[family.child].find(score_.keys().of(family.parents)) == nullptr) {
                missing.push_back(family);
            }
        }
        std::vector<Improvements> found(missing.size());
        score_.new_improvements(missing, found, team, &budget);
        for (std::size_t i = 0; i < missing.size(); ++i) {
            if (!std::isnan(found[i].own)) {
                Shard &shard = shards_[missing[i].child];
                const std::scoped_lock lock(shard.mutex);
                keep(shard, score_.keys().of(missing[i].parents), row_of(std::move(found[i])));
            }
        }
    }
}

LeadingRows::Row LeadingRows::keep(Shard &shard, SetKey key, LeadingRow row) {
    const auto kept = std::make_shared<const LeadingRow>(std::move(row));
    const auto forget = [&](std::size_t size) {
        shard.bytes -= size;
        bytes_.fetch_sub(size, std::memory_order_relaxed);
    };
    if (const auto shorter = shard.rows.find(key); shorter != shard.rows.end()) {
        forget(bytes_of(*shorter->second));
        shard.rows.erase(shorter);
    }
    const std::size_t size = bytes_of(*kept);
    if (bytes_.load(std::memory_order_relaxed) + size > max_bytes_) {
        forget(shard.bytes);
        shard.rows = {};
    }
    shard.rows.emplace(key, kept);
    shard.bytes += size;
    bytes_.fetch_add(size, std::memory_order_relaxed);
    return kept;
}

std::optional<LeadingRow> LeadingRows::counted(const Family &family, std::size_t length, Budget &budget,
                                               Team &team) const {
    if (budget.exhausted()) {
        return std::nullopt;
    }
    std::vector<bool> is_within(score_.n_variables(), false);
    is_within[family.child] = true;
    for (const Variable parent : family.parents) {
        is_within[parent] = true;
    }
    std::vector<Variable> others;
    others.reserve(score_.n_variables());
    for (Variable v = 0; v < score_.n_variables(); ++v) {
        if (!is_within[v]) {
            others.push_back(v);
        }
    }
    const auto all_scores = std::make_unique_for_overwrite<double[]>(others.size());
    const std::span scores(all_scores.get(), others.size());
    const auto count = [&](std::size_t begin, std::size_t end) {
        const std::span part = std::span<const Variable>(others).subspan(begin, end - begin);
        return score_.new_additions(family, part, scores.subspan(begin, end - begin), nullptr, &budget);
    };
    if (!share_additions(team, score_.engine(), family.parents.size(), others.size(), count)) {
        return std::nullopt;
    }
    return leading_row(others, scores, length);
}

} // namespace arcwise
