#include "arcwise/order_regrowth.hpp"

#include "arcwise/check.hpp"
#include "arcwise/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace arcwise {

namespace {

// What is remembered of all variables together; when there is more, all is forgotten.
constexpr std::size_t most_known = std::size_t{1} << 18;

bool has(std::span<const Variable> parents, Variable v) { return std::ranges::binary_search(parents, v); }

bool has_bit(const std::vector<std::uint64_t> &bits, Variable v) { return (bits[v / 64] >> (v % 64) & 1) != 0; }

std::vector<Variable> with(std::vector<Variable> parents, Variable v) {
    parents.insert(std::ranges::upper_bound(parents, v), v);
    return parents;
}

std::vector<Variable> without(std::vector<Variable> parents, Variable v) {
    std::erase(parents, v);
    return parents;
}

// The key of another kind of set, so that the two can be joined.
SetKey rotated(const SetKey &key) { return {std::rotl(key.low, 23), std::rotl(key.high, 41)}; }

} // namespace

struct RegrowingClimb::Move {
    double gain;
    std::size_t place;
    Grown own;
    std::vector<std::pair<Variable, Grown>> others; // those that are passed and have other parents then
};

RegrowingClimb::RegrowingClimb(const LocalScore &score, const ArcRules &rules)
    : score_(score), rules_(rules), place_(score.n_variables()), before_(score.n_variables() + 1),
      families_(score.n_variables()), improving_(score.n_variables()), known_(score.n_variables()) {}

SetKey RegrowingClimb::key_of(const Preceding &preceding) const noexcept {
    ARCWISE_ASSERT(preceding.end < before_.size());
    const SetKey moved = score_.keys().member(preceding.moved);
    const bool is_counted = place_[preceding.moved] < preceding.end;
    return is_counted == preceding.has_moved ? before_[preceding.end] : before_[preceding.end] ^ moved;
}

template <class Passes>
bool RegrowingClimb::score_additions(Variable child, const Grown &grown, Passes &&passes, Budget &budget) {
    candidates_.clear();
    if (budget.exhausted()) {
        return false;
    }
    if (grown.parents.size() < static_cast<std::size_t>(rules_.max_parents[child])) {
        rules_.for_each_allowed(child, [&](Variable v) {
            if (passes(v) && !has(grown.parents, v)) {
                candidates_.push_back(v);
            }
        });
    }
    scores_.resize(candidates_.size());
    return score_.rough_additions({child, grown.parents}, candidates_, scores_, &budget);
}

bool RegrowingClimb::accept(Variable child, std::vector<Variable> parents, Grown &grown, Budget &budget) const {
    const double score = score_.new_local(child, parents, &budget); // what chose them may be off by rounding
    if (!(score > grown.score + tolerance_)) {
        return false;
    }
    grown = {std::move(parents), score};
    return true;
}

bool RegrowingClimb::add(Variable child, const Preceding &preceding, Grown &grown, Budget &budget) {
    const auto is_before = [&](Variable v) { return precedes(v, preceding); };
    if (!score_additions(child, grown, is_before, budget) || candidates_.empty()) {
        return false;
    }
    const auto best = static_cast<std::size_t>(std::ranges::max_element(scores_) - scores_.begin());
    if (!(scores_[best] > grown.score + tolerance_)) {
        return false;
    }
    return accept(child, with(grown.parents, candidates_[best]), grown, budget);
}

bool RegrowingClimb::drop(Variable child, Grown &grown, Budget &budget) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < grown.parents.size(); ++i) {
        if (!rules_.is_required(child, grown.parents[i])) {
            chosen.push_back(i);
        }
    }
    if (chosen.empty()) {
        return false;
    }
    scores_.resize(chosen.size());
    score_.rough_removals({child, grown.parents}, chosen, scores_, &budget);
    const auto best = static_cast<std::size_t>(std::ranges::max_element(scores_) - scores_.begin());
    if (!(scores_[best] > grown.score + tolerance_)) {
        return false;
    }
    return accept(child, without(grown.parents, grown.parents[chosen[best]]), grown, budget);
}

void RegrowingClimb::grow(Variable child, const Preceding &preceding, std::vector<Variable> parents, Grown &grown,
                          Budget &budget) {
    const SetKey key = score_.keys().of(std::span<const Variable>(parents)) ^ rotated(key_of(preceding));
    if (const auto known = known_[child].find(key); known != known_[child].end()) {
        grown = known->second;
        return;
    }
    grown.parents = std::move(parents);
    grown.score = score_.new_local(child, grown.parents, &budget);
    bool has_changed = true;
    while (has_changed) {
        while (add(child, preceding, grown, budget)) {
        }
        has_changed = false;
        while (drop(child, grown, budget)) {
            has_changed = true;
        }
    }
    if (budget.exhausted()) {
        return; // perhaps in the middle of it
    }
    if (++n_known_ > most_known) {
        std::ranges::for_each(known_, [](auto &of_child) { of_child.clear(); });
        n_known_ = 1;
    }
    known_[child].emplace(key, grown);
}

void RegrowingClimb::mark(Variable child, const Grown &grown, std::size_t from, Bits &improving, Budget &budget) {
    improving.assign((place_.size() + 63) / 64, 0);
    score_additions(child, grown, [&](Variable v) { return place_[v] >= from; }, budget);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        if (scores_[i] > grown.score + tolerance_) {
            improving[candidates_[i] / 64] |= std::uint64_t{1} << (candidates_[i] % 64);
        }
    }
}

void RegrowingClimb::find_keys(std::size_t first, std::size_t last) {
    for (std::size_t at = first; at <= last; ++at) {
        place_[order_[at]] = at;
        before_[at + 1] = before_[at] ^ score_.keys().member(order_[at]);
    }
}

void RegrowingClimb::clear() {
    order_.clear();
    std::ranges::fill(place_, std::numeric_limits<std::size_t>::max()); // precedes nothing
    before_[0] = score_.keys().of(std::span<const Variable>());
    total_ = 0.0;
}

void RegrowingClimb::append(Variable v) {
    order_.push_back(v);
    find_keys(order_.size() - 1, order_.size() - 1);
}

void RegrowingClimb::settle(Variable v, std::size_t end, Budget &budget) {
    const auto required = rules_.required_parents(v);
    grow(v, {end, v, false}, {required.begin(), required.end()}, families_[v], budget);
    mark(v, families_[v], 0, improving_[v], budget);
    total_ += families_[v].score;
}

void RegrowingClimb::begin(std::vector<Variable> order, Budget &budget) {
    clear();
    std::ranges::for_each(order, [&](Variable v) { append(v); });
    for (Variable v = 0; v < n_variables(); ++v) {
        settle(v, place_[v], budget);
    }
}

std::vector<Variable> RegrowingClimb::inserted(std::span<const Variable> sequence, double tolerance, Budget &budget) {
    tolerance_ = tolerance;
    clear();
    std::vector<Variable> absent(sequence.begin(), sequence.end());
    std::vector<double> alone(n_variables());
    for (const Variable v : absent) {
        settle(v, 0, budget); // nothing precedes it
        alone[v] = families_[v].score;
    }
    const auto is_ready = [&](Variable v) {
        const auto required = rules_.required_parents(v);
        return std::ranges::all_of(required, [&](Variable parent) { return place_[parent] < order_.size(); });
    };
    while (!absent.empty()) {
        auto next = absent.end();
        for (auto at = absent.begin(); at != absent.end(); ++at) {
            const auto gain = [&](Variable v) { return families_[v].score - alone[v]; };
            if (is_ready(*at) && (next == absent.end() || gain(*at) < gain(*next))) {
                next = at;
            }
        }
        const Variable v = *next;
        absent.erase(next);
        append(v);
        Move best{tolerance_, place_[v], {}, {}};
        if (!budget.exhausted()) {
            scan_left(v, best, budget);
        }
        if (best.place != place_[v]) {
            make(v, best, budget);
        }
        for (const Variable other : absent) { // all that are there precede it: only the new one can change anything
            if (has_bit(improving_[other], v) && !budget.exhausted()) {
                const Preceding present{order_.size(), other, false};
                grow(other, present, with(families_[other].parents, v), families_[other], budget);
                mark(other, families_[other], 0, improving_[other], budget);
            }
        }
    }
    return order_;
}

void RegrowingClimb::scan_left(Variable v, Move &best, Budget &budget) {
    Grown own = families_[v];
    std::vector<std::pair<Variable, Grown>> others;
    double gain = 0.0;
    for (std::size_t at = place_[v]; at-- > 0;) {
        const Variable passed = order_[at];
        if (rules_.is_required(v, passed)) {
            return;
        }
        if (has(own.parents, passed)) {
            gain -= own.score;
            grow(v, {at, v, false}, without(own.parents, passed), own, budget);
            gain += own.score;
        }
        if (has_bit(improving_[passed], v)) {
            Grown &grown = others.emplace_back(passed, Grown{}).second;
            grow(passed, {at, v, true}, with(families_[passed].parents, v), grown, budget);
            gain += grown.score - families_[passed].score;
        }
        if (budget.exhausted()) {
            return;
        }
        if (gain > best.gain) {
            best = {gain, at, own, others};
        }
    }
}

void RegrowingClimb::scan_right(Variable v, Move &best, Budget &budget) {
    Grown own = families_[v];
    Bits improving = improving_[v];
    std::vector<std::pair<Variable, Grown>> others;
    double gain = 0.0;
    for (std::size_t at = place_[v] + 1; at < order_.size(); ++at) {
        const Variable passed = order_[at];
        if (rules_.is_required(passed, v)) {
            return;
        }
        if (has(families_[passed].parents, v)) {
            Grown &grown = others.emplace_back(passed, Grown{}).second;
            grow(passed, {at, v, false}, without(families_[passed].parents, v), grown, budget);
            gain += grown.score - families_[passed].score;
        }
        if (has_bit(improving, passed)) {
            gain -= own.score;
            grow(v, {at + 1, v, false}, with(own.parents, passed), own, budget);
            mark(v, own, at + 1, improving, budget);
            gain += own.score;
        }
        if (budget.exhausted()) {
            return;
        }
        if (gain > best.gain) {
            best = {gain, at, own, others};
        }
    }
}

void RegrowingClimb::make(Variable v, Move &best, Budget &budget) {
    const auto from = order_.begin() + static_cast<std::ptrdiff_t>(place_[v]);
    const auto to = order_.begin() + static_cast<std::ptrdiff_t>(best.place);
    if (to < from) {
        std::rotate(to, from, from + 1);
    } else {
        std::rotate(from, from + 1, to + 1);
    }
    find_keys(std::min(place_[v], best.place), std::max(place_[v], best.place));
    families_[v] = std::move(best.own);
    mark(v, families_[v], 0, improving_[v], budget);
    for (auto &[other, grown] : best.others) {
        families_[other] = std::move(grown);
        mark(other, families_[other], 0, improving_[other], budget);
    }
    total_ += best.gain;
}

bool RegrowingClimb::move(Variable v, Budget &budget) {
    Move best{tolerance_, place_[v], {}, {}};
    scan_left(v, best, budget);
    scan_right(v, best, budget);
    if (best.place == place_[v]) {
        return false;
    }
    make(v, best, budget);
    show(budget);
    return true;
}

void RegrowingClimb::show(Budget &budget) const {
    budget.show(total_, tolerance_, false, [&] {
        std::vector<std::vector<Variable>> parents;
        parents.reserve(families_.size());
        for (const Grown &grown : families_) {
            parents.push_back(grown.parents);
        }
        return parents;
    });
}

bool RegrowingClimb::keeps_order() const {
    for (Variable v = 0; v < families_.size(); ++v) {
        if (!std::ranges::all_of(families_[v].parents, [&](Variable p) { return place_[p] < place_[v]; })) {
            return false;
        }
    }
    return true;
}

OrderClimbResult RegrowingClimb::run(std::vector<Variable> order, double tolerance, std::uint64_t seed,
                                     Budget &budget) {
    tolerance_ = tolerance;
    begin(std::move(order), budget);
    show(budget);
    OrderClimbResult result;
    result.start_score = total_;
    Random random(seed);
    std::vector<Variable> variables(order_.size());
    std::iota(variables.begin(), variables.end(), Variable{0});
    random.shuffle(variables);
    std::size_t unchanged = 0; // variables in a row that stay where they are; in a row, so that these are all of them
    for (std::size_t i = 0; unchanged < variables.size() && !budget.exhausted(); ++i) {
        const bool has_moved = move(variables[i % variables.size()], budget);
        result.moves += has_moved ? 1 : 0;
        unchanged = has_moved ? 0 : unchanged + 1;
    }
    result.order = order_;
    result.stopped_by = budget.reason();
    ARCWISE_ASSERT(keeps_order());
    for (const Grown &grown : families_) {
        result.parents.push_back(grown.parents);
        result.score += grown.score;
        ARCWISE_ASSERT(std::isfinite(grown.score));
    }
    return result;
}

} // namespace arcwise
