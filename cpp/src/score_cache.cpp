#include "arcwise/score_cache.hpp"

#include <utility>

namespace arcwise {
namespace {

constexpr SetKey empty_slot{0, 0};
constexpr std::size_t first_capacity = 64;

} // namespace

ScoreCache::ScoreCache(std::size_t n_variables, std::size_t max_bytes)
    : keys_(n_variables), max_bytes_(max_bytes), shards_(std::make_unique<Shard[]>(n_variables)) {}

std::size_t ScoreCache::Shard::slot(SetKey key) const noexcept {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = key.low & mask;
    while (entries_[at].key != key && entries_[at].key != empty_slot) {
        at = (at + 1) & mask;
    }
    return at;
}

std::optional<double> ScoreCache::Shard::find(SetKey key) const noexcept {
    if (entries_.empty()) {
        return std::nullopt;
    }
    const Entry &entry = entries_[slot(key)];
    return entry.key == key ? std::optional(entry.score) : std::nullopt;
}

void ScoreCache::Shard::insert(SetKey key, double score, ScoreCache &owner) {
    if (2 * (used_ + 1) > entries_.size()) {
        make_room(owner);
        if (entries_.empty()) {
            return;
        }
    }
    Entry &entry = entries_[slot(key)];
    if (entry.key == empty_slot) {
        ++used_;
    }
    entry = {key, score};
}

void ScoreCache::Shard::make_room(ScoreCache &owner) {
    const std::size_t capacity = entries_.empty() ? first_capacity : 2 * entries_.size();
    const std::size_t growth = (capacity - entries_.size()) * sizeof(Entry);
    if (owner.bytes_.fetch_add(growth, std::memory_order_relaxed) + growth > owner.max_bytes_) {
        owner.bytes_.fetch_sub(growth, std::memory_order_relaxed);
        entries_.assign(entries_.size(), Entry{empty_slot, 0.0});
        used_ = 0;
        return;
    }
    const std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(capacity, Entry{empty_slot, 0.0}));
    for (const Entry &entry : old) {
        if (entry.key != empty_slot) {
            entries_[slot(entry.key)] = entry;
        }
    }
}

} // namespace arcwise
