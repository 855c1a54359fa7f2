#include "arcwise/order_state.hpp"

#include "arcwise/check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

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

// The first set from `i` on, before `end`, that has none of the barred members; `end` where there is none.
std::size_t next_fit(const SetMasks &masks, std::size_t i, std::size_t end,
                     const std::vector<std::uint64_t> &barred) noexcept {
    while (i < end && !disjoint(masks.mask(i), barred.data(), masks.words())) {
        ++i;
    }
    return i;
}

} // namespace

OrderState::OrderState(std::vector<SetList> lists, std::vector<Variable> order)
    : lists_(std::move(lists)), order_(std::move(order)), position_(order_.size()), current_(order_.size()),
      depth_(order_.size()), missing_(order_.size()), change_(order_.size() * order_.size()), changing_(order_.size()),
      barred_((order_.size() + 63) / 64), wanted_(barred_.size()), insertions_(order_.size()) {
    double range = 1.0; // more than any move between sets can change
    for (const SetList &list : lists_) {
        range += std::abs(list.scores.front()) + std::abs(list.scores.back());
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
        position_[order_[i]] = static_cast<std::uint32_t>(i);
        missing_[i] = lists_[i].scores.back() - range;
    }
    for (Variable v = 0; v < order_.size(); ++v) {
        refresh(v);
    }
}

double OrderState::score() const noexcept {
    double sum = 0.0;
    for (Variable v = 0; v < lists_.size(); ++v) {
        sum += local(v);
    }
    return sum;
}

void OrderState::bar_from(const SetMasks &masks, std::size_t first) {
    const auto universe = masks.universe();
    for (std::size_t w = 0; w < masks.words(); ++w) {
        std::uint64_t word = 0;
        for (std::size_t k = 64 * w; k < std::min(universe.size(), 64 * (w + 1)); ++k) {
            word |= std::uint64_t{position_[universe[k]] >= first} << (k % 64);
        }
        barred_[w] = word;
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
    const std::size_t n = lists_.size();
    const SetList &list = lists_[y];
    const SetMasks &masks = *list.masks;
    for (const Member x : changing_[y]) {
        change_[x * n + y] = 0.0;
    }
    changing_[y].clear();
    bar_from(masks, position_[y]);

    // Above the current set: sets with one member after y are what that member would bring.
    wanted_ = barred_; // members for which no such set has been seen
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
            const Member x = masks.universe()[only];
            change_[x * n + y] = list.scores[i]; // becomes a gain below, when the current score is known
            changing_[y].push_back(x);
        }
    }
    current_[y] = i;
    depth_[y] = i;
    const double score = local(y);
    for (const Member x : changing_[y]) {
        change_[x * n + y] -= score;
    }
    if (i < list.size() && !list.set(i).empty()) {
        find_losses(y);
    }
}

// Below the current set: the first set within the predecessors that lacks a parent is what is left without it.
void OrderState::find_losses(Variable y) {
    const std::size_t n = lists_.size();
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
                change_[x * n + y] = fallback - score;
                changing_[y].push_back(x);
                --open;
            }
        }
    };
    std::size_t i = current_[y];
    while (open > 0 && i < list.size()) {
        i = next_fit(masks, i + 1, list.size(), barred_);
        i < list.size() ? lose(masks.mask(i), list.scores[i]) : lose(nullptr, missing_[y]);
    }
    depth_[y] = i;
}

std::span<const double> OrderState::insertions(Variable x, double floor) {
    const std::size_t n = lists_.size();
    const SetList &list = lists_[x];
    const SetMasks &masks = *list.masks;
    const std::size_t here = position_[x];
    const double score = local(x);
    const double *changes = change_.data() + x * n;
    const auto from = [&](std::size_t place) { return insertions_.begin() + static_cast<std::ptrdiff_t>(place); };

    // To the right: others lose x, and x may reach better sets. Only falls, so that it soon becomes hopeless.
    insertions_[here] = 0.0;
    const double most = list.scores.front() - score;
    double others = 0.0;
    std::size_t end = here + 1;
    for (; end < n; ++end) {
        others += changes[order_[end]];
        if (others + most <= floor) {
            break;
        }
        insertions_[end] = others;
    }
    std::fill(from(end), insertions_.end(), hopeless);
    // From the right: the best set behind whose members a place is; `open` places are left to fill. x leaves its own
    // place, so that a later member's place becomes the one before x's.
    std::size_t open = end;
    for (std::size_t i = 0; open > here + 1; ++i) {
        bar_from(masks, open);
        i = next_fit(masks, i, current_[x], barred_);
        if (i == current_[x]) {
            break;
        }
        const std::size_t place = first_place(x, i) - 1;
        for (std::size_t j = place; j < open; ++j) {
            insertions_[j] += list.scores[i] - score;
        }
        open = place;
    }

    // To the left: others gain x, and x loses sets. No place gains more than the leftmost, so that low sets are
    // hopeless.
    others = 0.0;
    for (std::size_t j = here; j-- > 0;) {
        others += changes[order_[j]];
        insertions_[j] = others;
    }
    const auto below = list.scores.subspan(std::min(current_[x] + 1, list.size()));
    const auto low = std::ranges::partition_point(below, [&](double own) { return own - score + others > floor; });
    const std::size_t last = list.size() - static_cast<std::size_t>(below.end() - low);
    open = has_set(x) ? first_place(x, current_[x]) : 0; // from there on x keeps its set
    for (std::size_t i = current_[x] + 1; open > 0; ++i) {
        bar_from(masks, open - 1);
        i = next_fit(masks, i, last, barred_);
        const bool is_missing = i == list.size();
        if (i == last && (!is_missing || missing_[x] - score + others <= floor)) {
            std::fill(insertions_.begin(), from(open), hopeless);
            break;
        }
        const std::size_t place = is_missing ? 0 : first_place(x, i);
        for (std::size_t j = place; j < open; ++j) {
            insertions_[j] += (is_missing ? missing_[x] : list.scores[i]) - score;
        }
        open = place;
    }
    return insertions_;
}

OrderState::Insertion OrderState::best_insertion(Variable x, double floor) {
    const auto changes = insertions(x, floor);
    const std::size_t here = position_[x];
    Insertion best{0.0, here};
    const auto look = [&](std::size_t j) {
        if (changes[j] > floor && changes[j] > best.change) {
            best = {changes[j], j};
        }
    };
    for (std::size_t j = here; j-- > 0;) {
        look(j);
    }
    for (std::size_t j = here + 1; j < changes.size(); ++j) {
        look(j);
    }
    return best;
}

void OrderState::insert(Variable x, std::size_t target) {
    const std::size_t from = position_[x];
    const auto begin = order_.begin();
    const auto at = [&](std::size_t i) { return begin + static_cast<std::ptrdiff_t>(i); };
    if (from < target) {
        std::rotate(at(from), at(from + 1), at(target + 1));
    } else {
        std::rotate(at(target), at(from), at(from + 1));
    }
    const std::size_t first = std::min(from, target);
    const std::size_t last = std::max(from, target);
    for (std::size_t i = first; i <= last; ++i) {
        position_[order_[i]] = static_cast<std::uint32_t>(i);
    }
    for (std::size_t i = first; i <= last; ++i) {
        const Variable y = order_[i];
        if (y == x || lists_[y].masks->first_rank(x) <= depth_[y]) {
            refresh(y);
        }
    }
}

void OrderState::replace_list(Variable y, const SetList &list) {
    lists_[y] = list;
    refresh(y);
}

} // namespace arcwise
