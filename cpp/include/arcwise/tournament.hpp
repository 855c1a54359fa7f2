// Numbers that change one at a time, looked at from the largest down.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace arcwise {

// A tree of maxima: a change and each further look take the logarithm of their number.
class Tournament {
  public:
    explicit Tournament(std::size_t n) : first_leaf_(std::bit_ceil(std::max<std::size_t>(1, n))) {
        most_.assign(2 * first_leaf_, nothing);
    }

    static constexpr double nothing = -std::numeric_limits<double>::infinity();

    [[nodiscard]] double operator[](std::size_t i) const noexcept { return most_[first_leaf_ + i]; }

    void set(std::size_t i, double value) noexcept {
        std::size_t at = first_leaf_ + i;
        most_[at] = value;
        while (at > 1) {
            at /= 2;
            const double most = std::max(most_[2 * at], most_[2 * at + 1]);
            if (most_[at] == most) {
                break;
            }
            most_[at] = most;
        }
    }

  private:
    friend class Ranking;

    std::size_t first_leaf_;
    std::vector<double> most_; // of two others below; the leaves come last
};

// Gives the places of tournaments of one size, the largest value first and of equal ones the first place. Meanwhile
// values may fall.
class Ranking {
  public:
    void add(const Tournament &tournament) { push(tournament, 1); }

    // The next place with a value above the floor, if there is one.
    [[nodiscard]] std::optional<std::size_t> take(double floor) {
        while (!open_.empty() && open_.front().value > floor) {
            std::ranges::pop_heap(open_, is_behind);
            const auto [value, leaf, at, of] = open_.back();
            open_.pop_back();
            if (at >= of->first_leaf_) {
                return at - of->first_leaf_;
            }
            push(*of, 2 * at);
            push(*of, 2 * at + 1);
        }
        return std::nullopt;
    }

  private:
    struct Open {
        double value;
        std::size_t leaf; // the first below
        std::size_t at;
        const Tournament *of;
    };

    static bool is_behind(const Open &a, const Open &b) noexcept {
        return a.value != b.value ? a.value < b.value : a.leaf > b.leaf;
    }

    void push(const Tournament &of, std::size_t at) {
        const auto depth = static_cast<std::size_t>(std::bit_width(of.first_leaf_) - std::bit_width(at));
        open_.push_back({of.most_[at], at << depth, at, &of});
        std::ranges::push_heap(open_, is_behind);
    }

    std::vector<Open> open_;
};

} // namespace arcwise
