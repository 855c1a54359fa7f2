// Sets of a few nodes among any number of them, as ascending lists.
#pragma once

#include "arcwise/table_view.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace arcwise {

// A set that belongs to somebody else.
class NodeView {
  public:
    explicit NodeView(std::span<const Variable> nodes) noexcept : nodes_(nodes) {}

    [[nodiscard]] auto begin() const noexcept { return nodes_.begin(); }
    [[nodiscard]] auto end() const noexcept { return nodes_.end(); }
    [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
    // The largest member of a set that has one.
    [[nodiscard]] Variable last() const noexcept { return nodes_.back(); }

    [[nodiscard]] bool contains(Variable node) const noexcept {
        if (nodes_.size() > few) {
            return std::ranges::binary_search(nodes_, node);
        }
        const auto at = std::ranges::find_if(nodes_, [&](Variable member) { return member >= node; });
        return at != nodes_.end() && *at == node;
    }
    [[nodiscard]] bool intersects(NodeView other) const noexcept {
        const auto [less, more] = size() < other.size() ? std::pair(*this, other) : std::pair(other, *this);
        return std::ranges::any_of(less.nodes_, [&set = more](Variable node) { return set.contains(node); });
    }
    [[nodiscard]] bool is_within(NodeView other) const noexcept {
        return std::ranges::all_of(nodes_, [&](Variable node) { return other.contains(node); });
    }
    [[nodiscard]] std::size_t count_outside(NodeView other) const noexcept {
        const auto count = std::ranges::count_if(nodes_, [&](Variable node) { return !other.contains(node); });
        return static_cast<std::size_t>(count);
    }
    // Whether whatever this and `other` have in common is in `third`.
    [[nodiscard]] bool meets_only_within(NodeView other, NodeView third) const noexcept {
        return std::ranges::none_of(nodes_,
                                    [&](Variable node) { return other.contains(node) && !third.contains(node); });
    }
    friend bool operator==(NodeView a, NodeView b) noexcept { return std::ranges::equal(a.nodes_, b.nodes_); }

  private:
    static constexpr std::size_t few = 32; // looked through from the first, which is quicker than halving

    std::span<const Variable> nodes_;
};

class NodeSet {
  public:
    NodeSet() = default;
    NodeSet(std::initializer_list<Variable> nodes) : nodes_(nodes) { std::ranges::sort(nodes_); }
    explicit NodeSet(NodeView nodes) : nodes_(nodes.begin(), nodes.end()) {}

    [[nodiscard]] NodeView view() const noexcept { return NodeView(nodes_); }
    operator NodeView() const noexcept { return view(); }
    [[nodiscard]] auto begin() const noexcept { return nodes_.begin(); }
    [[nodiscard]] auto end() const noexcept { return nodes_.end(); }
    [[nodiscard]] bool contains(Variable node) const noexcept { return view().contains(node); }
    [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
    [[nodiscard]] const std::vector<Variable> &list() const noexcept { return nodes_; }

    void insert(Variable node) {
        const auto at = std::ranges::lower_bound(nodes_, node);
        if (at == nodes_.end() || *at != node) {
            nodes_.insert(at, node);
        }
    }
    void erase(Variable node) noexcept {
        const auto at = std::ranges::lower_bound(nodes_, node);
        if (at != nodes_.end() && *at == node) {
            nodes_.erase(at);
        }
    }
    void clear() noexcept { nodes_.clear(); }

    NodeSet &operator|=(NodeView other) {
        if (other.is_within(*this)) {
            return *this;
        }
        std::vector<Variable> all;
        all.reserve(nodes_.size() + other.size());
        std::ranges::set_union(nodes_, other, std::back_inserter(all));
        nodes_ = std::move(all);
        return *this;
    }
    NodeSet &operator&=(NodeView other) noexcept {
        std::erase_if(nodes_, [&](Variable node) { return !other.contains(node); });
        return *this;
    }
    NodeSet &operator-=(NodeView other) noexcept {
        std::erase_if(nodes_, [&](Variable node) { return other.contains(node); });
        return *this;
    }
    friend NodeSet operator|(NodeSet a, NodeView b) { return std::move(a |= b); }
    friend NodeSet operator&(NodeSet a, NodeView b) noexcept { return std::move(a &= b); }
    friend NodeSet operator-(NodeSet a, NodeView b) noexcept { return std::move(a -= b); }
    friend bool operator==(const NodeSet &, const NodeSet &) noexcept = default;

  private:
    std::vector<Variable> nodes_;
};

} // namespace arcwise
