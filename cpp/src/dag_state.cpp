#include "arcwise/dag_state.hpp"

#include "arcwise/check.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace arcwise {

DagState::DagState(ParentLists parents)
    : parents_(std::move(parents)), n_children_(parents_.size(), 0), words_((parents_.size() + 63) / 64) {
    for (auto &list : parents_) {
        std::sort(list.begin(), list.end());
        for (const Variable parent : list) {
            ++n_children_[parent];
        }
    }
    reach_ = recomputed_reach();
}

bool DagState::has_arc(Variable from, Variable to) const noexcept {
    return std::binary_search(parents_[to].begin(), parents_[to].end(), from);
}

bool DagState::can_reverse(Variable from, Variable to) const noexcept {
    return std::none_of(parents_[to].begin(), parents_[to].end(),
                        [&](Variable parent) { return parent != from && reaches(from, parent); });
}

void DagState::insert_parent(Variable from, Variable to) {
    auto &list = parents_[to];
    list.insert(std::lower_bound(list.begin(), list.end(), from), from);
    ++n_children_[from];
}

void DagState::erase_parent(Variable from, Variable to) {
    auto &list = parents_[to];
    list.erase(std::lower_bound(list.begin(), list.end(), from));
    --n_children_[from];
}

void DagState::add(Variable from, Variable to) {
    insert_parent(from, to);
    const std::uint64_t *below = reach_.data() + to * words_;
    for (Variable node = 0; node < n_nodes(); ++node) {
        if (reaches(node, from) && !reaches(node, to)) {
            std::uint64_t *row = reach_.data() + node * words_;
            for (std::size_t w = 0; w < words_; ++w) {
                row[w] |= below[w];
            }
        }
    }
    ARCWISE_ASSERT(reach_ == recomputed_reach());
}

void DagState::remove(Variable from, Variable to) {
    erase_parent(from, to);
    reach_ = recomputed_reach();
}

void DagState::reverse(Variable from, Variable to) {
    erase_parent(from, to);
    insert_parent(to, from);
    reach_ = recomputed_reach();
}

// What is above both reaches both as before, and what is below reaches neither: only these two rows change.
void DagState::reverse_covered(Variable from, Variable to) {
    erase_parent(from, to);
    std::uint64_t *upper = reach_.data() + from * words_;
    std::uint64_t *lower = reach_.data() + to * words_;
    std::copy(upper, upper + words_, lower);
    std::fill(upper, upper + words_, 0);
    upper[from / 64] |= std::uint64_t{1} << (from % 64);
    for (Variable child = 0; child < n_nodes(); ++child) {
        if (has_arc(from, child)) {
            const std::uint64_t *below = reach_.data() + child * words_;
            std::transform(upper, upper + words_, below, upper, std::bit_or<>());
        }
    }
    insert_parent(to, from);
    ARCWISE_ASSERT(reach_ == recomputed_reach());
}

std::vector<Variable> DagState::topological_order() const {
    std::vector<std::vector<Variable>> children(n_nodes());
    std::vector<std::size_t> waiting(n_nodes());
    std::vector<Variable> order;
    order.reserve(n_nodes());
    for (Variable node = 0; node < n_nodes(); ++node) {
        waiting[node] = parents_[node].size();
        for (const Variable parent : parents_[node]) {
            children[parent].push_back(node);
        }
        if (waiting[node] == 0) {
            order.push_back(node);
        }
    }
    for (std::size_t done = 0; done < order.size(); ++done) {
        for (const Variable child : children[order[done]]) {
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

std::vector<std::uint64_t> DagState::recomputed_reach() const {
    std::vector<std::uint64_t> reach(n_nodes() * words_, 0);
    const std::vector<Variable> order = topological_order();
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
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
