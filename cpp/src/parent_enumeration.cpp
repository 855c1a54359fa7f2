#include "arcwise/parent_enumeration.hpp"

#include "arcwise/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

namespace arcwise {

namespace {

// The rows of a child's clusters, and how many members of each the set has that is looked at.
class KeptPrices {
  public:
    KeptPrices(std::size_t n_variables, Variable child, std::span<const Cluster> clusters,
               std::span<const double> prices)
        : rows_with_(n_variables) {
        for (std::size_t i = 0; i < clusters.size(); ++i) {
            if (prices[i] > 0.0 && std::ranges::find(clusters[i].nodes, child) != clusters[i].nodes.end()) {
                for (const Variable v : clusters[i].nodes) {
                    if (v != child) {
                        rows_with_[v].push_back(static_cast<std::uint32_t>(rows_.size()));
                    }
                }
                rows_.push_back({prices[i], clusters[i].first});
                kept_ += prices[i];
            }
        }
    }

    // The prices that the set keeps, and those that it keeps with one more.
    [[nodiscard]] double kept() const noexcept { return kept_; }
    [[nodiscard]] double kept_with(Variable one_more) const noexcept {
        double kept = kept_;
        for (const std::uint32_t row : rows_with_[one_more]) {
            kept -= rows_[row].left == 1 ? rows_[row].price : 0.0;
        }
        return kept;
    }

    void add(Variable v) noexcept {
        kept_ = kept_with(v);
        for (const std::uint32_t row : rows_with_[v]) {
            --rows_[row].left;
        }
    }
    void drop(Variable v) noexcept {
        for (const std::uint32_t row : rows_with_[v]) {
            kept_ += ++rows_[row].left == 1 ? rows_[row].price : 0.0;
        }
    }

  private:
    struct Row {
        double price;
        std::int64_t left; // members that the set may get before it breaks the row
    };

    std::vector<Row> rows_;
    std::vector<std::vector<std::uint32_t>> rows_with_; // each variable
    double kept_ = 0.0;                                 // prices are multiples of a grid: sums are exact
};

class Enumeration {
    // With fewer candidates left, to look at the rows for a bound takes longer than to score what it may rule out.
    static constexpr std::size_t least_tail = 4;

  public:
    Enumeration(const LocalScore &score, Variable child, std::span<const Variable> required, KeptPrices prices,
                const EnumerationOptions &options, Budget &budget)
        : score_(score), engine_(&score.engine()), child_(child), root_(required.begin(), required.end()),
          prices_(std::move(prices)), options_(options), budget_(budget) {
        std::ranges::sort(root_);
        for (const Variable v : root_) {
            prices_.add(v);
        }
    }

    EnumerationResult run(std::span<const Variable> candidates) {
        parents_ = root_;
        root_score_ = engine_->score({child_, root_});
        budget_.charge(1);
        result_.found.scored = 1;
        // What rules out a set rules out all of its supersets, also those that are too large to be looked at here.
        const std::size_t most =
            std::min(root_.size() + candidates.size(), std::max(options_.max_parents, options_.allowed_parents));
        const Supersets supersets = engine_->supersets({child_, root_}, candidates, most, budget_);
        slack_ = 1e-9 * (1.0 + std::abs(root_score_));
        keep(root_score_, root_);
        Level &first = level(0);
        first.candidates.assign(candidates.begin(), candidates.end());
        visit(0, root_score_, supersets);
        result_.found.is_complete = !has_stopped_;
        if (has_stopped_) {
            result_.found.stopped_by = budget_.reason();
        }
        collect();
        return std::move(result_);
    }

  private:
    // One depth of the tree: what may be added to the set there, and what is known of it then.
    struct Level {
        std::vector<Variable> candidates;
        std::vector<double> scores;
        std::vector<double> bounds; // on the values of the set with a candidate, and of its supersets
        std::vector<double> kept;
        std::vector<Observed> observed;
        std::vector<Supersets> tails;
        std::vector<std::size_t> order;
        // Of all sets of this size: candidates whose tails were looked at, and sets that need no score thanks to that.
        std::size_t looked_at = 0;
        std::size_t ruled_out = 0;
        std::size_t left_alone = 0;

        // Whether tails have ruled out enough so far; if not, one in a few is looked at, for others may be different.
        [[nodiscard]] bool is_worth_tails() {
            constexpr std::size_t enough_to_know = 500;
            constexpr std::size_t one_in = 16;
            return looked_at < enough_to_know || 2 * ruled_out > looked_at || left_alone++ % one_in == 0;
        }

        // Leaves those at these places, in this order.
        void take(std::span<const std::size_t> places) {
            const auto pick = [&](auto &of) {
                auto picked = of;
                std::ranges::transform(places, picked.begin(), [&](std::size_t at) { return of[at]; });
                picked.resize(places.size());
                of = std::move(picked);
            };
            pick(candidates), pick(scores), pick(bounds), pick(kept), pick(observed);
        }
    };

    Level &level(std::size_t depth) {
        while (levels_.size() <= depth) {
            levels_.push_back(std::make_unique<Level>());
        }
        return *levels_[depth];
    }

    // Looks at all sets that the set and its candidates make. `best` is the best score among the set and its subsets on
    // the way.
    void visit(std::size_t depth, double best, const Supersets &supersets) {
        Level &here = level(depth);
        leave_hopeless(here, best, supersets);
        if (here.candidates.empty()) {
            return;
        }
        if (parents_.size() >= options_.max_parents) {
            result_.deeper = std::max(result_.deeper, std::ranges::max(here.bounds));
            return;
        }
        const std::size_t tried = n_tried_;
        const std::unique_ptr<const ScoreEngine> quicker = restricted_to(here.candidates);
        const ScoreEngine *const engine = std::exchange(engine_, quicker != nullptr ? quicker.get() : engine_);
        grow(depth, best, supersets);
        engine_ = engine;
        n_tried_ = tried;
    }

    // The families below this one have fewer and fewer variables, and there are many of them: where rows that are the
    // same in these variables are merged, few are left to count.
    std::unique_ptr<const ScoreEngine> restricted_to(std::span<const Variable> candidates) {
        // With fewer candidates there is too little below; with hardly fewer variables than before, nothing is gained.
        constexpr std::size_t least_candidates = 6;
        constexpr double fewer = 0.85;
        const std::size_t n = 1 + parents_.size() + candidates.size();
        if (candidates.size() < least_candidates || static_cast<double>(n) > fewer * static_cast<double>(n_tried_)) {
            return nullptr;
        }
        n_tried_ = n;
        std::vector<Variable> variables{child_};
        variables.insert(variables.end(), parents_.begin(), parents_.end());
        variables.insert(variables.end(), candidates.begin(), candidates.end());
        return engine_->restricted(variables);
    }

    // Scores the set with each of its candidates, and visits those that may lead to more.
    void grow(std::size_t depth, double best, const Supersets &supersets) {
        Level &here = level(depth);
        if (!scored(here, supersets)) {
            stop(here.bounds);
            return;
        }
        const std::size_t n = here.candidates.size();
        here.order.clear();
        for (std::size_t i = 0; i < n; ++i) {
            if (here.scores[i] > best + score_.rounding() && here.scores[i] + here.kept[i] > options_.threshold) {
                keep_with(here.candidates[i], here.scores[i]);
            }
            // What leads to nothing here leads to nothing with more parents either.
            if (!is_hopeless(here.bounds[i], here.kept[i], std::max(best, here.scores[i]))) {
                here.order.push_back(i);
            }
        }
        // Each set grows by the candidates that come after its own: those that cost most come first, for with many
        // others after them they must end soon, and those that cost least come last, where few others are left.
        std::ranges::stable_sort(here.order,
                                 [&](std::size_t a, std::size_t b) { return here.bounds[a] < here.bounds[b]; });
        here.take(here.order);
        bound_by_tails(here, best, supersets);
        visit_each(depth, best);
    }

    void visit_each(std::size_t depth, double best) {
        Level &here = level(depth);
        const std::size_t n = here.candidates.size();
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const double best_there = std::max(best, here.scores[i]);
            if (is_hopeless(here.bounds[i], here.kept[i], best_there)) {
                continue;
            }
            if (has_stopped_) {
                result_.rest = std::max(result_.rest, here.bounds[i]);
                continue;
            }
            level(depth + 1).candidates.assign(here.candidates.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                               here.candidates.end());
            const Variable added = here.candidates[i];
            prices_.add(added);
            parents_.push_back(added);
            visit(depth + 1, best_there, here.tails[i]);
            parents_.pop_back();
            prices_.drop(added);
        }
    }

    // The scores of all candidates, and bounds; false where the budget has ended.
    bool scored(Level &here, const Supersets &supersets) {
        const std::size_t n = here.candidates.size();
        here.scores.resize(n);
        here.observed.assign(n, nothing_counted);
        bounds_.resize(n);
        const Bounds bounds{supersets, bounds_, here.observed};
        if (has_stopped_ || budget_.exhausted() ||
            !engine_->additions({child_, parents_}, here.candidates, here.scores, &bounds, &budget_)) {
            return false;
        }
        budget_.charge(n);
        result_.found.scored += n;
        for (std::size_t i = 0; i < n; ++i) {
            here.bounds[i] = std::min(here.bounds[i], bounds_[i] + here.kept[i]);
        }
        return true;
    }

    // Lowers the bounds by what all candidates together can tell about the child that come after each one.
    void bound_by_tails(Level &here, double best, const Supersets &supersets) {
        const std::size_t n = here.candidates.size();
        here.tails.assign(n, supersets);
        if (n < least_tail || !here.is_worth_tails() ||
            !engine_->tails({child_, parents_}, here.candidates, supersets, here.tails)) {
            return;
        }
        here.looked_at += n;
        for (std::size_t i = 0; i < n; ++i) {
            parents_.push_back(here.candidates[i]);
            const double bound = engine_->superset_bound({child_, parents_}, here.observed[i], here.tails[i]);
            parents_.pop_back();
            here.bounds[i] = std::min(here.bounds[i], bound + here.kept[i]);
            if (is_hopeless(here.bounds[i], here.kept[i], std::max(best, here.scores[i]))) {
                here.ruled_out += n - 1 - i;
            }
        }
    }

    // No set of at most this value, or beaten by a subset, is wanted.
    [[nodiscard]] bool is_hopeless(double bound, double kept, double best) const noexcept {
        return bound + slack_ <= std::max(options_.threshold, best + kept);
    }

    // Leaves out candidates whose penalty alone is too much, and says what the others are worth at most.
    void leave_hopeless(Level &here, double best, const Supersets &supersets) {
        std::size_t stay = 0;
        here.bounds.clear();
        here.kept.clear();
        bounds_of_classes_.clear();
        for (const Variable v : here.candidates) {
            const double kept = prices_.kept_with(v);
            const double bound = bound_with(v, supersets) + kept;
            if (!is_hopeless(bound, kept, best)) {
                here.candidates[stay++] = v;
                here.bounds.push_back(bound);
                here.kept.push_back(kept);
            }
        }
        here.candidates.resize(stay);
    }

    // What the set with one more, and its supersets, score at most; the same for a whole class of candidates.
    double bound_with(Variable v, const Supersets &supersets) {
        const std::uint32_t its_class = engine_->penalty_class(v);
        for (const auto &[known, bound] : bounds_of_classes_) {
            if (known == its_class) {
                return bound;
            }
        }
        parents_.push_back(v);
        const double bound = engine_->superset_bound({child_, parents_}, nothing_counted, supersets);
        parents_.pop_back();
        bounds_of_classes_.emplace_back(its_class, bound);
        return bound;
    }

    void stop(std::span<const double> bounds) {
        has_stopped_ = true;
        for (const double bound : bounds) {
            result_.rest = std::max(result_.rest, bound);
        }
    }

    void keep_with(Variable v, double score) {
        sorted_.assign(parents_.begin(), parents_.end());
        sorted_.push_back(v);
        std::ranges::sort(sorted_);
        keep(score, sorted_);
    }

    void keep(double score, std::span<const Variable> set) {
        members_.assign(set.begin(), set.end());
        wanted_.push_back(score, members_);
        has_stopped_ = has_stopped_ || wanted_.size() > options_.max_sets;
    }

    // Best first, without those that a subset beats.
    void collect() {
        std::vector<std::size_t> order(wanted_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
            if (wanted_.scores[a] != wanted_.scores[b]) {
                return wanted_.scores[a] > wanted_.scores[b];
            }
            const auto x = wanted_.set(a);
            const auto y = wanted_.set(b);
            return x.size() != y.size() ? x.size() < y.size() : std::ranges::lexicographical_compare(x, y);
        });
        ParentSetList sorted;
        for (const std::size_t i : order) {
            sorted.push_back(wanted_.scores[i], wanted_.set(i));
        }
        const std::vector<bool> stays = undominated(sorted, score_.rounding());
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            if (stays[i]) {
                result_.found.sets.push_back(sorted.scores[i], sorted.set(i));
            }
        }
    }

    const LocalScore &score_;
    const ScoreEngine *engine_;                                     // for all families below the set that is looked at
    std::size_t n_tried_ = std::numeric_limits<std::size_t>::max(); // variables for which a quicker one was asked for
    Variable child_;
    std::vector<Variable> root_;
    KeptPrices prices_;
    const EnumerationOptions &options_;
    Budget &budget_;
    double root_score_ = 0.0;
    double slack_ = 0.0; // what rounding may do to a bound
    std::vector<Variable> parents_;
    std::vector<std::unique_ptr<Level>> levels_;
    std::vector<double> bounds_;
    std::vector<std::pair<std::uint32_t, double>> bounds_of_classes_;
    std::vector<Variable> sorted_;
    std::vector<std::uint16_t> members_;
    ParentSetList wanted_;
    bool has_stopped_ = false;
    EnumerationResult result_;
};

} // namespace

EnumerationResult enumerate_parents(const LocalScore &score, Variable child, std::span<const Variable> required,
                                    std::span<const Variable> candidates, std::span<const Cluster> clusters,
                                    std::span<const double> prices, const EnumerationOptions &options, Budget &budget) {
    KeptPrices kept(score.n_variables(), child, clusters, prices);
    return Enumeration(score, child, required, std::move(kept), options, budget).run(candidates);
}

} // namespace arcwise
