// A class of equivalent graphs under search: its score, and the classes next to it with what they gain.
#pragma once

#include "arcwise/addition_rows.hpp"
#include "arcwise/arc_rules.hpp"
#include "arcwise/budget.hpp"
#include "arcwise/class_paths.hpp"
#include "arcwise/team.hpp"
#include "arcwise/tournament.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace arcwise {

enum class MoveKind : std::uint8_t { insert, remove, reverse };
inline constexpr std::size_t n_move_kinds = 3;

// What a search looks at.
struct AllowedMoves {
    bool with_reversals = false;
    bool with_losing_inserts = false; // moves that lose are otherwise kept where they delete or reverse an arc only
};

// Two classes are neighbours when one arc more or less, or the other way round, leads from a graph of the one to a
// graph of the other. Insert and delete are those of Chickering (2002, JMLR 3), reverse those of Hauser & Bühlmann
// (2012, JMLR 13); a class that several of them lead to is one neighbour. Under rules, a class is only there if one of
// its graphs obeys them. The score must be the same for all graphs of a class.
class ClassMoves {
  public:
    // A move from this class: x -> y enters, leaves, or takes the place of y -> x in a graph of the class in which y
    // has the parents that all graphs give it, and those of a clique of its neighbours.
    struct Move {
        double gain;
        MoveKind kind;
        Variable x;
        Variable y;
        std::uint32_t clique; // which of the cliques of y
    };

    // Throws std::invalid_argument when no graph of the class of `start` obeys the rules.
    ClassMoves(AdditionRows &additions, const ArcRules &rules, AllowedMoves allowed_moves, const ParentLists &start,
               Budget &budget, Team &team);

    // Whether all moves are known; not when the budget ended their counting.
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
    [[nodiscard]] const ClassGraph &graph() const noexcept { return graph_; }
    [[nodiscard]] double score() const noexcept { return score_; }
    // Gains that differ by no more are equal.
    [[nodiscard]] double tolerance() const noexcept { return tolerance_; }
    // A graph of the class that obeys the rules.
    [[nodiscard]] ParentLists member() const { return *graph_.extension(rules_in_force()); }

    // Calls use(move) for one move to every neighbour that gains more than `floor`, which may rise meanwhile. False
    // when the budget ended it.
    template <class Use> bool for_each(std::span<const MoveKind> kinds, const double &floor, Use &&use) {
        for (Variable y = 0; y < graph_.n_nodes(); ++y) {
            if (!for_each_at(y, kinds, floor, use)) {
                return false;
            }
        }
        return true;
    }
    // The same, but first at the nodes where most may be gained: for callers that let the floor rise.
    template <class Use> bool for_each_best_first(std::span<const MoveKind> kinds, const double &floor, Use &&use) {
        Ranking ranking;
        for (const MoveKind kind : kinds) {
            ranking.add(ranked_[index(kind)]);
        }
        std::vector<Variable> seen; // few nodes are looked at
        while (const auto next = ranking.take(floor)) {
            const auto y = static_cast<Variable>(*next);
            if (std::ranges::find(seen, y) != seen.end()) { // for another kind
                continue;
            }
            seen.push_back(y);
            if (!for_each_at(y, kinds, floor, use)) {
                return false;
            }
        }
        return true;
    }

    // A deletion as it is in any class: x goes from these parents of y.
    struct Deletion {
        Variable x;
        Variable y;
        NodeSet parents;
    };
    [[nodiscard]] Deletion deletion(const Move &move) const;
    // The move from this class, if one of its graphs has these parents of y and the rules allow it.
    [[nodiscard]] std::optional<Move> find(const Deletion &deletion);

    // The same of the class that a move leads to.
    [[nodiscard]] ParentLists member_after(const Move &move) const;
    void make(const Move &move);

    // Makes a deletion. Until bans are lifted, no move makes of the class one with the arc x -> y again; with the edge
    // of x and y, where it was undirected.
    void make_and_ban(const Move &deletion);
    void lift_bans() { banned_.clear(); }

    // A trial costs what it changes: from here on either all is undone, bans too, or the class is kept.
    void begin_trial();
    void undo_trial();
    void keep_trial();

  private:
    static constexpr double nothing = -std::numeric_limits<double>::infinity();
    static constexpr double none_ruled_out = std::numeric_limits<double>::infinity();

    struct Candidate {
        double gain;
        Variable x;
    };
    struct Clique {
        NodeSet members;
        std::array<std::vector<Candidate>, n_move_kinds> candidates; // best first
    };
    // Which insertions at a node paths rule out.
    struct Watch {
        double above = none_ruled_out; // all that gain more
        NodeSet barrier;               // the nodes of these paths
        std::uint64_t number = 0;      // another one after each change
    };
    // Somebody who watches a node, as long as the number is that of the watch.
    struct Watcher {
        Variable y;
        std::uint64_t number;
    };
    // What the class was before a trial.
    struct Before {
        double score;
        bool is_complete;
        std::vector<std::pair<Variable, Variable>> banned;
        std::vector<std::pair<Variable, std::vector<Clique>>> cliques; // those that have been replaced
        std::vector<std::pair<Variable, Watch>> watches;
        std::vector<Variable> changed; // nodes whose watchers may be out of date after it
    };

    struct Place {
        MoveKind kind;
        Variable y;
        std::uint32_t clique;
    };
    static constexpr std::uint64_t looks_between_polls = 64; // a look may follow all paths from a node

    static std::size_t index(MoveKind kind) noexcept { return static_cast<std::size_t>(kind); }
    [[nodiscard]] const ArcRules *rules_in_force() const noexcept { return is_free_ ? nullptr : &rules_; }

    template <class Use> bool for_each_at(Variable y, std::span<const MoveKind> kinds, const double &floor, Use &use) {
        for (const MoveKind kind : kinds) {
            double possible = nothing;
            for (std::uint32_t i = 0; best_[index(kind)][y] > floor && i < cliques_[y].size(); ++i) {
                if (!for_each_of_clique({kind, y, i}, floor, possible, use)) {
                    return false;
                }
            }
            if (kind == MoveKind::insert && best_[index(kind)][y] > std::max(floor, possible)) {
                rule_out_inserts(y, std::max(floor, possible));
            }
        }
        return true;
    }

    // `possible` rises to the largest gain of a move that paths do not rule out.
    template <class Use> bool for_each_of_clique(const Place &place, const double &floor, double &possible, Use &use) {
        const auto &[kind, y, clique] = place;
        for (const auto &[gain, x] :
             std::span(cliques_[y][clique].candidates[index(kind)]).subspan(first_open(place))) {
            if (gain <= floor) {
                break;
            }
            if (++n_looks_ % looks_between_polls == 0 && budget_.exhausted()) {
                return false;
            }
            const Move move{gain, kind, x, y, clique};
            if (!is_possible(move)) {
                watch_path(move);
                continue;
            }
            possible = std::max(possible, gain);
            if (!has_earlier_twin(move) && !brings_back_banned(move) && obeys_rules(move)) {
                use(move);
            }
        }
        return true;
    }

    // Finds the moves of some nodes anew; not of all when the budget ended it.
    void prepare(std::span<const Variable> nodes);
    void refresh(std::span<const Variable> nodes);
    bool refresh(Variable y);
    void keep_for_undo(std::span<const Variable> nodes);
    void keep_watch_for_undo(Variable y);
    bool find_inserts(Variable y, Clique &clique, const std::vector<Variable> &family, double &own);
    void find_removals(Variable y, Clique &clique, const std::vector<Variable> &family, double own);
    void find_reversals(Variable y, Clique &clique, const std::vector<Variable> &family, double own);
    [[nodiscard]] double local_with(Variable child, std::vector<Variable> family, Variable more) const;
    [[nodiscard]] double local_without(Variable child, std::vector<Variable> family, Variable less) const;

    [[nodiscard]] bool is_possible(const Move &move);
    // The path that makes an insertion impossible was looked for last.
    void watch_path(const Move &impossible);
    // The first candidate that is not known to be ruled out.
    [[nodiscard]] std::size_t first_open(const Place &place) const noexcept;
    // All insertions at a node that gain more have been found to close a cycle.
    void rule_out_inserts(Variable y, double above);
    void find_best(Variable y, MoveKind kind);
    // Nothing is known to be ruled out at these nodes any more.
    void stop_watching(std::span<const Variable> nodes);
    void forget_paths() noexcept;
    void open_where_paths_changed();
    [[nodiscard]] bool is_old(const Watcher &watcher) const noexcept {
        return watcher.number != watches_[watcher.y].number;
    }
    void drop_old_watchers(std::span<const Variable> nodes);
    [[nodiscard]] bool has_earlier_twin(const Move &move);
    [[nodiscard]] bool has_twin_insert(const Move &move);
    [[nodiscard]] bool brings_back_banned(const Move &move);
    [[nodiscard]] bool is_banned(Variable x, Variable y) const noexcept {
        return std::ranges::find(banned_, std::pair(x, y)) != banned_.end();
    }
    [[nodiscard]] bool obeys_rules(const Move &move);
    void apply(const Move &move, ClassGraph &graph) const;

    AdditionRows &additions_;
    const LocalScore &local_;
    const ArcRules &rules_;
    AllowedMoves allowed_moves_;
    Budget &budget_;
    Team &team_;
    bool is_free_; // no rule tells the directions of an arc apart
    double tolerance_;
    ClassGraph graph_;
    double score_ = 0.0;
    std::vector<std::vector<Clique>> cliques_;           // of each node's neighbours
    std::array<std::vector<double>, n_move_kinds> best_; // of each node, unless known to be ruled out
    std::vector<Tournament> ranked_;                     // the same, for each kind
    std::vector<Watch> watches_;                         // of each node
    std::uint64_t n_watches_ = 0;
    std::vector<std::vector<Watcher>> watchers_; // of each node, some of them out of date
    ClassPaths paths_;
    ClassPaths twin_paths_; // of the insertion or reversal that may be the same
    std::uint64_t n_looks_ = 0;
    std::vector<std::pair<Variable, Variable>> banned_;
    std::optional<Before> before_trial_;
    std::uint64_t trial_ = 0; // its number
    // Per node, the last trial that has kept what there was before.
    std::vector<std::uint64_t> cliques_kept_in_;
    std::vector<std::uint64_t> watch_kept_in_;
    bool is_complete_ = true;
};

} // namespace arcwise
