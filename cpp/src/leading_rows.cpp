#include "arcwise/leading_rows.hpp"

#include "arcwise/shared_additions.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <unordered_map>

namespace arcwise {
namespace {

struct KeyHash {
    std::size_t operator()(const SetKey &key) const noexcept { return key.low; }
};

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
    return row;
}

struct LeadingRows::Shard {
    std::mutex mutex;
    std::unordered_map<SetKey, Row, KeyHash> rows;
    std::size_t bytes = 0;

    // A row that a longer one is to take the place of, if there is one.
    void take_out(std::unordered_map<SetKey, Row, KeyHash>::iterator known, std::atomic<std::size_t> &of_all) {
        if (known != rows.end()) {
            const std::size_t size = bytes_of(*known->second);
            bytes -= size;
            of_all.fetch_sub(size, std::memory_order_relaxed);
            rows.erase(known);
        }
    }
};

LeadingRows::LeadingRows(const LocalScore &score, std::size_t max_bytes)
    : score_(score), max_bytes_(max_bytes), shards_(std::make_unique<Shard[]>(score.n_variables())) {}

LeadingRows::~LeadingRows() = default;

LeadingRows::Row LeadingRows::row(const Family &family, std::size_t length, Budget &budget, Team &team) {
    Shard &shard = shards_[family.child];
    const std::scoped_lock lock(shard.mutex);
    const SetKey key = score_.keys().of(family.parents);
    const auto known = shard.rows.find(key);
    if (known != shard.rows.end() && (known->second->is_whole || known->second->scores.size() >= length)) {
        return known->second;
    }
    Row row = counted(family, length, budget, team);
    if (row == nullptr) {
        return row;
    }
    shard.take_out(known, bytes_);
    const std::size_t size = bytes_of(*row);
    if (bytes_.load(std::memory_order_relaxed) + size > max_bytes_) {
        bytes_.fetch_sub(shard.bytes, std::memory_order_relaxed);
        shard.bytes = 0;
        shard.rows = {};
    }
    shard.rows.emplace(key, row);
    shard.bytes += size;
    bytes_.fetch_add(size, std::memory_order_relaxed);
    return row;
}

LeadingRows::Row LeadingRows::counted(const Family &family, std::size_t length, Budget &budget, Team &team) const {
    if (budget.exhausted()) {
        return nullptr;
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
        return nullptr;
    }
    return std::make_shared<const LeadingRow>(leading_row(others, scores, length));
}

} // namespace arcwise
