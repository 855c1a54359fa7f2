#include "arcwise/growing_lists.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>

namespace arcwise {
namespace {

bool same(std::span<const Member> a, std::span<const Member> b) { return std::ranges::equal(a, b); }

// Whether the list has the set, given where scores no higher than its own begin.
bool holds(const SetList &list, double score, std::span<const Member> set, double rounding) {
    const auto first = std::ranges::lower_bound(list.scores, score + rounding, std::greater<>());
    for (auto i = static_cast<std::size_t>(first - list.scores.begin());
         i < list.size() && list.scores[i] >= score - rounding; ++i) {
        if (same(list.set(i), set)) {
            return true;
        }
    }
    return false;
}

} // namespace

GrownList::GrownList(const GrownList *old, const ParentSetList &fresh, double rounding, std::size_t n_variables) {
    const SetList before = old == nullptr ? SetList{} : old->view();
    std::vector<std::size_t> better(fresh.size());
    std::iota(better.begin(), better.end(), std::size_t{0});
    std::ranges::stable_sort(better, [&](std::size_t a, std::size_t b) { return fresh.scores[a] > fresh.scores[b]; });
    std::vector<std::size_t> added;
    for (const std::size_t i : better) {
        bool known = holds(before, fresh.scores[i], fresh.set(i), rounding);
        for (const std::size_t other : std::views::reverse(added)) {
            if (known || fresh.scores[other] > fresh.scores[i] + rounding) {
                break;
            }
            known = same(fresh.set(other), fresh.set(i));
        }
        if (!known) {
            added.push_back(i);
        }
    }
    const auto append = [&](double score, std::span<const Member> set) {
        scores_.push_back(score);
        members_.insert(members_.end(), set.begin(), set.end());
        begin_.push_back(static_cast<std::int64_t>(members_.size()));
    };
    scores_.reserve(before.size() + added.size());
    begin_.reserve(before.size() + added.size() + 1);
    std::size_t next = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        for (; next < added.size() && fresh.scores[added[next]] > before.scores[i]; ++next) {
            append(fresh.scores[added[next]], fresh.set(added[next]));
        }
        append(before.scores[i], before.set(i));
    }
    for (; next < added.size(); ++next) {
        append(fresh.scores[added[next]], fresh.set(added[next]));
    }
    masks_.emplace(n_variables, begin_, members_.data());
}

GrowingLists::GrowingLists(std::span<const ParentSetList> first, double rounding) : rounding_(rounding) {
    for (const ParentSetList &list : first) {
        lists_.push_back(std::make_shared<GrownList>(nullptr, list, rounding, first.size()));
    }
}

std::size_t GrowingLists::n_sets() const noexcept {
    return std::transform_reduce(lists_.begin(), lists_.end(), std::size_t{0}, std::plus<>(),
                                 [](const auto &list) { return list->size(); });
}

std::size_t GrowingLists::bytes() const noexcept {
    return std::transform_reduce(lists_.begin(), lists_.end(), std::size_t{0}, std::plus<>(),
                                 [](const auto &list) { return list->bytes(); });
}

bool GrowingLists::grow(Variable v, const ParentSetList &fresh) {
    const SetList before = view(v);
    const bool nothing_new = [&] {
        for (std::size_t i = 0; i < fresh.size(); ++i) {
            if (!holds(before, fresh.scores[i], fresh.set(i), rounding_)) {
                return false;
            }
        }
        return true;
    }();
    if (nothing_new) {
        return false;
    }
    lists_[v] = std::make_shared<GrownList>(lists_[v].get(), fresh, rounding_, lists_.size());
    return true;
}

} // namespace arcwise
