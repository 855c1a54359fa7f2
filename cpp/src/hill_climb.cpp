#include "arcwise/hill_climb.hpp"

#include "arcwise/check.hpp"
#include "arcwise/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace arcwise {
namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

struct Move {
    enum class Kind { add, remove, reverse } kind;
    Variable from;
    Variable to;
};

class HillClimb {
  public:
    HillClimb(const LocalScore &score, const ArcRules &rules, ParentLists start, std::uint64_t seed, Budget &budget)
        : score_(score), rules_(rules), budget_(budget), random_(seed), dag_(std::move(start)), n_(dag_.n_nodes()),
          local_(n_), gain_(n_ * n_, impossible), best_addition_(n_, impossible) {}

    HillClimbResult run() {
        for (Variable node = 0; node < n_; ++node) {
            local_[node] = score_.local(node, dag_.parents(node), &budget_);
            total_ += local_[node];
        }
        tolerance_ = 2.0 * score_.rounding(); // a move may change two local scores
        record();
        bool rows_complete = true;
        for (Variable node = 0; node < n_ && rows_complete; ++node) {
            rows_complete = fill_row(node);
        }
        bool is_optimum = false;
        while (rows_complete && !is_optimum && !budget_.exhausted()) {
            is_optimum = !find_best_moves();
            if (!is_optimum) {
                rows_complete = make(best_[random_.below(best_.size())]);
            }
        }
        result_.stopped_by = is_optimum ? StopReason::none : budget_.reason();
        result_.parents = dag_.parent_lists();
        result_.score = std::accumulate(local_.begin(), local_.end(), 0.0);
        return std::move(result_);
    }

  private:
    // gain_[child][other]: what it gives to take `other` in as a parent, or out where it is one.
    [[nodiscard]] double &gain(Variable child, Variable other) noexcept { return gain_[child * n_ + other]; }
    [[nodiscard]] bool allowed(Variable from, Variable to) const noexcept { return rules_.allowed[to * n_ + from]; }
    [[nodiscard]] bool required(Variable from, Variable to) const noexcept { return rules_.required[to * n_ + from]; }
    [[nodiscard]] bool has_room(Variable node) const noexcept {
        return dag_.parents(node).size() < static_cast<std::size_t>(rules_.max_parents[node]);
    }

    // Whether the arc may be turned around, cycles aside.
    [[nodiscard]] bool may_reverse(Variable from, Variable to) const noexcept {
        return !required(from, to) && allowed(to, from) && has_room(from);
    }

    // Computes a node's gains anew; false when the budget ended it early.
    bool fill_row(Variable child) {
        const auto parents = dag_.parents(child);
        std::fill_n(gain_.begin() + static_cast<std::ptrdiff_t>(child * n_), n_, impossible);
        best_addition_[child] = impossible;
        scores_.resize(n_);
        score_.removals(child, parents, std::span(scores_).first(parents.size()), &budget_);
        for (std::size_t i = 0; i < parents.size(); ++i) {
            gain(child, parents[i]) = scores_[i] - local_[child];
        }
        if (!has_room(child)) {
            return true;
        }
        candidates_.clear();
        for (Variable other = 0; other < n_; ++other) {
            if (allowed(other, child) && !dag_.has_arc(other, child)) {
                candidates_.push_back(other);
            }
        }
        const bool complete = score_.additions(child, parents, candidates_, scores_, &budget_);
        for (std::size_t i = 0; i < candidates_.size() && complete; ++i) {
            gain(child, candidates_[i]) = scores_[i] - local_[child];
            best_addition_[child] = std::max(best_addition_[child], scores_[i] - local_[child]);
        }
        return complete;
    }

    // Collects all moves that are best, within rounding; false when none improves.
    bool find_best_moves() {
        best_.clear();
        double best = tolerance_;
        for_each_move([&](const Move &, double gain) { best = std::max(best, gain); }, best);
        if (best > tolerance_) {
            const double floor = best - tolerance_;
            for_each_move(
                [&](const Move &move, double gain) {
                    if (gain >= floor) {
                        best_.push_back(move);
                    }
                },
                floor);
        }
        return !best_.empty();
    }

    // Calls use(move, gain) for every legal move that gains more than `floor`; `floor` may rise meanwhile. Whether a
    // move closes a cycle is looked at last, it costs most.
    template <class F> void for_each_move(F &&use, const double &floor) {
        for (Variable to = 0; to < n_; ++to) {
            for (const Variable from : dag_.parents(to)) {
                const double removal = gain(to, from);
                if (removal >= floor && !required(from, to)) {
                    use(Move{Move::Kind::remove, from, to}, removal);
                }
                const double reversal = removal + gain(from, to);
                if (reversal >= floor && may_reverse(from, to) && dag_.can_reverse(from, to)) {
                    use(Move{Move::Kind::reverse, from, to}, reversal);
                }
            }
            if (best_addition_[to] < floor) {
                continue;
            }
            for (Variable from = 0; from < n_; ++from) {
                const double addition = gain(to, from);
                if (addition >= floor && !dag_.has_arc(from, to) && dag_.can_add(from, to)) {
                    use(Move{Move::Kind::add, from, to}, addition);
                }
            }
        }
    }

    bool make(const Move &move) {
        const auto [kind, from, to] = move;
        switch (kind) {
        case Move::Kind::add:
            dag_.add(from, to);
            ++result_.additions;
            break;
        case Move::Kind::remove:
            dag_.remove(from, to);
            ++result_.deletions;
            break;
        case Move::Kind::reverse:
            dag_.reverse(from, to);
            ++result_.reversals;
            break;
        }
        change_local(to, gain(to, from));
        if (kind == Move::Kind::reverse) {
            change_local(from, gain(from, to));
        }
        record();
        return fill_row(to) && (kind != Move::Kind::reverse || fill_row(from));
    }

    void change_local(Variable node, double gain) {
        local_[node] += gain;
        total_ += gain;
        ARCWISE_ASSERT(close(local_[node], score_.recounted(node, dag_.parents(node)),
                             static_cast<double>(score_.counter().n_observations())));
    }

    void record() { result_.trace.push_back({budget_.elapsed(), budget_.evaluations(), total_}); }

    const LocalScore &score_;
    const ArcRules &rules_;
    Budget &budget_;
    Random random_;
    DagState dag_;
    std::size_t n_;
    std::vector<double> local_;
    double total_ = 0.0;
    double tolerance_ = 0.0;
    std::vector<double> gain_;
    std::vector<double> best_addition_; // per child, whether it closes a cycle or not
    std::vector<Move> best_;
    std::vector<Variable> candidates_;
    std::vector<double> scores_;
    HillClimbResult result_;
};

} // namespace

HillClimbResult hill_climb(const LocalScore &score, const ArcRules &rules, ParentLists start, std::uint64_t seed,
                           Budget &budget) {
    return HillClimb(score, rules, std::move(start), seed, budget).run();
}

} // namespace arcwise
