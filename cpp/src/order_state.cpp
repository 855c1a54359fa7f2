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
constexpr std::uint8_t nowhere = 0xff;

} // namespace

OrderState::OrderState(std::vector<SetList> lists, std::vector<Variable> order)
    : lists_(std::move(lists)), order_(std::move(order)), position_(order_.size()), current_(order_.size()),
      depth_(order_.size()), missing_(order_.size()), change_(order_.size() * order_.size()), changing_(order_.size()),
      place_(order_.size(), nowhere), insertions_(order_.size()) {
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

void OrderState::refresh(Variable y) {
    const std::size_t n = lists_.size();
    const SetList &list = lists_[y];
    const std::uint32_t here = position_[y];
    for (const Member x : changing_[y]) {
        change_[x * n + y] = 0.0;
    }
    changing_[y].clear();

    // Above the current set: sets with one member after y are what that member would bring.
    std::size_t i = 0;
    for (; i < list.size(); ++i) {
        std::size_t later = 0;
        Member only = 0;
        for (const Member member : list.set(i)) {
            if (position_[member] > here) {
                only = member;
                if (++later > 1) {
                    break;
                }
            }
        }
        if (later == 0) {
            break;
        }
        if (later == 1 && place_[only] == nowhere) {
            place_[only] = 0;
            change_[only * n + y] = list.scores[i]; // becomes a gain below, when the current score is known
            changing_[y].push_back(only);
        }
    }
    current_[y] = i;
    depth_[y] = i;
    const double score = local(y);
    for (const Member x : changing_[y]) {
        change_[x * n + y] -= score;
        place_[x] = nowhere;
    }
    if (i < list.size()) {
        find_losses(y, i);
    }
}

// Below the current set: the first set within the predecessors that lacks a parent is what is left without it.
void OrderState::find_losses(Variable y, std::size_t current) {
    const std::size_t n = lists_.size();
    const SetList &list = lists_[y];
    const std::uint32_t here = position_[y];
    const auto parents = list.set(current);
    if (parents.empty()) {
        return;
    }
    for (std::size_t k = 0; k < parents.size(); ++k) {
        place_[parents[k]] = static_cast<std::uint8_t>(k);
    }
    std::uint64_t open = ~std::uint64_t{0} >> (max_parents - parents.size());
    std::size_t i = current;
    const auto lose = [&](std::uint64_t lost, double score) {
        for (; lost != 0; lost &= lost - 1) {
            const Member x = parents[static_cast<std::size_t>(std::countr_zero(lost))];
            change_[x * n + y] = score - list.scores[current];
            changing_[y].push_back(x);
        }
    };
    while (open != 0 && ++i < list.size()) {
        std::uint64_t held = 0;
        bool fits = true;
        for (const Member member : list.set(i)) {
            if (position_[member] > here) {
                fits = false;
                break;
            }
            if (place_[member] != nowhere) {
                held |= std::uint64_t{1} << place_[member];
            }
        }
        if (fits) {
            lose(open & ~held, list.scores[i]);
            open &= held;
        }
    }
    lose(open, missing_[y]);
    depth_[y] = std::min(i, list.size());
    for (const Member parent : parents) {
        place_[parent] = nowhere;
    }
}

std::span<const double> OrderState::insertions(Variable x, double floor) {
    const std::size_t n = lists_.size();
    const SetList &list = lists_[x];
    const std::size_t here = position_[x];
    const double score = local(x);
    const double *changes = change_.data() + x * n;
    const auto last_member = [&](std::size_t i) { // its position + 1: the set fits from there on
        std::uint32_t after = 0;
        for (const Member member : list.set(i)) {
            after = std::max(after, position_[member] + 1);
        }
        return static_cast<std::size_t>(after);
    };

    // To the right: others lose x, and x may reach better sets. A place to the right of `here` is one further than the
    // members it needs before it, because x itself has left its place.
    insertions_[here] = 0.0;
    std::size_t open = n;
    for (std::size_t i = 0; i < current_[x] && open > here + 1; ++i) {
        const std::size_t fits = last_member(i) - 1;
        if (fits < open) {
            std::fill(insertions_.begin() + static_cast<std::ptrdiff_t>(fits),
                      insertions_.begin() + static_cast<std::ptrdiff_t>(open), list.scores[i] - score);
            open = fits;
        }
    }
    double others = 0.0;
    for (std::size_t j = here + 1; j < n; ++j) {
        others += changes[order_[j]];
        insertions_[j] = others + (j < open ? 0.0 : insertions_[j]);
    }

    // To the left: others gain x, and x loses sets.
    others = 0.0;
    for (std::size_t j = here; j-- > 0;) {
        others += changes[order_[j]];
        insertions_[j] = others;
    }
    open = has_set(x) ? std::min(here, last_member(current_[x])) : 0; // places from there on keep the current set
    for (std::size_t i = current_[x] + 1; open > 0; ++i) {
        const double own = i < list.size() ? list.scores[i] - score : missing_[x] - score;
        if (own + others <= floor) { // scores fall from here on, and no place gains more than the leftmost
            std::fill_n(insertions_.begin(), open, hopeless);
            break;
        }
        const std::size_t fits = i < list.size() ? last_member(i) : 0;
        for (std::size_t j = fits; j < open; ++j) {
            insertions_[j] += own;
        }
        open = std::min(open, fits);
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
        if (y == x || lists_[y].first_rank[x] <= depth_[y]) {
            refresh(y);
        }
    }
}

void OrderState::replace_list(Variable y, const SetList &list) {
    lists_[y] = list;
    refresh(y);
}

} // namespace arcwise
