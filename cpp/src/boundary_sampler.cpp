#include "arcwise/boundary_sampler.hpp"

#include "arcwise/check.hpp"

#include <algorithm>
#include <numeric>

namespace arcwise {

BoundarySampler::BoundarySampler(const LocalScore &score, const ArcRules &rules, ParentLists start, std::uint64_t seed,
                                 Budget &budget)
    : score_(score), rules_(rules), budget_(budget), random_(seed), n_(start.size()),
      at_{DagState(std::move(start)), std::vector<double>(n_)}, remembered_(at_) {
    for (Variable node = 0; node < n_; ++node) {
        rescore(node);
    }
}

double BoundarySampler::score() const noexcept { return std::accumulate(at_.local.begin(), at_.local.end(), 0.0); }

void BoundarySampler::rescore(Variable node) { at_.local[node] = score_.local(node, at_.dag.parents(node), &budget_); }

// The parents of `to` are those of `from`, and `from` itself.
bool BoundarySampler::is_covered(Variable from, Variable to) const noexcept {
    const auto above = at_.dag.parents(from);
    const auto below = at_.dag.parents(to);
    if (below.size() != above.size() + 1) {
        return false;
    }
    const auto [left, right] = std::ranges::mismatch(above, below);
    return *right == from && std::equal(left, above.end(), right + 1);
}

bool BoundarySampler::may_reverse(Variable from, Variable to) const noexcept {
    return !rules_.is_required(to, from) && may_be_parent(to, from);
}

bool BoundarySampler::may_add(Variable from, Variable to) const noexcept {
    return may_be_parent(from, to) && rules_.may_join_more(from, at_.dag.degree(from)) &&
           rules_.may_join_more(to, at_.dag.degree(to));
}

bool BoundarySampler::may_be_parent(Variable from, Variable to) const noexcept {
    return rules_.is_allowed(to, from) &&
           at_.dag.parents(to).size() < static_cast<std::size_t>(std::max(rules_.max_parents[to], 0));
}

void BoundarySampler::wander(std::size_t most) {
    const std::size_t n_reversals = random_.below(most + 1);
    for (std::size_t done = 0; done < n_reversals; ++done) {
        covered_.clear();
        for (Variable to = 0; to < n_; ++to) {
            for (const Variable from : at_.dag.parents(to)) {
                if (is_covered(from, to) && may_reverse(from, to)) {
                    covered_.emplace_back(from, to);
                }
            }
        }
        if (covered_.empty()) {
            return;
        }
        [[maybe_unused]] const double before = score();
        const auto [from, to] = covered_[random_.below(covered_.size())];
        at_.dag.reverse(from, to);
        rescore(from);
        rescore(to);
        ARCWISE_ASSERT(close(score(), before, 1e6));
    }
}

std::optional<BoundarySampler::Change> BoundarySampler::draw() {
    auto from = static_cast<Variable>(random_.below(n_));
    auto to = static_cast<Variable>(random_.below(n_ - 1));
    to += to >= from ? 1 : 0;
    if (at_.dag.has_arc(to, from) || (!at_.dag.has_arc(from, to) && at_.dag.reaches(to, from))) {
        std::swap(from, to); // the direction of the arc, or the only one that closes no cycle
    }
    const bool adds = !at_.dag.has_arc(from, to);
    if (adds ? !may_add(from, to) : rules_.is_required(to, from)) {
        return std::nullopt;
    }
    return Change{from, to, adds, gain(from, to, adds)};
}

double BoundarySampler::gain(Variable from, Variable to, bool adds) {
    const auto parents = at_.dag.parents(to);
    const auto place = std::ranges::lower_bound(parents, from);
    family_.assign(parents.begin(), place);
    if (adds) {
        family_.push_back(from);
    }
    family_.insert(family_.end(), adds ? place : place + 1, parents.end());
    return score_.local(to, family_, &budget_) - at_.local[to];
}

void BoundarySampler::remember(const Change &change) {
    remembered_ = at_;
    change_ = change;
}

void BoundarySampler::make_remembered() {
    at_ = remembered_;
    if (change_->adds) {
        at_.dag.add(change_->from, change_->to);
    } else {
        at_.dag.remove(change_->from, change_->to);
    }
    rescore(change_->to);
}

namespace {

class DrawnClimb {
  public:
    DrawnClimb(const LocalScore &score, const ArcRules &rules, const BoundaryDraws &draws, const ParentLists &start,
               std::uint64_t seed, Budget &budget)
        : rules_(rules), draws_(draws), budget_(budget), sampler_(score, rules, start, seed, budget) {
        show(false);
    }

    [[nodiscard]] ClassSearchResult climb(std::size_t n) {
        for (std::uint64_t idle = 0; n > 1 && idle < draws_.idle && !budget_.exhausted();) {
            idle = step() ? 0 : idle + std::max<std::uint64_t>(draws_.per_step, 1);
        }
        result_.stopped_by = budget_.reason();
        result_.parents = member();
        result_.score = sampler_.score();
        show(true);
        return std::move(result_);
    }

  private:
    // Whether a better class was drawn; then it is where the search stands, or the best of them if there were several.
    [[nodiscard]] bool step() {
        std::optional<BoundarySampler::Change> best;
        double bar = sampler_.tolerance();
        for (std::uint64_t drawn = 0; drawn == 0 || (drawn < draws_.per_step && !budget_.exhausted()); ++drawn) {
            sampler_.wander(draws_.reversals);
            if (const auto change = sampler_.draw(); change && change->gain > bar) {
                best = change;
                bar = change->gain + sampler_.tolerance();
                sampler_.remember(*change);
            }
        }
        if (best) {
            sampler_.make_remembered();
            ++(best->adds ? result_.insertions : result_.deletions);
            show(false);
        }
        return best.has_value();
    }

    // The same graph for the same class.
    [[nodiscard]] ParentLists member() const { return *ClassGraph(sampler_.parents()).extension(&rules_); }

    void show(bool at_rest) {
        budget_.show(sampler_.score(), sampler_.tolerance(), at_rest, [&] { return member(); });
    }

    const ArcRules &rules_;
    const BoundaryDraws &draws_;
    Budget &budget_;
    BoundarySampler sampler_;
    ClassSearchResult result_;
};

} // namespace

ClassSearchResult search_classes_by_draws(const LocalScore &score, const ArcRules &rules, const BoundaryDraws &draws,
                                          const ParentLists &start, std::uint64_t seed, Budget &budget) {
    return DrawnClimb(score, rules, draws, start, seed, budget).climb(start.size());
}

} // namespace arcwise
