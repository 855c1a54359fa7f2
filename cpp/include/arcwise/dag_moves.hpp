// What one change of a node's parents gives, for all nodes of a graph under search.
#pragma once

#include "arcwise/arc_rules.hpp"
#include "arcwise/budget.hpp"
#include "arcwise/dag_state.hpp"
#include "arcwise/forbidden_pairs.hpp"
#include "arcwise/leading_rows.hpp"
#include "arcwise/team.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace arcwise {

// Which graphs are neighbours (Vandel, Mangin & de Givry 2012).
enum class DagMoves {
    add_delete_reverse,      // their SGS1: one arc added, deleted or reversed
    add_delete_reverse_swap, // SGS2: also one parent put in the place of another
    break_cycles,            // SGS3: one arc added or deleted or swapped, and further steps that break the cycles
};

// The moves, and whether they become fewer on the way: then the first step that shows two variables to be better apart
// forbids arcs between them from then on: an addition that loses, or a deletion that gains (constrained hill climbing;
// Gámez, Mateo & Puerta 2011). Theirs looks only at additions that close no cycle; here those that do are counted in
// the same batch, and say the same about the two.
struct DagNeighbourhood {
    DagMoves moves;
    bool forbids_pairs = false;
    bool with_losses = false; // moves that lose are asked for again and again, and so are counted with the others

    DagNeighbourhood(DagMoves its_moves) : moves(its_moves) {}
    [[nodiscard]] DagNeighbourhood forbidding() const { return {moves, true, false}; }
    [[nodiscard]] DagNeighbourhood losing() const { return {moves, false, true}; }

  private:
    DagNeighbourhood(DagMoves its_moves, bool forbids, bool loses)
        : moves(its_moves), forbids_pairs(forbids), with_losses(loses) {}
};

// A change of one node's parents: `out` leaves, `in` enters.
struct Step {
    static constexpr Variable nobody = std::numeric_limits<Variable>::max();
    Variable node;
    Variable out = nobody;
    Variable in = nobody;

    [[nodiscard]] bool adds() const noexcept { return in != nobody; }
    [[nodiscard]] bool drops() const noexcept { return out != nobody; }
};

// Gains of single steps. Each node has a row of the best variables as one more parent, and one for each of its parents
// with the best in its place; where a search needs more of a row than there is, a longer one is counted. So the memory
// is a few dozen numbers for each node and each arc. Deletions are all known, and what each arc would gain the other
// way round. Only the rows of changed nodes are computed again.
class StepGains {
  public:
    static constexpr double impossible = -std::numeric_limits<double>::infinity();

    // The graph is that of the search: it changes first, then the gains are refreshed.
    StepGains(LeadingRows &rows, const ArcRules &rules, const DagState &dag, DagNeighbourhood neighbourhood,
              Budget &budget, Team &team);

    // Asks for what refreshing these nodes will ask for, all at once.
    void prepare(std::span<const Variable> nodes);
    // Computes the gains of a node anew, given its score; false when the budget ended it early. Several threads may do
    // so for different nodes, unless pairs are forbidden on the way. What its arcs gain when reversed comes after all
    // nodes are refreshed.
    bool refresh(Variable node, double local);
    void refresh_reversals(Variable node);                 // of the arcs to it
    void refresh_reversal(Variable node, Variable parent); // of one of them

    // No step of the node that is not closed gains more.
    [[nodiscard]] double bound(Variable node) const noexcept;

    [[nodiscard]] double deletion(Variable node, Variable parent) const noexcept { return arc(node, parent).deletion; }
    // Unless it is closed.
    [[nodiscard]] double reversal(Variable node, Variable parent) const noexcept {
        return arc(node, parent).reversal();
    }
    // x enters; counted where the row is too short to say. `impossible` where the rules forbid it, or a limit does.
    [[nodiscard]] double addition(Variable node, Variable x) const;
    // The same if it is above a floor, else `impossible`.
    [[nodiscard]] double addition_above(Variable node, Variable x, double floor) const;

    // Calls look(x, gain) for the variables that may enter when `out` leaves, who may be nobody, best first, as long as
    // is_worth(gain): nothing that gains less may be worth more. The answer says whether the step is closed from now
    // on, until the node is refreshed or opened. False when the budget ended it.
    template <class Worth, class Look>
    bool for_each_entry(Variable node, Variable out, const Worth &is_worth, Look &&look) {
        Ranked &list = out == Step::nobody ? nodes_[node].additions : arc(node, out).swaps;
        bool are_closed = true;
        for (std::size_t k = list.first_open; list.row != nullptr; ++k) {
            if (k == list.row->scores.size()) {
                if (!is_worth(list.of_others)) {
                    break;
                }
                if (!lengthen(node, out, list)) {
                    return false;
                }
                if (k == list.row->scores.size()) { // there was nobody else
                    break;
                }
            }
            const double gain = list.row->scores[k] - nodes_[node].local;
            if (!is_worth(gain)) {
                break;
            }
            const Variable x = list.row->variables[k];
            are_closed = (!may_enter(node, x) || look(x, gain)) && are_closed;
            if (are_closed) {
                list.first_open = k + 1;
            }
        }
        return true;
    }

    // The best variables outside a family that the rules allow, at least so many or all of them; none when the budget
    // ended the counting.
    [[nodiscard]] LeadingRows::Row row(const Family &family, std::size_t length);
    // The first ones of these, and all that improve the family or most of them.
    [[nodiscard]] LeadingRows::Row first_row(const Family &family);

    // From now on the arc cannot be reversed, until the node is refreshed or opened.
    void close_reversal(Variable node, Variable parent) noexcept { arc(node, parent).is_closed = true; }
    // All steps are to be looked at again.
    void open(Variable node) noexcept;

    [[nodiscard]] bool forbids_pairs() const noexcept { return forbidden_.has_value(); }
    [[nodiscard]] bool is_forbidden(Variable a, Variable b) const noexcept {
        return forbids_pairs() && forbidden_->contains(a, b);
    }
    // Whether x may be a parent of the node besides those that it has, as far as rules and forbidden pairs say.
    [[nodiscard]] bool may_enter(Variable node, Variable x) const noexcept {
        return rules_.is_allowed(node, x) && !is_forbidden(node, x) && !dag_.has_arc(x, node);
    }
    // All pairs may be joined again, now and later; the gains of all nodes are to be computed anew.
    void allow_all_pairs() noexcept { forbidden_.reset(); }

  private:
    // A row, and how many at its beginning need not be looked at.
    struct Ranked {
        LeadingRows::Row row;
        double of_others = impossible; // whom the row lacks: they gain no more
        std::size_t first_open = 0;
    };
    struct Arc {
        double deletion = impossible;
        double reversed = impossible; // what the parent gains by the node as its parent
        bool is_required = false;
        bool is_closed = false; // its reversal closes a cycle
        Ranked swaps;

        [[nodiscard]] double reversal() const noexcept { return is_closed ? impossible : deletion + reversed; }
    };
    struct Node {
        double local = impossible;
        Ranked additions;
        std::vector<Arc> arcs; // by parent
        bool is_free = false;  // nearly all may be
        bool is_known = false;
        std::unordered_map<SetKey, LeadingRows::Row, SetKeyHash> counted; // by parents, where not nearly all may be
    };

    [[nodiscard]] std::size_t place(Variable node, Variable parent) const noexcept {
        const auto parents = dag_.parents(node);
        return static_cast<std::size_t>(std::ranges::lower_bound(parents, parent) - parents.begin());
    }
    [[nodiscard]] const Arc &arc(Variable node, Variable parent) const noexcept {
        return nodes_[node].arcs[place(node, parent)];
    }
    [[nodiscard]] Arc &arc(Variable node, Variable parent) noexcept { return nodes_[node].arcs[place(node, parent)]; }
    [[nodiscard]] bool has_room(Variable node) const noexcept {
        return dag_.parents(node).size() < static_cast<std::size_t>(rules_.max_parents[node]);
    }
    // A row of a node without some parent; to do without that parent gains so much by itself.
    [[nodiscard]] Ranked ranked(LeadingRows::Row row, double local, double without) const;
    // No step of a list that is not closed gains more.
    [[nodiscard]] double head(const Node &node, const Ranked &list) const noexcept;
    [[nodiscard]] std::vector<Variable> family_without(Variable node, Variable out) const;
    [[nodiscard]] bool shares_rows(Variable node) const noexcept { return nodes_[node].is_free && !forbids_pairs(); }
    bool lengthen(Variable node, Variable out, Ranked &list);
    void learn_rules(Variable node);
    [[nodiscard]] std::vector<Variable> candidates(const Family &family) const;
    [[nodiscard]] LeadingRows::Row row_of_allowed(const Family &family, std::size_t length);
    [[nodiscard]] LeadingRows::Row counted_row(const Family &family, std::size_t length) const;
    // Forbids whatever loses, and takes it out of the row.
    void look_around(Variable node);

    LeadingRows &rows_;
    const LocalScore &score_;
    const ArcRules &rules_;
    const DagState &dag_;
    Budget &budget_;
    Team &team_;
    bool with_swaps_;
    bool with_reversals_;
    bool with_losses_;
    double tolerance_;
    std::vector<Node> nodes_;
    std::optional<ForbiddenPairs> forbidden_;
};

} // namespace arcwise
