#include "arcwise/addition_rows.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace arcwise {
namespace {

struct Place {
    double own;
    std::size_t begin;
    std::size_t count;
};

constexpr std::size_t bytes_per_row = sizeof(SetKey) + sizeof(Place) + 4 * sizeof(void *); // with the map's overhead
constexpr std::size_t bytes_per_entry = sizeof(double) + sizeof(Variable);

} // namespace

struct AdditionRows::Handle::Shard {
    std::mutex mutex;
    std::unordered_map<SetKey, Place, SetKeyHash> places;
    std::vector<double> scores;
    std::vector<Variable> variables;
    std::size_t bytes = 0;

    [[nodiscard]] AdditionRow row(const Place &place) const noexcept {
        return {place.own, std::span(scores).subspan(place.begin, place.count),
                std::span(variables).subspan(place.begin, place.count)};
    }

    void forget() { // and gives the memory back: other shards may take it
        places = {};
        scores = {};
        variables = {};
    }
};

AdditionRows::AdditionRows(const LocalScore &score, std::size_t max_bytes)
    : score_(score), max_bytes_(max_bytes), shards_(std::make_unique<Handle::Shard[]>(score.n_variables())) {}

AdditionRows::~AdditionRows() = default;

AdditionRows::Handle::Handle(AdditionRows &rows, Variable child)
    : rows_(rows), child_(child), shard_(rows.shards_[child]), lock_(shard_.mutex) {}

std::optional<AdditionRow> AdditionRows::Handle::row(std::span<const Variable> parents, Budget &budget, Team &team) {
    const LocalScore &score = rows_.score_;
    const SetKey key = score.keys().of(parents);
    if (const auto known = shard_.places.find(key); known != shard_.places.end()) {
        return shard_.row(known->second);
    }
    const Family family{child_, parents};
    Improvements found;
    if (budget.exhausted() || !score.new_improvements({&family, 1}, {&found, 1}, team, &budget)) {
        return std::nullopt;
    }
    return keep(key, found);
}

AdditionRow AdditionRows::Handle::keep(SetKey key, const Improvements &found) {
    const std::size_t size = bytes_per_row + found.scores.size() * bytes_per_entry;
    if (rows_.bytes_.load(std::memory_order_relaxed) + size > rows_.max_bytes_) {
        rows_.bytes_.fetch_sub(shard_.bytes, std::memory_order_relaxed);
        shard_.bytes = 0;
        shard_.forget();
    }
    const Place place{found.own, shard_.scores.size(), found.scores.size()};
    shard_.scores.insert(shard_.scores.end(), found.scores.begin(), found.scores.end());
    shard_.variables.insert(shard_.variables.end(), found.variables.begin(), found.variables.end());
    const auto [known, is_new] = shard_.places.insert_or_assign(key, place);
    shard_.bytes += size;
    rows_.bytes_.fetch_add(size, std::memory_order_relaxed);
    return shard_.row(known->second);
}

void AdditionRows::prepare(std::span<const Family> batch, Budget &budget, Team &team) {
    if (budget.limits_evaluations()) { // rows are then asked for one at a time, so that the last one ends it
        return;
    }
    std::vector<Family> missing;
    for (const Family &family : batch) {
        const Handle handle = lock(family.child);
        if (!handle.shard_.places.contains(score_.keys().of(family.parents))) {
            missing.push_back(family);
        }
    }
    constexpr std::size_t at_once = 4096; // what is found is there twice until it is kept
    for (std::size_t begin = 0; begin < missing.size() && !budget.exhausted(); begin += at_once) {
        const auto part = std::span<const Family>(missing).subspan(begin, std::min(at_once, missing.size() - begin));
        std::vector<Improvements> found(part.size());
        score_.new_improvements(part, found, team, &budget);
        for (std::size_t i = 0; i < part.size(); ++i) {
            if (!std::isnan(found[i].own)) {
                (void)lock(part[i].child).keep(score_.keys().of(part[i].parents), found[i]);
            }
        }
    }
}

} // namespace arcwise
