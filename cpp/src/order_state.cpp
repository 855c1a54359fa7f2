#include "arcwise/order_state.hpp"

#include "arcwise/check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

namespace arcwise {
namespace {

constexpr double hopeless = -std::numeric_limits<double>::infinity();

bool disjoint(const std::uint64_t *a, const std::uint64_t *b, std::size_t words) noexcept {
    std::uint64_t common = 0;
    for (std::size_t w = 0; w < words; ++w) {
        common |= a[w] & b[w];
    }
    return common == 0;
}

// A bit for each of 64 values: whether it is so large. In two steps that are fast: comparisons side by side, and the
// lowest bits of eight bytes put together by a product.
std::uint64_t at_least(const std::int32_t *values, std::int32_t least) noexcept {
    std::array<std::uint8_t, 64> is_large{};
    for (std::size_t k = 0; k < 64; ++k) {
        is_large[k] = values[k] >= least;
    }
    std::uint64_t word = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) {
        std::uint64_t eight = 0;
        for (std::size_t k = 8; k-- > 0;) {
            eight = eight << 8 | is_large[8 * byte + k];
        }
        word |= (eight * 0x0102040810204080U >> 56) << (8 * byte);
    }
    return word;
}

// The first set from `i` on, before `end`, that has none of the barred members; `end` where there is none.
std::size_t next_fit(const SetMasks &masks, std::size_t i, std::size_t end,
                     const std::vector<std::uint64_t> &barred) noexcept {
    while (i < end && !disjoint(masks.mask(i), barred.data(), masks.words())) {
        ++i;
    }
    return i;
}

// Marks the members of a longest subsequence that rises.
std::vector<char> longest_rise(std::span<const std::uint32_t> values) {
    std::vector<std::size_t> ends; // for every length, where the rise that ends lowest ends
    std::vector<std::size_t> before(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto at = std::ranges::lower_bound(ends, values[i], {}, [&](std::size_t k) { return values[k]; });
        before[i] = at == ends.begin() ? values.size() : *(at - 1);
        at == ends.end() ? ends.push_back(i) : void(*at = i);
    }
    std::vector<char> is_in(values.size(), 0);
    for (std::size_t i = ends.empty() ? values.size() : ends.back(); i < values.size(); i = before[i]) {
        is_in[i] = 1;
    }
    return is_in;
}

} // namespace

OrderState::OrderState(std::vector<SetList> lists, std::vector<Variable> order)
    : lists_(std::move(lists)), order_(std::move(order)), position_(order_.size()), current_(order_.size()),
      locals_(order_.size()), is_missing_(order_.size(), 0), n_watched_(order_.size()), missing_(order_.size()),
      effects_(order_.size()), causes_(order_.size()), mentions_(order_.size()), mentioned_(order_.size()),
      settled_(order_.size(), never), is_unsettled_(order_.size(), 0), news_(order_.size(), 0) {
    double range = 1.0; // more than any move between sets can change
    for (const SetList &list : lists_) {
        range += std::abs(list.scores.front()) + std::abs(list.scores.back());
    }
    for (Variable v = 0; v < order_.size(); ++v) {
        missing_[v] = lists_[v].scores.back() - range;
        set_mentions(v);
    }
    set_positions(0, order_.size());
    for (Variable v = 0; v < order_.size(); ++v) {
        refresh(v);
    }
}

double OrderState::score() const noexcept { return std::accumulate(locals_.begin(), locals_.end(), 0.0); }

double OrderState::change(Variable x, Variable y) const noexcept {
    for (const Cause &cause : causes_[y]) {
        if (cause.x == x) {
            return effects_[x][cause.at].change;
        }
    }
    return 0.0;
}

void OrderState::unsettle(Variable x) {
    settled_[x] = never;
    if (!is_unsettled_[x]) {
        is_unsettled_[x] = 1;
        unsettled_.push_back(x);
    }
}

std::vector<Variable> OrderState::take_unsettled() {
    for (const Variable x : unsettled_) {
        is_unsettled_[x] = 0;
    }
    return std::exchange(unsettled_, {});
}

void OrderState::set_positions(std::size_t first, std::size_t end) noexcept {
    for (std::size_t i = first; i < end; ++i) {
        position_[order_[i]] = static_cast<std::uint32_t>(i);
    }
}

void OrderState::add_effect(Variable x, Variable y, double change) {
    effects_[x].push_back({change, static_cast<Member>(y), static_cast<Member>(causes_[y].size())});
    causes_[y].push_back({static_cast<Member>(x), static_cast<Member>(effects_[x].size() - 1)});
    unsettle(x);
}

void OrderState::clear_effects(Variable y) {
    for (const Cause &cause : causes_[y]) { // the last effect takes the place of the one that goes
        auto &effects = effects_[cause.x];
        const Effect last = effects.back();
        effects[cause.at] = last;
        causes_[last.y][last.back].at = cause.at;
        effects.pop_back();
        unsettle(cause.x);
    }
    causes_[y].clear();
}

void OrderState::set_mentions(Variable y) {
    for (const Mentioned &mentioned : mentioned_[y]) { // of an earlier list; as effects go
        auto &mentions = mentions_[mentioned.x];
        const Mention last = mentions.back();
        mentions[mentioned.at] = last;
        mentioned_[last.y][last.k].at = mentioned.at;
        mentions.pop_back();
    }
    mentioned_[y].clear();
    for (const Member x : lists_[y].masks->universe()) {
        mentions_[x].push_back({static_cast<Member>(y), static_cast<Member>(mentioned_[y].size())});
        mentioned_[y].push_back({x, static_cast<Member>(mentions_[x].size() - 1)});
    }
}

void OrderState::look_up(const SetMasks &masks) {
    const auto universe = masks.universe();
    if (barred_.size() < masks.words()) {
        barred_.resize(masks.words());
        wanted_.resize(masks.words());
        places_.resize(64 * masks.words());
    }
    for (std::size_t k = 0; k < universe.size(); ++k) {
        places_[k] = static_cast<std::int32_t>(position_[universe[k]]);
    }
    std::fill_n(places_.begin() + static_cast<std::ptrdiff_t>(universe.size()), 64 * masks.words() - universe.size(),
                -1); // bits that stand for nobody
}

void OrderState::bar_from(const SetMasks &masks, std::size_t first) noexcept {
    for (std::size_t w = 0; w < masks.words(); ++w) {
        barred_[w] = at_least(places_.data() + 64 * w, static_cast<std::int32_t>(first));
    }
}

std::size_t OrderState::first_place(Variable v, std::size_t i) const noexcept {
    std::uint32_t place = 0;
    for (const Member member : lists_[v].set(i)) {
        place = std::max(place, position_[member] + 1);
    }
    return place;
}

void OrderState::refresh(Variable y) {
    const SetList &list = lists_[y];
    const SetMasks &masks = *list.masks;
    clear_effects(y);
    unsettle(y);
    look_up(masks);
    bar_from(masks, position_[y]);

    // Above the current set: sets with one member after y are what that member would bring.
    std::copy_n(barred_.begin(), masks.words(), wanted_.begin()); // members for which no such set has been seen
    std::size_t i = 0;
    for (; i < list.size(); ++i) {
        const std::uint64_t *mask = masks.mask(i);
        int later = 0;
        std::size_t only = 0;
        for (std::size_t w = 0; w < masks.words(); ++w) {
            const std::uint64_t bits = mask[w] & barred_[w];
            if (bits != 0) {
                later += (bits & (bits - 1)) == 0 ? 1 : 2; // (std::has_single_bit may be a call)
                only = 64 * w + static_cast<std::size_t>(std::countr_zero(bits));
            }
        }
        if (later == 0) {
            break;
        }
        if (later == 1 && (wanted_[only / 64] >> (only % 64) & 1) != 0) {
            wanted_[only / 64] ^= std::uint64_t{1} << (only % 64);
            // becomes a gain below, when the current score is known
            add_effect(masks.universe()[only], y, list.scores[i]);
        }
    }
    current_[y] = i;
    const double score = i < list.size() ? list.scores[i] : missing_[y];
    locals_[y] = score;
    n_missing_ += static_cast<std::size_t>(i == list.size()) - static_cast<std::size_t>(is_missing_[y]);
    is_missing_[y] = i == list.size();
    for (const Cause &cause : causes_[y]) {
        effects_[cause.x][cause.at].change -= score;
    }
    std::size_t depth = i; // the last set that matters
    if (i < list.size() && !list.set(i).empty()) {
        depth = find_losses(y);
    }
    const auto ranks = masks.first_ranks();
    n_watched_[y] = static_cast<std::uint32_t>(std::ranges::upper_bound(ranks, depth) - ranks.begin());
    tell(y, is_refreshed, refreshed_);
}

// Below the current set: the first set within the predecessors that lacks a parent is what is left without it.
std::size_t OrderState::find_losses(Variable y) {
    const SetList &list = lists_[y];
    const SetMasks &masks = *list.masks;
    const double score = local(y);
    std::size_t open = list.set(current_[y]).size();
    std::copy_n(masks.mask(current_[y]), masks.words(), wanted_.begin()); // parents whose loss is not known yet
    const auto lose = [&](const std::uint64_t *kept, double fallback) {
        for (std::size_t w = 0; w < masks.words(); ++w) {
            const std::uint64_t lost = wanted_[w] & ~(kept == nullptr ? 0 : kept[w]);
            wanted_[w] ^= lost;
            for (std::uint64_t bits = lost; bits != 0; bits &= bits - 1) {
                const Member x = masks.universe()[64 * w + static_cast<std::size_t>(std::countr_zero(bits))];
                add_effect(x, y, fallback - score);
                --open;
            }
        }
    };
    std::size_t i = current_[y];
    while (open > 0 && i < list.size()) {
        i = next_fit(masks, i + 1, list.size(), barred_);
        i < list.size() ? lose(masks.mask(i), list.scores[i]) : lose(nullptr, missing_[y]);
    }
    return i;
}

// To the right: others lose x, and x may reach better sets. What others lose only grows, so that it soon becomes
// hopeless.
void OrderState::find_right_steps(Variable x, double floor) {
    const SetList &list = lists_[x];
    const SetMasks &masks = *list.masks;
    const std::size_t here = position_[x];
    const double score = local(x);
    const double most = list.scores.front() - score;
    right_.clear();
    if (most <= floor || here + 1 == order_.size()) {
        return;
    }
    met_.clear();
    for (const Effect &effect : effects_[x]) {
        if (position_[effect.y] > here) {
            met_.push_back({position_[effect.y], effect.change});
        }
    }
    std::ranges::sort(met_, {}, &Mark::position);
    double others = 0.0;
    std::size_t end = order_.size();
    for (Mark &mark : met_) {
        others += mark.change;
        mark.change = others; // from there on
        if (others + most <= floor) {
            end = mark.position;
            break;
        }
    }
    look_up(masks);
    // From the right: the best set behind whose members a place is; `open` places are left. x leaves its own place, so
    // that a later member's place becomes the one before x's.
    own_.clear();
    std::size_t open = end;
    for (std::size_t i = 0; open > here + 1; ++i) {
        bar_from(masks, open);
        i = next_fit(masks, i, current_[x], barred_);
        if (i == current_[x]) {
            break;
        }
        open = first_place(x, i) - 1;
        own_.push_back({open, list.scores[i] - score});
    }
    std::size_t met = 0;
    others = 0.0;
    for (std::size_t place = here + 1, own = own_.size(); place < end;) { // own_ from behind
        while (met < met_.size() && met_[met].position <= place) {
            others = met_[met++].change;
        }
        while (own > 0 && own_[own - 1].position <= place) {
            --own;
        }
        const bool is_better = own < own_.size();
        std::size_t next = own > 0 ? own_[own - 1].position : end;
        if (met < met_.size()) {
            next = std::min(next, met_[met].position);
        }
        right_.push_back({place, next, is_better ? others + own_[own].change : others});
        place = next;
    }
}

// To the left: others gain x, and x loses sets. No place gains more than the leftmost, so that low sets are hopeless.
void OrderState::find_left_steps(Variable x, double floor) {
    const SetList &list = lists_[x];
    const SetMasks &masks = *list.masks;
    const std::size_t here = position_[x];
    const double score = local(x);
    left_.clear();
    met_.clear();
    for (const Effect &effect : effects_[x]) {
        if (position_[effect.y] < here) {
            met_.push_back({position_[effect.y], effect.change});
        }
    }
    std::ranges::sort(met_, std::greater<>(), &Mark::position);
    double others = 0.0;
    for (Mark &mark : met_) {
        others += mark.change;
        mark.change = others; // from there on
    }
    if (others <= floor) {
        return;
    }
    const auto below = list.scores.subspan(std::min(current_[x] + 1, list.size()));
    const auto low = std::ranges::partition_point(below, [&](double own) { return own - score + others > floor; });
    const std::size_t last = list.size() - static_cast<std::size_t>(below.end() - low);
    own_.clear();
    std::size_t open = has_set(x) ? first_place(x, current_[x]) : 0; // from there on x keeps its set
    own_.push_back({open, 0.0});
    look_up(masks);
    for (std::size_t i = current_[x] + 1; open > 0; ++i) {
        bar_from(masks, open - 1);
        i = next_fit(masks, i, last, barred_);
        const bool is_missing = i == list.size();
        if (i == last && (!is_missing || missing_[x] - score + others <= floor)) {
            break; // the places before are hopeless
        }
        open = is_missing ? 0 : first_place(x, i);
        own_.push_back({open, (is_missing ? missing_[x] : list.scores[i]) - score});
    }
    std::size_t met = 0;
    std::size_t own = 0;
    others = 0.0;
    for (std::size_t end = here; end > open;) { // places before `end` are left
        while (met < met_.size() && met_[met].position + 1 >= end) {
            others = met_[met++].change;
        }
        while (own_[own].position >= end) {
            ++own;
        }
        std::size_t next = own_[own].position;
        if (met < met_.size()) {
            next = std::max(next, met_[met].position + 1);
        }
        left_.push_back({next, end, own == 0 ? others : others + own_[own].change});
        end = next;
    }
}

std::span<const double> OrderState::insertions(Variable x, double floor) {
    find_left_steps(x, floor);
    find_right_steps(x, floor);
    insertions_.assign(order_.size(), hopeless);
    insertions_[position_[x]] = 0.0;
    for (const auto *steps : {&left_, &right_}) {
        for (const Step &step : *steps) {
            std::fill(insertions_.begin() + static_cast<std::ptrdiff_t>(step.begin),
                      insertions_.begin() + static_cast<std::ptrdiff_t>(step.end), step.change);
        }
    }
    return insertions_;
}

OrderState::Insertion OrderState::best_insertion(Variable x, double floor) {
    find_left_steps(x, floor);
    find_right_steps(x, floor);
    Insertion best{0.0, position_[x]};
    const auto look = [&](double change, std::size_t place) {
        if (change > floor && change > best.change) {
            best = {change, place};
        }
    };
    for (const Step &step : left_) {
        look(step.change, step.end - 1);
    }
    for (const Step &step : right_) {
        look(step.change, step.begin);
    }
    return best;
}

void OrderState::insert(Variable x, std::size_t target) {
    const std::size_t from = position_[x];
    const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    if (from < target) {
        std::rotate(at(from), at(from + 1), at(target + 1));
    } else {
        std::rotate(at(target), at(from), at(from + 1));
    }
    const std::size_t first = std::min(from, target);
    const std::size_t last = std::max(from, target);
    set_positions(first, last + 1);
    tell(x, is_moved, moved_);
    before_.clear();
    const auto look_again = [&](Variable y) {
        before_.push_back({y, local(y)});
        refresh(y);
    };
    look_again(x);
    for (const Mention &mention : mentions_[x]) {
        const std::size_t place = position_[mention.y];
        unsettle(mention.y);
        if (place >= first && place <= last && mention.k < n_watched_[mention.y]) {
            look_again(mention.y);
        }
    }
}

void OrderState::rearrange(const std::vector<Variable> &order) {
    const auto first = std::ranges::mismatch(order, order_).in1;
    const auto last =
        std::ranges::mismatch(order.rbegin(), std::make_reverse_iterator(first), order_.rbegin(), order_.rend())
            .in1.base();
    std::vector<std::uint32_t> places;
    std::transform(first, last, std::back_inserter(places), [&](Variable v) { return position_[v]; });
    const std::vector<char> stays = longest_rise(places);
    constexpr std::size_t worthwhile = 8; // to look at all variables once costs as much as some moves
    if (static_cast<std::size_t>(std::ranges::count(stays, 0)) > order.size() / worthwhile) {
        order_ = order;
        set_positions(0, order_.size());
        for (Variable v = 0; v < order_.size(); ++v) {
            tell(v, is_moved, moved_);
            refresh(v);
        }
        return;
    }
    for (std::size_t i = 0; i < stays.size(); ++i) { // each behind the one that it is to follow
        const Variable v = first[static_cast<std::ptrdiff_t>(i)];
        if (!stays[i]) {
            const auto at = static_cast<std::size_t>(first - order.begin()) + i;
            const std::size_t follows = at == 0 ? 0 : position_[order[at - 1]] + 1;
            insert(v, position_[v] < follows ? follows - 1 : follows);
        }
    }
    ARCWISE_ASSERT(order_ == order);
}

void OrderState::replace_list(Variable y, const SetList &list) {
    lists_[y] = list;
    set_mentions(y);
    refresh(y);
}

void OrderState::tell(Variable v, std::uint8_t what, std::vector<Variable> &news) {
    if ((news_[v] & what) == 0) {
        news_[v] |= what;
        news.push_back(v);
    }
}

void OrderState::forget_news() noexcept {
    for (const auto *news : {&moved_, &refreshed_}) {
        for (const Variable v : *news) {
            news_[v] = 0;
        }
    }
    moved_.clear();
    refreshed_.clear();
}

} // namespace arcwise
