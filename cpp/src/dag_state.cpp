#include "arcwise/dag_state.hpp"

#include "arcwise/check.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

namespace arcwise {

DagState::DagState(ParentLists parents)
    : parents_(std::move(parents)), children_(parents_.size()), place_(parents_.size()) {
    for (Variable node = 0; node < n_nodes(); ++node) {
        std::ranges::sort(parents_[node]);
        for (const Variable parent : parents_[node]) {
            children_[parent].push_back(node);
        }
    }
    std::uint32_t place = 0;
    for (const Variable node : topological_order()) {
        place_[node] = place++;
    }
    scratch_.mark.assign(n_nodes(), 0);
    scratch_.before.resize(n_nodes());
    scratch_.forward.resize(n_nodes());
    scratch_.backward.resize(n_nodes());
}

bool DagState::has_arc(Variable from, Variable to) const noexcept {
    return std::ranges::binary_search(parents_[to], from);
}

bool DagState::can_reverse(Variable from, Variable to) const noexcept {
    return std::ranges::none_of(parents_[to], [&](Variable parent) { return parent != from && reaches(from, parent); });
}

std::uint32_t DagState::next_mark() const noexcept {
    if (scratch_.last_mark > std::numeric_limits<std::uint32_t>::max() - 2) {
        std::ranges::fill(scratch_.mark, 0);
        scratch_.last_mark = 0;
    }
    return ++scratch_.last_mark;
}

// From both ends, a node at a time, from whichever end has fewer nodes waiting. What is behind `to` in the order, or
// before `from`, is not on the way.
bool DagState::reaches(Variable from, Variable to) const noexcept {
    if (place_[from] >= place_[to]) {
        return from == to;
    }
    const std::uint32_t from_start = next_mark();
    const std::uint32_t from_goal = next_mark();
    auto &[mark, last, before, forward, backward, met_from, met_to] = scratch_;
    mark[from] = from_start;
    mark[to] = from_goal;
    forward[0] = from;
    backward[0] = to;
    std::size_t forward_at = 0;
    std::size_t forward_end = 1;
    std::size_t backward_at = 0;
    std::size_t backward_end = 1;
    while (forward_at < forward_end && backward_at < backward_end) {
        if (forward_end - forward_at <= backward_end - backward_at) {
            const Variable node = forward[forward_at++];
            for (const Variable child : children_[node]) {
                if (mark[child] == from_goal) {
                    met_from = node;
                    met_to = child;
                    return true;
                }
                if (mark[child] != from_start && place_[child] < place_[to]) {
                    mark[child] = from_start;
                    before[child] = node;
                    forward[forward_end++] = child;
                }
            }
        } else {
            const Variable node = backward[backward_at++];
            for (const Variable parent : parents_[node]) {
                if (mark[parent] == from_start) {
                    met_from = parent;
                    met_to = node;
                    return true;
                }
                if (mark[parent] != from_goal && place_[parent] > place_[from]) {
                    mark[parent] = from_goal;
                    before[parent] = node;
                    backward[backward_end++] = parent;
                }
            }
        }
    }
    return false;
}

void DagState::insert_parent(Variable from, Variable to) {
    auto &list = parents_[to];
    list.insert(std::ranges::lower_bound(list, from), from);
    children_[from].push_back(to);
}

void DagState::erase_parent(Variable from, Variable to) {
    auto &list = parents_[to];
    list.erase(std::ranges::lower_bound(list, from));
    auto &others = children_[from];
    *std::ranges::find(others, to) = others.back();
    others.pop_back();
}

// Makes the order agree with an arc that is about to come. Of the nodes between the two places, those above `from`
// change places with those below `to`: both keep the order that they have among themselves.
void DagState::put_before(Variable from, Variable to) {
    if (place_[from] < place_[to]) {
        return;
    }
    const auto by_place = [&](Variable node) { return place_[node]; };
    const auto between = [&](Variable end, const ParentLists &next, auto &&is_inside) {
        const std::uint32_t seen = next_mark();
        std::vector<Variable> found{end};
        scratch_.mark[end] = seen;
        for (std::size_t at = 0; at < found.size(); ++at) {
            for (const Variable other : next[found[at]]) {
                if (scratch_.mark[other] != seen && is_inside(place_[other])) {
                    scratch_.mark[other] = seen;
                    found.push_back(other);
                }
            }
        }
        std::ranges::sort(found, {}, by_place);
        return found;
    };
    const std::vector<Variable> above =
        between(from, parents_, [first = place_[to]](std::uint32_t place) { return place > first; });
    const std::vector<Variable> below =
        between(to, children_, [last = place_[from]](std::uint32_t place) { return place < last; });
    std::vector<std::uint32_t> places;
    for (const auto *nodes : {&above, &below}) {
        std::ranges::transform(*nodes, std::back_inserter(places), by_place);
    }
    std::ranges::sort(places);
    auto next = places.begin();
    for (const auto *nodes : {&above, &below}) {
        for (const Variable node : *nodes) {
            place_[node] = *next++;
        }
    }
}

void DagState::add(Variable from, Variable to) {
    put_before(from, to);
    insert_parent(from, to);
    ARCWISE_ASSERT(has_right_order());
}

void DagState::remove(Variable from, Variable to) { erase_parent(from, to); }

void DagState::reverse(Variable from, Variable to) {
    remove(from, to);
    add(to, from);
}

std::vector<Variable> DagState::topological_order() const {
    std::vector<std::size_t> waiting(n_nodes());
    std::vector<Variable> order;
    order.reserve(n_nodes());
    for (Variable node = 0; node < n_nodes(); ++node) {
        waiting[node] = parents_[node].size();
        if (waiting[node] == 0) {
            order.push_back(node);
        }
    }
    for (std::size_t done = 0; done < order.size(); ++done) {
        for (const Variable child : children_[order[done]]) {
            if (--waiting[child] == 0) {
                order.push_back(child);
            }
        }
    }
    if (order.size() != n_nodes()) {
        throw std::invalid_argument("the parents close a cycle");
    }
    return order;
}

bool DagState::has_right_order() const {
    std::vector<bool> is_taken(n_nodes(), false);
    for (Variable node = 0; node < n_nodes(); ++node) {
        const auto comes_before = [&](Variable parent) { return place_[parent] < place_[node]; };
        if (is_taken[place_[node]] || !std::ranges::all_of(parents_[node], comes_before)) {
            return false;
        }
        is_taken[place_[node]] = true;
    }
    return true;
}

} // namespace arcwise
