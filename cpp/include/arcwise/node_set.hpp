// Sets of nodes as bits.
#pragma once

#include "arcwise/table_view.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace arcwise {

// A set that belongs to somebody else.
class NodeView {
  public:
    explicit NodeView(std::span<const std::uint64_t> words) noexcept : words_(words) {}

    [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }
    [[nodiscard]] bool contains(Variable node) const noexcept { return (words_[node / 64] >> (node % 64) & 1) != 0; }
    [[nodiscard]] bool empty() const noexcept {
        return std::ranges::all_of(words_, [](std::uint64_t word) { return word == 0; });
    }
    [[nodiscard]] std::size_t size() const noexcept {
        std::size_t count = 0;
        for (const std::uint64_t word : words_) {
            count += static_cast<std::size_t>(std::popcount(word));
        }
        return count;
    }

    [[nodiscard]] bool intersects(NodeView other) const noexcept {
        return any([&](std::size_t w) { return words_[w] & other.words_[w]; });
    }
    [[nodiscard]] bool is_within(NodeView other) const noexcept {
        return !any([&](std::size_t w) { return words_[w] & ~other.words_[w]; });
    }
    [[nodiscard]] std::size_t count_outside(NodeView other) const noexcept {
        std::size_t count = 0;
        for (std::size_t w = 0; w < words_.size(); ++w) {
            count += static_cast<std::size_t>(std::popcount(words_[w] & ~other.words_[w]));
        }
        return count;
    }
    // The largest member of a set that has one.
    [[nodiscard]] Variable last() const noexcept {
        std::size_t w = words_.size() - 1;
        while (words_[w] == 0) {
            --w;
        }
        return static_cast<Variable>(64 * w + 63 - static_cast<std::size_t>(std::countl_zero(words_[w])));
    }
    // Whether whatever this and `other` have in common is in `third`.
    [[nodiscard]] bool meets_only_within(NodeView other, NodeView third) const noexcept {
        return !any([&](std::size_t w) { return words_[w] & other.words_[w] & ~third.words_[w]; });
    }
    friend bool operator==(NodeView a, NodeView b) noexcept { return std::ranges::equal(a.words_, b.words_); }

    // Calls use(node) in ascending order; `use` must not change the set.
    template <class Use> void for_each(Use &&use) const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
                use(static_cast<Variable>(64 * w + static_cast<std::size_t>(std::countr_zero(rest))));
            }
        }
    }

  private:
    template <class Word> [[nodiscard]] bool any(Word &&word) const noexcept {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            if (word(w) != 0) {
                return true;
            }
        }
        return false;
    }

    std::span<const std::uint64_t> words_;
};

class NodeSet {
  public:
    explicit NodeSet(std::size_t n_nodes) : words_((n_nodes + 63) / 64, 0) {}
    explicit NodeSet(NodeView nodes) : words_(nodes.words().begin(), nodes.words().end()) {}

    [[nodiscard]] NodeView view() const noexcept { return NodeView(words_); }
    operator NodeView() const noexcept { return view(); }
    [[nodiscard]] bool contains(Variable node) const noexcept { return view().contains(node); }
    [[nodiscard]] bool empty() const noexcept { return view().empty(); }
    template <class Use> void for_each(Use &&use) const { view().for_each(use); }

    void insert(Variable node) noexcept { words_[node / 64] |= std::uint64_t{1} << (node % 64); }
    void erase(Variable node) noexcept { words_[node / 64] &= ~(std::uint64_t{1} << (node % 64)); }
    void clear() noexcept { std::ranges::fill(words_, 0); }
    NodeSet &operator|=(NodeView other) noexcept {
        return update(other, [](std::uint64_t a, std::uint64_t b) { return a | b; });
    }
    NodeSet &operator&=(NodeView other) noexcept {
        return update(other, [](std::uint64_t a, std::uint64_t b) { return a & b; });
    }
    NodeSet &operator-=(NodeView other) noexcept {
        return update(other, [](std::uint64_t a, std::uint64_t b) { return a & ~b; });
    }
    friend NodeSet operator|(NodeSet a, NodeView b) noexcept { return std::move(a |= b); }
    friend NodeSet operator&(NodeSet a, NodeView b) noexcept { return std::move(a &= b); }
    friend NodeSet operator-(NodeSet a, NodeView b) noexcept { return std::move(a -= b); }
    friend bool operator==(const NodeSet &, const NodeSet &) noexcept = default;

  private:
    template <class Combine> NodeSet &update(NodeView other, Combine &&combine) noexcept {
        std::ranges::transform(words_, other.words(), words_.begin(), combine);
        return *this;
    }

    std::vector<std::uint64_t> words_;
};

// One set for each node, in one block of memory.
class NodeRows {
  public:
    explicit NodeRows(std::size_t n_nodes) : width_((n_nodes + 63) / 64), words_(n_nodes * width_, 0) {}

    [[nodiscard]] NodeView operator[](Variable row) const noexcept {
        return NodeView(std::span(words_).subspan(row * width_, width_));
    }
    void insert(Variable row, Variable node) noexcept {
        words_[row * width_ + node / 64] |= std::uint64_t{1} << (node % 64);
    }
    void erase(Variable row, Variable node) noexcept {
        words_[row * width_ + node / 64] &= ~(std::uint64_t{1} << (node % 64));
    }
    void assign(Variable row, NodeView nodes) noexcept {
        std::ranges::copy(nodes.words(), words_.begin() + static_cast<std::ptrdiff_t>(row * width_));
    }
    void clear(Variable row) noexcept { std::ranges::fill(std::span(words_).subspan(row * width_, width_), 0); }
    friend bool operator==(const NodeRows &, const NodeRows &) noexcept = default;

  private:
    std::size_t width_;
    std::vector<std::uint64_t> words_;
};

} // namespace arcwise
