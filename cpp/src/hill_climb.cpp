#include "arcwise/hill_climb.hpp"

#include "arcwise/ancestor_check.hpp"
#include "arcwise/check.hpp"
#include "arcwise/random.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace arcwise {
namespace {

constexpr double anything = -std::numeric_limits<double>::infinity();

// Where a move comes among all, whatever they gain: ties go by this, or are drawn from in this order.
auto rank(const Move &move) noexcept {
    const Step &first = move.steps.front();
    const int kind = !first.adds() ? 0 : !first.drops() ? 1 : 2;
    return std::tuple(first.node, kind, first.out, first.in, move.steps.size());
}

class Climb {
  public:
    Climb(LeadingRows &rows, const ArcRules &rules, DagNeighbourhood neighbourhood, ParentLists start,
          std::uint64_t seed, Budget &budget)
        : state_(rows, rules, neighbourhood, std::move(start), budget), budget_(budget), random_(seed),
          has_ancestors_(!rules.ancestors.are_empty()), ancestors_(rules.ancestors, state_.dag().n_nodes()) {
        keep_if_best();
    }

    HillClimbResult climb() {
        climb_while_better();
        return finished();
    }

    HillClimbResult climb_on_freely() {
        climb_while_better();
        if (may_continue()) {
            state_.allow_all_pairs();
            climb_while_better();
        }
        return finished();
    }

    HillClimbResult reinserting(Reinsertions &reinsertions) {
        do {
            while (reinsert_each(reinsertions)) {
            }
        } while (climb_while_better());
        return finished();
    }

    HillClimbResult with_tabu(const TabuRules &tabu) {
        std::deque<std::uint64_t> recent{state_.fingerprint()};
        const auto is_new = [&](const std::vector<Step> &steps) {
            return std::ranges::find(recent, state_.fingerprint_after(steps)) == recent.end();
        };
        Move move;
        for (std::size_t idle = 0; idle < tabu.patience && may_continue() && find_best(anything, move, is_new);
             ++idle) {
            if (make(move)) {
                idle = 0;
            }
            recent.push_back(state_.fingerprint());
            if (recent.size() > tabu.length) {
                recent.pop_front();
            }
        }
        return finished();
    }

    HillClimbResult looking_ahead(const LookAhead &ahead) {
        while (may_continue()) {
            std::vector<Move> sequence;
            std::vector<Move> best;
            double most = state_.tolerance();
            explore(ahead, ahead.steps, 0.0, sequence, most, best);
            if (best.empty() || !may_continue()) {
                break;
            }
            for (const Move &move : best) {
                make(move);
            }
        }
        return finished();
    }

  private:
    [[nodiscard]] bool keeps_ancestors(const std::vector<Step> &steps) {
        return !has_ancestors_ || ancestors_.holds_after(state_.dag(), steps);
    }
    [[nodiscard]] bool may_continue() const noexcept { return state_.is_complete() && !budget_.exhausted(); }

    // Makes best moves while they improve the score; whether there was one.
    bool climb_while_better() {
        bool improved = false;
        Move move;
        while (may_continue() && find_best(state_.tolerance(), move, [](const auto &) { return true; })) {
            make(move);
            improved = true;
        }
        return improved;
    }

    // Reinserts each node once, in random order; whether one of them is better off.
    bool reinsert_each(Reinsertions &reinsertions) {
        std::vector<Variable> order(state_.dag().n_nodes());
        std::iota(order.begin(), order.end(), Variable{0});
        random_.shuffle(order);
        bool improved = false;
        for (const Variable node : order) {
            if (!may_continue()) {
                return false;
            }
            const Move move = reinsertions.best(state_, node, random_, budget_);
            if (!move.steps.empty()) {
                ++result_.reinsertions;
                change(move);
                improved = true;
            }
        }
        return improved;
    }

    // One of the best moves above `floor`, drawn at random; false where there is none, or the budget ended before all
    // were seen. Gains that differ by no more than rounding are equal.
    template <class Allowed> bool find_best(double floor, Move &found, Allowed &&allowed) {
        std::vector<Move> best;
        double most = floor;
        double bar = floor;
        const bool saw_all = state_.for_each_move(bar, [&](double gain, std::vector<Step> steps) {
            if (allowed(steps) && keeps_ancestors(steps)) {
                most = std::max(most, gain);
                bar = std::max(floor, most - state_.tolerance());
                best.push_back({gain, std::move(steps)});
            }
        });
        if (!saw_all) {
            return false;
        }
        std::erase_if(best, [&](const Move &move) { return move.gain < most - state_.tolerance(); });
        if (best.empty()) {
            return false;
        }
        const std::size_t drawn = random_.below(best.size());
        std::ranges::nth_element(best, best.begin() + static_cast<std::ptrdiff_t>(drawn), {}, rank);
        found = std::move(best[drawn]);
        return true;
    }

    // The best moves, best first, equal ones by their rank. None where the budget ended before all were seen.
    [[nodiscard]] std::vector<Move> best_moves(std::size_t count) {
        std::vector<Move> best;
        double bar = anything;
        const auto comes_before = [](const Move &a, const Move &b) {
            return a.gain != b.gain ? a.gain > b.gain : rank(a) < rank(b);
        };
        const bool saw_all = state_.for_each_move(bar, [&](double gain, std::vector<Step> steps) {
            if (!keeps_ancestors(steps)) {
                return;
            }
            Move move{gain, std::move(steps)};
            best.insert(std::ranges::upper_bound(best, move, comes_before), std::move(move));
            if (best.size() > count) {
                best.pop_back();
            }
            if (best.size() == count) { // one that gains as much as the last may still rank before it
                bar = std::nextafter(best.back().gain, anything);
            }
        });
        return saw_all ? best : std::vector<Move>();
    }

    void explore(const LookAhead &ahead, std::size_t steps, double so_far, std::vector<Move> &sequence, double &most,
                 std::vector<Move> &best) {
        for (const Move &move : best_moves(ahead.directions)) {
            sequence.push_back(move);
            const double gain = so_far + move.gain;
            if (gain > most) {
                most = gain;
                best = sequence;
            }
            if (steps > 1 && may_continue()) {
                state_.make(move.steps);
                explore(ahead, steps - 1, gain, sequence, most, best);
                state_.make(DagSearch::inverse(move.steps));
            }
            sequence.pop_back();
        }
    }

    // Makes the move; whether the graph is the best so far.
    bool make(const Move &move) {
        count(move);
        return change(move);
    }

    bool change(const Move &move) {
        [[maybe_unused]] const double before = state_.score();
        state_.make(move.steps);
        ARCWISE_ASSERT(std::abs(state_.score() - before - move.gain) <= 1e-9 * (1.0 + std::abs(before)));
        since_best_.insert(since_best_.end(), move.steps.begin(), move.steps.end());
        return keep_if_best();
    }

    bool keep_if_best() {
        const double score = state_.score();
        if (score <= result_.score + state_.tolerance()) {
            return false;
        }
        result_.score = score;
        since_best_.clear();
        budget_.show(score, state_.tolerance(), false, [&] { return state_.dag().parent_lists(); });
        return true;
    }

    // The graph as it is now, with the steps since the best one undone.
    [[nodiscard]] ParentLists best_graph() const {
        ParentLists graph = state_.dag().parent_lists();
        for (const Step &step : DagSearch::inverse(since_best_)) {
            std::erase(graph[step.node], step.out);
            if (step.adds()) {
                graph[step.node].push_back(step.in);
                std::ranges::sort(graph[step.node]);
            }
        }
        return graph;
    }

    void count(const Move &move) {
        const Step &first = move.steps.front();
        const Step &last = move.steps.back();
        const bool is_one = move.steps.size() == 1;
        const bool is_reversal = move.steps.size() == 2 && first.drops() != first.adds() &&
                                 last.drops() != last.adds() && first.adds() != last.adds() &&
                                 (first.adds() ? first.in == last.node && last.out == first.node
                                               : first.out == last.node && last.in == first.node);
        const std::uint64_t length = is_reversal ? 1 : move.steps.size();
        result_.longest_chain = std::max(result_.longest_chain, length);
        if (is_reversal) {
            ++result_.reversals;
        } else if (!first.adds()) {
            ++result_.deletions;
        } else if (first.drops()) {
            ++(is_one ? result_.swaps : result_.longer_swaps);
        } else {
            ++(is_one ? result_.additions : result_.longer_additions);
        }
    }

    HillClimbResult finished() {
        result_.stopped_by = may_continue() ? StopReason::none : budget_.reason();
        result_.parents = best_graph();
        budget_.show(result_.score, state_.tolerance(), true, [&] { return result_.parents; });
        return std::move(result_);
    }

    DagSearch state_;
    Budget &budget_;
    Random random_;
    bool has_ancestors_;
    AncestorCheck ancestors_;
    HillClimbResult result_;
    std::vector<Step> since_best_;
};

} // namespace

HillClimbResult hill_climb(LeadingRows &rows, const ArcRules &rules, DagMoves moves, ParentLists start,
                           std::uint64_t seed, Budget &budget) {
    return Climb(rows, rules, moves, std::move(start), seed, budget).climb();
}

HillClimbResult hill_climb_forbidding(LeadingRows &rows, const ArcRules &rules, DagMoves moves, bool two_phases,
                                      ParentLists start, std::uint64_t seed, Budget &budget) {
    Climb climb(rows, rules, DagNeighbourhood(moves).forbidding(), std::move(start), seed, budget);
    return two_phases ? climb.climb_on_freely() : climb.climb();
}

HillClimbResult tabu_search(LeadingRows &rows, const ArcRules &rules, DagMoves moves, const TabuRules &tabu,
                            ParentLists start, std::uint64_t seed, Budget &budget) {
    return Climb(rows, rules, DagNeighbourhood(moves).losing(), std::move(start), seed, budget).with_tabu(tabu);
}

HillClimbResult look_ahead(LeadingRows &rows, const ArcRules &rules, const LookAhead &ahead, ParentLists start,
                           std::uint64_t seed, Budget &budget) {
    const DagNeighbourhood moves(DagMoves::add_delete_reverse);
    return Climb(rows, rules, moves.losing(), std::move(start), seed, budget).looking_ahead(ahead);
}

HillClimbResult reinsert(LeadingRows &rows, const ArcRules &rules, const ReinsertionLimits &limits, ParentLists start,
                         std::uint64_t seed, Budget &budget) {
    Reinsertions reinsertions(rows.score(), rules, limits);
    return Climb(rows, rules, DagMoves::add_delete_reverse, std::move(start), seed, budget).reinserting(reinsertions);
}

} // namespace arcwise
