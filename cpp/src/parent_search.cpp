#include "arcwise/parent_search.hpp"

#include "arcwise/check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <queue>

namespace arcwise {

void ParentSetList::push_back(double score, std::span<const std::uint16_t> set) {
    scores.push_back(score);
    members.insert(members.end(), set.begin(), set.end());
    begin.push_back(members.size());
}

void ParentSetList::cut(std::size_t n, double last_score, std::span<const std::uint16_t> last) {
    scores.resize(n);
    begin.resize(n + 1);
    members.resize(begin.back());
    for (std::size_t i = 0; i < n; ++i) {
        if (std::ranges::equal(set(i), last)) {
            return;
        }
    }
    push_back(last_score, last);
}

namespace {

constexpr std::uint32_t absent = std::numeric_limits<std::uint32_t>::max();

// A set that has been scored.
struct Scored {
    SetKey key;
    double score;
    double best;  // the best score among itself and its known subsets
    double bound; // no set with more members scores more
    std::uint32_t begin;
    std::uint16_t size;
    std::uint16_t next; // independence selection: how many candidates have been tried with it, the best ones first
    bool is_dominated;  // by a known subset

    // Some larger set may still be better than all it contains.
    [[nodiscard]] bool is_open() const noexcept { return bound > best; }
};

// All scored sets of one child, found by their keys.
class ScoredSets {
  public:
    [[nodiscard]] std::uint32_t find(SetKey key) const noexcept { return slots_[slot(key)]; }
    [[nodiscard]] const Scored &operator[](std::uint32_t index) const noexcept { return sets_[index]; }
    void set_next(std::uint32_t index, std::size_t next) noexcept {
        sets_[index].next = static_cast<std::uint16_t>(next);
    }
    [[nodiscard]] std::size_t size() const noexcept { return sets_.size(); }
    [[nodiscard]] std::span<const std::uint16_t> members(const Scored &set) const noexcept {
        return std::span(members_).subspan(set.begin, set.size);
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return sets_.capacity() * sizeof(Scored) + members_.capacity() * sizeof(std::uint16_t) +
               slots_.capacity() * sizeof(std::uint32_t);
    }

    // Adds a set that is not there yet: `members` with `extra` in its place.
    std::uint32_t add(Scored set, std::span<const std::uint16_t> members, std::uint16_t extra) {
        if (2 * (sets_.size() + 1) > slots_.size()) {
            slots_.assign(2 * slots_.size(), absent);
            for (std::uint32_t i = 0; i < sets_.size(); ++i) {
                slots_[slot(sets_[i].key)] = i;
            }
        }
        const auto index = static_cast<std::uint32_t>(sets_.size());
        set.begin = static_cast<std::uint32_t>(members_.size());
        set.size = static_cast<std::uint16_t>(members.size() + 1);
        buffer_.assign(members.begin(), members.end()); // `members` may point into what grows now
        buffer_.insert(std::lower_bound(buffer_.begin(), buffer_.end(), extra), extra);
        members_.insert(members_.end(), buffer_.begin(), buffer_.end());
        slots_[slot(set.key)] = index;
        sets_.push_back(set);
        return index;
    }

    std::uint32_t add_root(Scored set, std::span<const std::uint16_t> members) {
        members_.assign(members.begin(), members.end());
        set.begin = 0;
        set.size = static_cast<std::uint16_t>(members.size());
        slots_[slot(set.key)] = 0;
        sets_.push_back(set);
        return 0;
    }

  private:
    [[nodiscard]] std::size_t slot(SetKey key) const noexcept {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = key.low & mask;
        while (slots_[at] != absent && sets_[slots_[at]].key != key) {
            at = (at + 1) & mask;
        }
        return at;
    }

    std::vector<Scored> sets_;
    std::vector<std::uint16_t> members_;
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1024, absent);
    std::vector<std::uint16_t> buffer_;
};

// Candidates that a penalty does not tell apart, the one that gives most first.
struct Alike {
    std::uint32_t penalty_class;
    std::vector<Variable> candidates;
};

// All candidates, the one that promises most first: those of each class are in order already.
class Promising {
  public:
    struct Next {
        Variable candidate;
        double gain;
    };

    Promising(std::span<const Alike> groups, std::span<const double> gain, std::span<const double> corrections,
              std::vector<std::size_t> &positions)
        : groups_(groups), gain_(gain), corrections_(corrections), positions_(positions) {
        positions_.assign(groups.size(), 0);
    }

    // As often as there are candidates. Among equals the one with the smallest index.
    [[nodiscard]] Next next() {
        std::size_t from = groups_.size();
        Next best{};
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            if (positions_[i] == groups_[i].candidates.size()) {
                continue;
            }
            const Variable candidate = groups_[i].candidates[positions_[i]];
            const double gain = gain_[candidate] - corrections_[i];
            if (from == groups_.size() || gain > best.gain || (gain == best.gain && candidate < best.candidate)) {
                from = i;
                best = {candidate, gain};
            }
        }
        ARCWISE_ASSERT(from < groups_.size());
        ++positions_[from];
        return best;
    }

  private:
    std::span<const Alike> groups_;
    std::span<const double> gain_;
    std::span<const double> corrections_;
    std::vector<std::size_t> &positions_;
};

class ParentSearch {
  public:
    ParentSearch(const LocalScore &score, Variable child, std::span<const Variable> required,
                 std::span<const Variable> candidates, const ParentSearchOptions &options, Budget &budget)
        : score_(score), child_(child), root_(required.begin(), required.end()),
          candidates_(candidates.begin(), candidates.end()), options_(options), budget_(budget) {
        std::sort(root_.begin(), root_.end());
        std::sort(candidates_.begin(), candidates_.end());
    }

    ParentSearchResult run() {
        start();
        bool complete = true;
        while (complete && n_open_ > 0) {
            if (budget_.exhausted() || scored_.bytes() > options_.max_bytes) {
                complete = false;
                break;
            }
            complete = expand(next());
        }
        result_.is_complete = complete && !has_forgotten_;
        result_.stopped_by = complete ? StopReason::none : budget_.reason();
        collect();
        return std::move(result_);
    }

  private:
    struct Open {
        double priority;
        std::uint32_t index;
        // The queue gives the highest priority first, and among equals the one that was scored first.
        friend bool operator<(const Open &a, const Open &b) noexcept {
            return a.priority < b.priority || (a.priority == b.priority && a.index > b.index);
        }
    };

    void open(double priority, std::uint32_t index) {
        const Scored &set = scored_[index];
        const bool by_size = options_.selection == Selection::balanced && !set.is_dominated;
        const std::size_t queue = by_size ? set.size : common_queue;
        if (queues_.size() <= queue) {
            queues_.resize(queue + 1);
        }
        queues_[queue].push({priority, index});
        ++n_open_;
    }

    // The best of the next queue that has any; of the common one only when there is no other.
    std::uint32_t next() {
        for (std::size_t passed = 0; passed < queues_.size(); ++passed) {
            turn_ = (turn_ + 1) % queues_.size();
            if (turn_ != common_queue && !queues_[turn_].empty()) {
                return take(turn_);
            }
        }
        return take(common_queue);
    }

    std::uint32_t take(std::size_t queue) {
        const std::uint32_t index = queues_[queue].top().index;
        queues_[queue].pop();
        --n_open_;
        return index;
    }

    void start() {
        const std::size_t most_parents = std::min(root_.size() + candidates_.size(), options_.max_parents);
        supersets_ = score_.engine().supersets({child_, root_}, candidates_, most_parents, budget_);
        const std::vector<std::uint16_t> members(root_.begin(), root_.end());
        const double score = score_.engine().score({child_, root_});
        budget_.charge(1);
        ++result_.scored;
        const SetKey key = score_.keys().of(std::span<const Variable>(root_));
        const double bound = supersets_.most_likelihood + supersets_.most_added;
        scored_.add_root({key, score, score, bound, 0, 0, 0, false}, members);
        if (root_.size() < options_.max_parents && !candidates_.empty()) {
            open(0.0, 0);
        }
    }

    // Scores the new sets with one more member: all of them, or the most promising of those that are left. Returns
    // false when the budget ended it early.
    bool expand(std::uint32_t index) {
        const Scored set = scored_[index];
        const auto members = scored_.members(set);
        parents_.assign(members.begin(), members.end());
        members_.assign(members.begin(), members.end());
        extras_.clear();
        const std::size_t tried =
            options_.selection == Selection::independence && index != root ? find_best(set) : find_all(set);
        scores_.resize(extras_.size());
        bounds_.resize(extras_.size());
        const Bounds bounds{supersets_, bounds_};
        const bool complete = score_.new_additions({child_, parents_}, extras_, scores_, &bounds, &budget_);
        if (index == root) {
            order_by_gain(set.score);
        }
        for (std::size_t i = 0; i < extras_.size(); ++i) {
            if (!std::isnan(scores_[i])) {
                ++result_.scored;
                add(set, extras_[i], scores_[i], bounds_[i]);
            }
        }
        if (tried < candidates_.size()) {
            scored_.set_next(index, tried);
            open(estimate(scored_[index]), index);
        }
        return complete;
    }

    // Finds all candidates that make a new set. Returns how many candidates have been tried with the set.
    std::size_t find_all(const Scored &set) {
        std::copy_if(candidates_.begin(), candidates_.end(), std::back_inserter(extras_),
                     [&](Variable candidate) { return is_new(set, candidate); });
        return candidates_.size();
    }

    // Finds the few that promise most of those that have not been tried, in the order of what they promise.
    std::size_t find_best(const Scored &set) {
        Promising promising = promising_with(set);
        for (std::size_t i = 0; i < set.next; ++i) {
            (void)promising.next();
        }
        std::size_t tried = set.next;
        for (; tried < candidates_.size() && extras_.size() < part_size; ++tried) {
            if (const Variable candidate = promising.next().candidate; is_new(set, candidate)) {
                extras_.push_back(candidate);
            }
        }
        return tried;
    }

    [[nodiscard]] bool is_new(const Scored &set, Variable candidate) const {
        return !std::binary_search(parents_.begin(), parents_.end(), candidate) && is_wanted(set, candidate);
    }

    // Not scored yet; level by level, also none of its subsets has been closed.
    [[nodiscard]] bool is_wanted(const Scored &set, Variable extra) const {
        const SetKey key = set.key ^ score_.keys().member(extra);
        if (scored_.find(key) != absent) {
            return false;
        }
        if (options_.selection != Selection::sequential) {
            return true;
        }
        return std::all_of(members_.begin(), members_.end(), [&](std::uint16_t member) {
            if (std::binary_search(root_.begin(), root_.end(), Variable{member})) {
                return true;
            }
            const std::uint32_t subset = scored_.find(key ^ score_.keys().member(member));
            return subset != absent && scored_[subset].is_open();
        });
    }

    void add(const Scored &set, Variable extra, double score, double bound) {
        Scored more{set.key ^ score_.keys().member(extra), score, set.best, bound, 0, 0, 0, false};
        if (options_.selection == Selection::sequential) { // all subsets are known
            for (const std::uint16_t member : members_) {
                const std::uint32_t subset = scored_.find(more.key ^ score_.keys().member(member));
                more.best = subset != absent ? std::max(more.best, scored_[subset].best) : more.best;
            }
        }
        more.is_dominated = score <= more.best + score_.rounding();
        more.best = std::max(more.best, score);
        ARCWISE_ASSERT(score <= set.bound + 1e-6 * (1.0 + std::abs(set.bound)));
        // Where memory gets short, sets that are beaten already are not worth it.
        if (more.is_dominated && options_.selection != Selection::sequential &&
            2 * scored_.bytes() > options_.max_bytes) {
            has_forgotten_ = has_forgotten_ || more.is_open();
            return;
        }
        const std::uint32_t index = scored_.add(more, members_, static_cast<std::uint16_t>(extra));
        if (more.is_open() && members_.size() + 1 < options_.max_parents) {
            open(priority(scored_[index]), index);
        }
    }

    [[nodiscard]] double priority(const Scored &set) const {
        switch (options_.selection) {
        case Selection::sequential:
            return -static_cast<double>(set.size);
        case Selection::greedy:
        case Selection::balanced:
            return set.score;
        case Selection::independence:
            return estimate(set);
        }
        return 0.0;
    }

    // The estimated score with the best candidate that has not been tried with the set.
    [[nodiscard]] double estimate(const Scored &set) const {
        const auto members = scored_.members(set);
        Promising promising = promising_with(set);
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            const auto [candidate, gain] = promising.next();
            if (i >= set.next && !std::binary_search(members.begin(), members.end(), candidate)) {
                return set.score + gain;
            }
        }
        return -std::numeric_limits<double>::infinity();
    }

    // What a candidate gives a set is taken to be what it gives the root, with the penalty of the whole set where the
    // score has one: sc(Y ∪ {Z}) ≈ sc(Y) + sc({Z}) − sc(∅) − correction, which for BIC is BIC* (eq. 3 of the paper).
    // The correction depends on Z by its class alone.
    [[nodiscard]] Promising promising_with(const Scored &set) const {
        const auto members = scored_.members(set);
        const std::vector<Variable> parents(members.begin(), members.end());
        const auto penalty = [&](std::span<const Variable> its) { return score_.engine().penalty({child_, its}); };
        corrections_.clear();
        for (const Alike &alike : by_gain_) {
            const Variable one = alike.candidates.front(); // may be a member already: its class is what matters
            corrections_.push_back(penalty(with_one_more(parents, one)) - penalty(parents) -
                                   penalty(with_one_more(root_, one)) + penalty(root_));
        }
        return {by_gain_, gain_, corrections_, positions_};
    }

    // Candidates of each class, by what each gives as the only parent added to the root.
    void order_by_gain(double root_score) {
        gain_.assign(score_.n_variables(), -std::numeric_limits<double>::infinity());
        for (std::size_t i = 0; i < extras_.size(); ++i) {
            if (!std::isnan(scores_[i])) {
                gain_[extras_[i]] = scores_[i] - root_score;
            }
        }
        for (const Variable candidate : candidates_) {
            const std::uint32_t its_class = score_.engine().penalty_class(candidate);
            auto alike = std::ranges::find(by_gain_, its_class, &Alike::penalty_class);
            if (alike == by_gain_.end()) {
                alike = by_gain_.insert(alike, {its_class, {}});
            }
            alike->candidates.push_back(candidate);
        }
        for (Alike &alike : by_gain_) {
            std::ranges::stable_sort(alike.candidates, std::greater<>(), [&](Variable v) { return gain_[v]; });
        }
    }

    // Best first, without the dominated ones, no more than asked for.
    void collect() {
        std::vector<std::uint32_t> order;
        for (std::uint32_t i = 0; i < scored_.size(); ++i) {
            if (!scored_[i].is_dominated) {
                order.push_back(i);
            }
        }
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            const Scored &first = scored_[a];
            const Scored &second = scored_[b];
            if (first.score != second.score) {
                return first.score > second.score;
            }
            const auto x = scored_.members(first);
            const auto y = scored_.members(second);
            return x.size() != y.size() ? x.size() < y.size()
                                        : std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
        });
        ParentSetList sorted;
        for (const std::uint32_t i : order) {
            sorted.push_back(scored_[i].score, scored_.members(scored_[i]));
        }
        // Level by level all subsets were known, and nothing more needs to be looked for.
        const bool is_settled = options_.selection == Selection::sequential;
        const std::vector<bool> keep =
            is_settled ? std::vector<bool>(sorted.size(), true) : undominated(sorted, score_.rounding());
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            if (keep[i]) {
                result_.sets.push_back(sorted.scores[i], sorted.set(i));
            }
        }
        if (result_.sets.size() > options_.max_sets) {
            result_.sets.cut(options_.max_sets, scored_[root].score, scored_.members(scored_[root]));
            result_.was_cut = true;
            result_.is_complete = false;
        }
    }

    static constexpr std::uint32_t root = 0;
    static constexpr std::size_t part_size = 8; // sets that independence selection scores at a time
    static constexpr std::size_t common_queue = 0;

    const LocalScore &score_;
    Variable child_;
    std::vector<Variable> root_;
    std::vector<Variable> candidates_;
    const ParentSearchOptions &options_;
    Budget &budget_;
    Supersets supersets_{}; // of the root
    ScoredSets scored_;
    // One for all sets; balanced, one for each size, and the common one for sets that a subset beats.
    std::vector<std::priority_queue<Open>> queues_ = std::vector<std::priority_queue<Open>>(1);
    std::size_t n_open_ = 0;
    std::size_t turn_ = 0;
    std::vector<double> gain_; // of each candidate as the only parent added to the root
    std::vector<Alike> by_gain_;
    mutable std::vector<double> corrections_; // of the last set that was looked at, for each class
    mutable std::vector<std::size_t> positions_;
    bool has_forgotten_ = false;
    std::vector<Variable> parents_; // of the set that is expanded
    std::vector<std::uint16_t> members_;
    std::vector<Variable> extras_;
    std::vector<double> scores_;
    std::vector<double> bounds_;
    ParentSearchResult result_;
};

} // namespace

ParentSearchResult search_parents(const LocalScore &score, Variable child, std::span<const Variable> required,
                                  std::span<const Variable> candidates, const ParentSearchOptions &options,
                                  Budget &budget) {
    return ParentSearch(score, child, required, candidates, options, budget).run();
}

} // namespace arcwise
