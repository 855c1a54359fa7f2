// Climbs over orders whose parents are grown anew wherever a move changes what precedes a variable.
#pragma once

#include "arcwise/arc_rules.hpp"
#include "arcwise/local_score.hpp"
#include "arcwise/order_climb.hpp"
#include "arcwise/set_key.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace arcwise {

// The parents of a variable under an order are found by adding the best of its predecessors while that improves the
// score, dropping the worst while that does, and so on until neither does; not among lists of sets that are known,
// which suits scores that are made in much less time than a list is searched, and parents that are many.
//
// A move takes one variable to the place where the graph of the order scores most. It is passed by its neighbours one
// after the other, first to the left, then to the right: of two that change places, the one that comes to stand before
// loses the other as a parent, if it was one, and the other gains a candidate. What both have then is grown from what
// they had (Andrews et al. 2023, "Fast scalable and accurate discovery of DAGs using the best order score search and
// grow-shrink trees", NeurIPS, have such moves over orders; so has FLOP, 2025, arXiv 2510.04970, which also grows from
// what was there).
//
// For every variable it is kept which others would improve its parents: passing one that would not costs the look at a
// bit. What was grown is remembered by what it was grown from and what preceded, which comes up again as long as moves
// elsewhere change neither.
class RegrowingClimb {
  public:
    // Both live longer than this.
    RegrowingClimb(const LocalScore &score, const ArcRules &rules);

    [[nodiscard]] std::size_t n_variables() const noexcept { return place_.size(); }

    // An order that is made by taking in one variable after the other, each at its best place among those before it:
    // the one next that these explain least, and the first of the sequence among equals. Sources of a graph so come
    // early, and a climb from there is short. Required parents come before their children.
    [[nodiscard]] std::vector<Variable> inserted(std::span<const Variable> sequence, double tolerance, Budget &budget);

    // A move must change the score by more than the tolerance. Required parents precede their children in the order.
    [[nodiscard]] OrderClimbResult run(std::vector<Variable> order, double tolerance, std::uint64_t seed,
                                       Budget &budget);

  private:
    using Bits = std::vector<std::uint64_t>; // one for each variable
    struct Grown {
        std::vector<Variable> parents; // ascending
        double score = 0.0;
    };
    struct Hash {
        std::size_t operator()(const SetKey &key) const noexcept { return static_cast<std::size_t>(key.low); }
    };
    // What precedes a variable: those before a place, without the one that is moved unless it is there.
    struct Preceding {
        std::size_t end;
        Variable moved;
        bool has_moved;
    };
    // The best place for a variable so far, and what is changed there.
    struct Move;

    void begin(std::vector<Variable> order, Budget &budget);
    void clear();
    void append(Variable v);
    // Grows the parents of a variable, from those that it must have, among those before a place.
    void settle(Variable v, std::size_t end, Budget &budget);
    [[nodiscard]] bool precedes(Variable candidate, const Preceding &preceding) const noexcept {
        return candidate == preceding.moved ? preceding.has_moved : place_[candidate] < preceding.end;
    }
    [[nodiscard]] SetKey key_of(const Preceding &preceding) const noexcept;
    // The scores of a family with each of the allowed candidates that pass, in `candidates_` and `scores_`; false where
    // the budget ended it.
    template <class Passes> bool score_additions(Variable child, const Grown &grown, Passes &&passes, Budget &budget);
    // From some parents, all of which precede.
    void grow(Variable child, const Preceding &preceding, std::vector<Variable> parents, Grown &grown, Budget &budget);
    // Takes other parents if they score more.
    bool accept(Variable child, std::vector<Variable> parents, Grown &grown, Budget &budget) const;
    // Adds the best that precedes and improves, or drops the worst; false where there is none.
    bool add(Variable child, const Preceding &preceding, Grown &grown, Budget &budget);
    bool drop(Variable child, Grown &grown, Budget &budget);
    // Marks what would improve a family as one more parent, of those that stand at a place or behind it.
    void mark(Variable child, const Grown &grown, std::size_t from, Bits &improving, Budget &budget);

    // Whether a variable has found a better place.
    bool move(Variable v, Budget &budget);
    void scan_left(Variable v, Move &best, Budget &budget);
    void scan_right(Variable v, Move &best, Budget &budget);
    void make(Variable v, Move &best, Budget &budget);
    void find_keys(std::size_t first, std::size_t last);
    void show(Budget &budget) const;
    // Whether all parents come before their children.
    [[nodiscard]] bool keeps_order() const;

    const LocalScore &score_;
    const ArcRules &rules_;
    double tolerance_ = 0.0;
    double total_ = 0.0;
    std::vector<Variable> order_;
    std::vector<std::size_t> place_;
    std::vector<SetKey> before_; // the key of those before each place
    std::vector<Grown> families_;
    std::vector<Bits> improving_;
    std::vector<std::unordered_map<SetKey, Grown, Hash>> known_; // by child
    std::size_t n_known_ = 0;
    std::vector<Variable> candidates_; // scratch, with their scores
    std::vector<double> scores_;
};

} // namespace arcwise
