// Graphs of few variables, told apart by their equivalence classes.
#pragma once

#include "arcwise/random.hpp"
#include "arcwise/table_view.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace arcwise {

// A graph over some of the variables, whose sets are bits of a `Set`. Graphs are equivalent when they have the same
// adjacent pairs and the same v-structures (Verma & Pearl 1990).
template <class Set> class SmallGraph {
  public:
    static constexpr std::size_t most = std::numeric_limits<Set>::digits;

    [[nodiscard]] double score() const noexcept { return score_; }
    [[nodiscard]] Set parents(Variable v) const noexcept { return parents_[v]; }
    // The same for equivalent graphs.
    [[nodiscard]] std::uint64_t class_hash() const noexcept { return class_hash_; }

    // With one more variable, which nobody has as a parent.
    [[nodiscard]] SmallGraph with_sink(Variable v, Set parents, double score) const noexcept {
        SmallGraph larger = *this;
        larger.parents_[v] = parents;
        larger.score_ += score;
        for_each(parents, [&](Variable a) {
            larger.class_hash_ ^= mixed(std::uint64_t{one(a)} | one(v)); // one-to-one: a pair
            for_each(uncoupled(parents, a), [&](Variable b) {
                if (a < b) {
                    larger.class_hash_ ^= mixed((std::uint64_t{v} + 1) << 32 | one(a) | one(b));
                }
            });
        });
        return larger;
    }

    [[nodiscard]] bool is_equivalent(const SmallGraph &other) const noexcept {
        if (class_hash_ != other.class_hash_) {
            return false;
        }
        for (Variable v = 0; v < most; ++v) {
            if (adjacent(v) != other.adjacent(v)) {
                return false;
            }
        }
        for (Variable v = 0; v < most; ++v) {
            bool is_same = true;
            for_each(static_cast<Set>(parents_[v] | other.parents_[v]),
                     [&](Variable a) { is_same = is_same && colliding(v, a) == other.colliding(v, a); });
            if (!is_same) {
                return false;
            }
        }
        return true;
    }

  private:
    [[nodiscard]] static constexpr Set one(Variable v) noexcept { return static_cast<Set>(Set{1} << v); }

    template <class Use> static void for_each(Set set, Use &&use) {
        for (std::uint64_t rest = set; rest != 0; rest &= rest - 1) {
            use(static_cast<Variable>(std::countr_zero(rest)));
        }
    }

    [[nodiscard]] Set adjacent(Variable v) const noexcept {
        Set all = parents_[v];
        for (Variable child = 0; child < most; ++child) {
            all = static_cast<Set>(all | static_cast<Set>((parents_[child] >> v & 1)) << child);
        }
        return all;
    }
    // Which of the parents are not adjacent to one of them.
    [[nodiscard]] Set uncoupled(Set parents, Variable a) const noexcept {
        return static_cast<Set>(parents & ~one(a) & ~adjacent(a));
    }
    // Which variables have a v-structure with `a` at v.
    [[nodiscard]] Set colliding(Variable v, Variable a) const noexcept {
        return (parents_[v] & one(a)) != 0 ? uncoupled(parents_[v], a) : Set{0};
    }

    double score_ = 0.0;
    std::uint64_t class_hash_ = 0;
    std::array<Set, most> parents_{};
};

} // namespace arcwise
