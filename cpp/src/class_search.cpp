#include "arcwise/class_search.hpp"

#include "arcwise/check.hpp"
#include "arcwise/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace arcwise {
namespace {

using Move = ClassMoves::Move;
using Kinds = std::vector<MoveKind>;

constexpr double anything = -std::numeric_limits<double>::infinity();

// So many passes over all deletions are made before it is looked at whether they lead anywhere.
constexpr std::size_t trusted_passes = 16;

double total(const LocalScore &score, const ParentLists &parents, Budget &budget) {
    double sum = 0.0;
    for (Variable node = 0; node < parents.size(); ++node) {
        sum += score.local(node, parents[node], &budget);
    }
    return sum;
}

class Climb {
  public:
    Climb(AdditionRows &additions, const ArcRules &rules, bool reversing, const ParentLists &start, std::uint64_t seed,
          Budget &budget)
        : score_(additions.score()), budget_(budget), team_(budget.threads()), random_(seed), reversing_(reversing),
          state_(additions, rules, AllowedMoves{reversing, false}, start, budget, team_) {
        show(false);
    }

    void climb_by_share(double k) {
        const Kinds all = reversing_ ? Kinds{MoveKind::insert, MoveKind::remove, MoveKind::reverse}
                                     : Kinds{MoveKind::insert, MoveKind::remove};
        climb([&] { return k < 1.0 ? best_of_share(all, k) : best(all); });
    }

    void climb_by_phases() {
        const auto phase = [&](MoveKind kind) { return climb([&] { return best({kind}); }); };
        for (std::size_t n_moves = 1; n_moves > 0;) {
            n_moves = phase(MoveKind::insert);
            n_moves += phase(MoveKind::remove);
            n_moves = reversing_ ? n_moves + phase(MoveKind::reverse) : 0;
        }
    }

    void climb_deleting_first() {
        climb([&] {
            for (const MoveKind kind : {MoveKind::remove, MoveKind::reverse, MoveKind::insert}) {
                if (const auto move = best({kind})) {
                    return move;
                }
            }
            return std::optional<Move>();
        });
    }

    // Every deletion is tried, the best first. At first what was given up for something better stays away, as in the
    // authors' program; then all may come back, and each trial is judged only after that, which ends in a local
    // optimum.
    void extend() {
        try_deletions(Bans::stay);
        state_.lift_bans();
        climb_deleting_first();
        try_deletions(Bans::are_lifted);
    }

    ClassSearchResult finished() {
        result_.stopped_by = may_continue() ? StopReason::none : budget_.reason();
        result_.parents = state_.member();
        result_.score = total(score_, result_.parents, budget_);
        return std::move(result_);
    }

  private:
    enum class Bans { stay, are_lifted };

    // Where a deletion leads to a better class, the others are tried on that one, and in the end its own, until none of
    // a class brings more.
    void try_deletions(Bans bans) {
        double earlier = anything;
        std::size_t n_passes = 0;
        for (bool found = true; found && may_continue(); ++n_passes) {
            if (n_passes >= trusted_passes && !rises(earlier)) {
                break;
            }
            found = false;
            for (const ClassMoves::Deletion &deletion : deletions_best_first()) {
                if (!may_continue()) {
                    break;
                }
                const std::optional<Move> move = state_.find(deletion);
                found = (move && improves(*move, bans)) || found;
            }
        }
    }

    [[nodiscard]] std::vector<ClassMoves::Deletion> deletions_best_first() {
        std::vector<Move> moves;
        state_.for_each(Kinds{MoveKind::remove}, anything, [&](const Move &move) { moves.push_back(move); });
        std::ranges::stable_sort(moves, std::greater<>(), &Move::gain);
        std::vector<ClassMoves::Deletion> deletions;
        deletions.reserve(moves.size());
        for (const Move &move : moves) {
            deletions.push_back(state_.deletion(move));
        }
        return deletions;
    }

    // Whether a deletion leads to something better, which is then where the search stands. While the climb may not
    // bring the arc back, something else may take its place; where bans are lifted, it may then come back beside that.
    [[nodiscard]] bool improves(const Move &deletion, Bans bans) {
        const double before = state_.score();
        state_.begin_trial();
        count(deletion);
        state_.make_and_ban(deletion);
        climb_deleting_first();
        if (bans == Bans::are_lifted) {
            state_.lift_bans();
            climb_deleting_first();
        }
        if (!goes_in_circles_ && state_.score() > before + state_.tolerance()) {
            state_.keep_trial();
            return true;
        }
        state_.undo_trial();
        return false;
    }

    [[nodiscard]] bool may_continue() const noexcept {
        return state_.is_complete() && !goes_in_circles_ && !budget_.exhausted();
    }

    // Whether a graph of the class scores more than when this was last asked. Gains say so too, if graphs of a class
    // score the same. But where variables are functions of others, as sums of columns are, scores of continuous data
    // tell these graphs apart: gains then are about one graph after the other, and can be found for ever. From then on
    // the search is over.
    [[nodiscard]] bool rises(double &earlier) {
        const double now = total(score_, state_.member(), budget_);
        goes_in_circles_ = now <= earlier + state_.tolerance();
        earlier = now;
        return !goes_in_circles_;
    }

    // Makes the moves that `choose` finds until it finds none; how many.
    template <class Choose> std::size_t climb(Choose &&choose) {
        const std::size_t trusted = 100 + 10 * score_.n_variables(); // far more than climbs take
        std::size_t n_moves = 0;
        double earlier = anything;
        while (may_continue()) {
            if (n_moves > 0 && n_moves % trusted == 0 && !rises(earlier)) {
                break;
            }
            const std::optional<Move> move = choose();
            if (!move) {
                break;
            }
            make(*move);
            ++n_moves;
        }
        show(true);
        return n_moves;
    }

    // The best move that improves the class.
    [[nodiscard]] std::optional<Move> best(const Kinds &kinds) {
        std::vector<Move> found;
        double bar = state_.tolerance();
        state_.for_each_best_first(kinds, bar, [&](const Move &move) {
            bar = std::max(bar, move.gain - state_.tolerance());
            found.push_back(move);
        });
        return one_of_best(found, state_.tolerance());
    }

    [[nodiscard]] std::optional<Move> best_of_share(const Kinds &kinds, double k) {
        std::vector<Move> better;
        state_.for_each(kinds, state_.tolerance(), [&](const Move &move) { better.push_back(move); });
        const double share = std::ceil(k * static_cast<double>(better.size()) - 1e-9); // 0.1 * 30 is 3
        const std::size_t size = std::min(better.size(), std::max<std::size_t>(1, static_cast<std::size_t>(share)));
        for (std::size_t i = 0; i < size; ++i) {
            std::swap(better[i], better[i + random_.below(better.size() - i)]);
        }
        better.resize(size);
        return one_of_best(better, state_.tolerance());
    }

    [[nodiscard]] std::optional<Move> one_of_best(std::vector<Move> &moves, double tolerance) {
        if (moves.empty()) {
            return std::nullopt;
        }
        const double most = std::ranges::max(moves, {}, &Move::gain).gain;
        std::erase_if(moves, [&](const Move &move) { return move.gain < most - tolerance; });
        return moves[random_.below(moves.size())];
    }

    void count(const Move &move) {
        ++(move.kind == MoveKind::insert   ? result_.insertions
           : move.kind == MoveKind::remove ? result_.deletions
                                           : result_.reversals);
    }

    void make(const Move &move) {
        count(move);
        state_.make(move);
        ARCWISE_ASSERT(close(state_.score(), total(score_, state_.member(), budget_), 1e6));
        show(false);
    }

    void show(bool at_rest) {
        budget_.show(state_.score(), state_.tolerance(), at_rest, [&] { return state_.member(); });
    }

    const LocalScore &score_;
    Budget &budget_;
    Team team_;
    Random random_;
    bool reversing_;
    ClassMoves state_;
    ClassSearchResult result_;
    bool goes_in_circles_ = false;
};

} // namespace

ClassSearchResult search_classes(AdditionRows &additions, const ArcRules &rules, double k, bool reversing,
                                 const ParentLists &start, std::uint64_t seed, Budget &budget) {
    Climb climb(additions, rules, reversing, start, seed, budget);
    climb.climb_by_share(k);
    return climb.finished();
}

ClassSearchResult search_classes_by_phases(AdditionRows &additions, const ArcRules &rules, bool reversing,
                                           const ParentLists &start, std::uint64_t seed, Budget &budget) {
    Climb climb(additions, rules, reversing, start, seed, budget);
    climb.climb_by_phases();
    return climb.finished();
}

ClassSearchResult search_classes_deleting_first(AdditionRows &additions, const ArcRules &rules, bool reversing,
                                                bool extended, const ParentLists &start, std::uint64_t seed,
                                                Budget &budget) {
    Climb climb(additions, rules, reversing, start, seed, budget);
    climb.climb_deleting_first();
    if (extended) {
        climb.extend();
    }
    return climb.finished();
}

std::vector<ClassNeighbour> neighbours_of_class(AdditionRows &additions, const ArcRules &rules, bool reversing,
                                                const ParentLists &graph, Budget &budget) {
    Team team(budget.threads());
    ClassMoves state(additions, rules, {reversing, true}, graph, budget, team);
    std::vector<ClassNeighbour> found;
    if (!state.is_complete()) {
        return found;
    }
    state.for_each(Kinds{MoveKind::insert, MoveKind::remove, MoveKind::reverse}, anything,
                   [&](const Move &move) { found.push_back({state.member_after(move), move.gain}); });
    return found;
}

} // namespace arcwise
