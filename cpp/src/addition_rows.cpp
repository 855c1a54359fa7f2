#include "arcwise/addition_rows.hpp"

#include "arcwise/shared_additions.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace arcwise {
namespace {

struct KeyHash {
    std::size_t operator()(const SetKey &key) const noexcept { return key.low; }
};

struct Place {
    double own;
    std::size_t begin;
    std::size_t count;
};

constexpr std::size_t bytes_per_row = sizeof(SetKey) + sizeof(Place) + 4 * sizeof(void *); // with the map's overhead
constexpr std::size_t bytes_per_entry = sizeof(double) + sizeof(Member);

// All variables but a child and its parents.
std::vector<Variable> outside(std::size_t n, Variable child, std::span<const Variable> parents) {
    std::vector<Variable> within(parents.begin(), parents.end());
    within.push_back(child);
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

} // namespace

struct AdditionRows::Handle::Shard {
    std::mutex mutex;
    std::unordered_map<SetKey, Place, KeyHash> places;
    std::vector<double> scores;
    std::vector<Member> variables;
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

std::optional<AdditionRow> AdditionRows::Handle::row(std::span<const Member> parents, Budget &budget, Team &team) {
    const LocalScore &score = rows_.score_;
    const SetKey key = score.keys().of(parents);
    if (const auto known = shard_.places.find(key); known != shard_.places.end()) {
        return shard_.row(known->second);
    }
    const std::vector<Variable> family(parents.begin(), parents.end());
    const std::vector<Variable> others = outside(score.n_variables(), child_, family);
    const auto all_scores = std::make_unique_for_overwrite<double[]>(others.size());
    const std::span scores(all_scores.get(), others.size());
    const auto count = [&](std::size_t begin, std::size_t end) {
        const std::span part = std::span<const Variable>(others).subspan(begin, end - begin);
        return score.new_additions({child_, family}, part, scores.subspan(begin, end - begin), nullptr, &budget);
    };
    if (budget.exhausted() || !share_additions(team, score, family.size(), others.size(), count)) {
        return std::nullopt;
    }
    const double own = score.new_local(child_, family, &budget);

    std::vector<std::size_t> better;
    for (std::size_t i = 0; i < others.size(); ++i) {
        if (scores[i] > own + score.rounding()) {
            better.push_back(i);
        }
    }
    std::ranges::stable_sort(better, [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    const std::size_t size = bytes_per_row + better.size() * bytes_per_entry;
    if (rows_.bytes_.load(std::memory_order_relaxed) + size > rows_.max_bytes_) {
        rows_.bytes_.fetch_sub(shard_.bytes, std::memory_order_relaxed);
        shard_.bytes = 0;
        shard_.forget();
    }
    const Place place{own, shard_.scores.size(), better.size()};
    for (const std::size_t i : better) {
        shard_.scores.push_back(scores[i]);
        shard_.variables.push_back(static_cast<Member>(others[i]));
    }
    shard_.places.emplace(key, place);
    shard_.bytes += size;
    rows_.bytes_.fetch_add(size, std::memory_order_relaxed);
    return shard_.row(place);
}

} // namespace arcwise
