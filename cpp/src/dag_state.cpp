#include "arcwise/dag_state.hpp"

#include "arcwise/check.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

namespace arcwise {

DagState::DagState(ParentLists parents, std::size_t largest_matrix)
    : parents_(std::move(parents)), children_(parents_.size()), place_(parents_.size()),
      words_((parents_.size() + 63) / 64) {
    for (Variable node = 0; node < n_nodes(); ++node) {
        std::ranges::sort(parents_[node]);
        for (const Variable parent : parents_[node]) {
            children_[parent].push_back(node);
        }
    }
    order_ = topological_order();
    for (std::size_t i = 0; i < order_.size(); ++i) {
        place_[order_[i]] = static_cast<std::uint32_t>(i);
    }
    scratch_.mark.assign(n_nodes(), 0);
    scratch_.towards_end.resize(n_nodes());
    scratch_.forward.resize(n_nodes());
    scratch_.backward.resize(n_nodes());
    if (n_nodes() <= largest_matrix) {
        reach_ = recomputed_reach();
    }
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
bool DagState::find_path(Variable from, Variable to) const noexcept {
    if (place_[from] >= place_[to]) {
        return from == to;
    }
    const std::uint32_t from_start = next_mark();
    const std::uint32_t from_goal = next_mark();
    auto &[mark, last, towards_end, forward, backward, met_from, met_to] = scratch_;
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
                    towards_end[child] = node;
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
                    towards_end[parent] = node;
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
            place_[node] = *next;
            order_[*next++] = node;
        }
    }
}

void DagState::add(Variable from, Variable to) {
    put_before(from, to);
    insert_parent(from, to);
    if (has_matrix()) {
        const std::uint64_t *below = reach_.data() + to * words_;
        for (std::size_t i = 0; i <= place_[from]; ++i) {
            const Variable node = order_[i];
            if (reaches_in_matrix(node, from) && !reaches_in_matrix(node, to)) {
                std::uint64_t *row = reach_.data() + node * words_;
                std::transform(row, row + words_, below, row, std::bit_or<>());
            }
        }
    }
    ARCWISE_ASSERT(is_consistent());
}

void DagState::remove(Variable from, Variable to) {
    erase_parent(from, to);
    forget_below(from);
    ARCWISE_ASSERT(is_consistent());
}

void DagState::reverse(Variable from, Variable to) {
    remove(from, to);
    add(to, from);
}

// What is above both reaches both as before, and what is below reaches neither: only these two rows change.
void DagState::reverse_covered(Variable from, Variable to) {
    erase_parent(from, to);
    put_before(to, from);
    insert_parent(to, from);
    if (has_matrix()) {
        fill_row(from);
        fill_row(to);
    }
    ARCWISE_ASSERT(is_consistent());
}

// After an arc from this node has gone: nodes above it reach what their children reach.
void DagState::forget_below(Variable from) {
    if (!has_matrix()) {
        return;
    }
    for (std::size_t i = place_[from] + 1; i-- > 0;) {
        const Variable node = order_[i];
        if (reaches_in_matrix(node, from)) {
            fill_row(node);
        }
    }
}

// What the children reach, and the node itself.
void DagState::fill_row(Variable node) {
    std::uint64_t *row = reach_.data() + node * words_;
    std::fill(row, row + words_, 0);
    row[node / 64] |= std::uint64_t{1} << (node % 64);
    for (const Variable child : children_[node]) {
        std::transform(row, row + words_, reach_.data() + child * words_, row, std::bit_or<>());
    }
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

bool DagState::is_consistent() const {
    for (Variable node = 0; node < n_nodes(); ++node) {
        const bool comes_later =
            std::ranges::all_of(parents_[node], [&](Variable parent) { return place_[parent] < place_[node]; });
        if (order_[place_[node]] != node || !comes_later) {
            return false;
        }
    }
    return !has_matrix() || reach_ == recomputed_reach();
}

std::vector<std::uint64_t> DagState::recomputed_reach() const {
    std::vector<std::uint64_t> reach(n_nodes() * words_, 0);
    for (auto node = order_.rbegin(); node != order_.rend(); ++node) {
        std::uint64_t *row = reach.data() + *node * words_;
        row[*node / 64] |= std::uint64_t{1} << (*node % 64);
        for (const Variable parent : parents_[*node]) {
            for (std::size_t w = 0; w < words_; ++w) {
                reach[parent * words_ + w] |= row[w];
            }
        }
    }
    return reach;
}

} // namespace arcwise
