#include "arcwise/adjusted_engine.hpp"

#include "arcwise/log_choices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace arcwise {

namespace {

// By the number of parents: so much for each, and −ln C(n − 1, k) where all numbers are to be equally likely.
std::vector<double> terms_of_numbers(std::size_t n_variables, double per_parent, bool has_uniform_in_degrees) {
    std::vector<double> terms = log_choices(n_variables);
    for (std::size_t k = 0; k < terms.size(); ++k) {
        terms[k] = per_parent * static_cast<double>(k) - (has_uniform_in_degrees ? terms[k] : 0.0);
    }
    return terms;
}

// The smallest power of two in which sums up to `most` have no more than 61 bits, but not below 2⁻⁵⁰.
double unit_for(double most) {
    constexpr int bits = 61;
    constexpr int finest = -50;
    return std::ldexp(1.0, most > 0.0 ? std::max(finest, std::ilogb(most) + 1 - bits) : finest);
}

// Penalties of a family with one more parent, which are the same for all of a class; there are few classes.
class PenaltiesWithOneMore {
  public:
    struct Penalty {
        double own;
        double least; // with more parents
    };

    PenaltiesWithOneMore(const ScoreEngine &engine, const Family &family, const Bounds *bounds)
        : engine_(engine), family_(family), bounds_(bounds) {}

    [[nodiscard]] Penalty of(Variable candidate) {
        const std::uint32_t its_class = engine_.penalty_class(candidate);
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            if (classes_[i] == its_class) {
                return known_[i];
            }
        }
        const std::vector<Variable> parents = with_one_more(family_.parents, candidate);
        const Family more{family_.child, parents};
        const double least = bounds_ == nullptr ? 0.0 : engine_.least_penalty(more, bounds_->supersets.most_parents);
        classes_.push_back(its_class);
        return known_.emplace_back(engine_.penalty(more), least);
    }

  private:
    const ScoreEngine &engine_;
    const Family family_;
    const Bounds *bounds_;
    std::vector<std::uint32_t> classes_;
    std::vector<Penalty> known_;
};

} // namespace

AdjustedEngine::AdjustedEngine(std::shared_ptr<const ScoreEngine> inner, const Adjustment &adjustment)
    : inner_(std::move(inner)), factor_(adjustment.penalty_factor),
      for_number_(terms_of_numbers(inner_->n_variables(), adjustment.per_parent, adjustment.has_uniform_in_degrees)) {
    if (!std::isfinite(factor_) || factor_ < 0.0 || !std::isfinite(adjustment.per_parent)) {
        throw std::invalid_argument("what is added to a score must be finite, and a penalty is not negative");
    }
    if (dynamic_cast<const AdjustedEngine *>(inner_.get()) != nullptr) { // bounds know of one adjustment
        throw std::invalid_argument("the score has been adjusted before");
    }
    take_arcs(adjustment.arcs);
    is_symmetric_ = is_same_both_ways();
    // Sums of a few terms of this size are exact to some units in the last place.
    constexpr std::size_t many_parents = 64;
    const double for_many = for_number_[std::min(for_number_.size() - 1, many_parents)];
    const std::int64_t most = positive_.empty() ? 0 : *std::ranges::max_element(positive_);
    rounding_ =
        inner_->rounding() + 16 * std::numeric_limits<double>::epsilon() * (std::abs(for_many) + nats_of_arcs(most));
}

void AdjustedEngine::take_arcs(std::vector<ArcTerm> arcs) {
    if (arcs.empty()) {
        return;
    }
    const std::size_t n = n_variables();
    std::ranges::sort(arcs, {}, [](const ArcTerm &arc) { return std::pair(arc.child, arc.parent); });
    std::vector<double> sums(n, 0.0);
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        const ArcTerm &arc = arcs[i];
        const bool is_twice = i > 0 && arcs[i - 1].child == arc.child && arcs[i - 1].parent == arc.parent;
        if (arc.parent >= n || arc.child >= n || arc.parent == arc.child || is_twice || !std::isfinite(arc.added)) {
            throw std::invalid_argument("arcs must be between two of the variables, each once, with a finite number");
        }
        sums[arc.child] += std::abs(arc.added);
    }
    nats_per_unit_ = unit_for(*std::ranges::max_element(sums));
    begin_.assign(n + 1, 0);
    positive_.assign(n, 0);
    for (const ArcTerm &arc : arcs) {
        ++begin_[arc.child + 1];
        parents_.push_back(arc.parent);
        units_.push_back(std::llround(arc.added / nats_per_unit_));
        positive_[arc.child] += std::max<std::int64_t>(0, units_.back());
    }
    for (std::size_t v = 0; v < n; ++v) {
        begin_[v + 1] += begin_[v];
    }
}

bool AdjustedEngine::is_same_both_ways() const noexcept {
    for (Variable child = 0; child + 1 < begin_.size(); ++child) {
        for (std::size_t i = begin_[child]; i < begin_[child + 1]; ++i) {
            if (units_[i] != units(parents_[i], child)) {
                return false;
            }
        }
    }
    return true;
}

std::size_t AdjustedEngine::bytes() const noexcept {
    return inner_->bytes() + for_number_.capacity() * sizeof(double) + begin_.capacity() * sizeof(std::size_t) +
           parents_.capacity() * sizeof(Variable) + (units_.capacity() + positive_.capacity()) * sizeof(std::int64_t);
}

std::int64_t AdjustedEngine::units(Variable child, Variable parent) const noexcept {
    if (begin_.empty()) {
        return 0;
    }
    const auto first = parents_.begin() + static_cast<std::ptrdiff_t>(begin_[child]);
    const auto last = parents_.begin() + static_cast<std::ptrdiff_t>(begin_[child + 1]);
    const auto found = std::lower_bound(first, last, parent);
    return found != last && *found == parent ? units_[static_cast<std::size_t>(found - parents_.begin())] : 0;
}

std::int64_t AdjustedEngine::units(const Family &family) const noexcept {
    std::int64_t sum = 0;
    for (const Variable parent : family.parents) {
        sum += units(family.child, parent);
    }
    return sum;
}

std::int64_t AdjustedEngine::positive_units(Variable child, std::span<const Variable> parents) const noexcept {
    std::int64_t sum = 0;
    for (const Variable parent : parents) {
        sum += std::max<std::int64_t>(0, units(child, parent));
    }
    return sum;
}

double AdjustedEngine::added(std::size_t n_parents, std::int64_t units, double penalty) const noexcept {
    return for_number_[n_parents] + nats_of_arcs(units) - (factor_ - 1.0) * penalty;
}

double AdjustedEngine::added(const Family &family) const {
    const double penalty = factor_ == 1.0 ? 0.0 : inner_->penalty(family);
    return added(family.parents.size(), units(family), penalty);
}

// −ln C(n − 1, k) falls and then rises, and a multiple of k added to it leaves it so: it is largest at one of the ends.
double AdjustedEngine::most_for_number(std::size_t least, std::size_t most) const noexcept {
    const std::size_t last = for_number_.size() - 1;
    return std::max(for_number_[std::min(least, last)], for_number_[std::min(std::max(least, most), last)]);
}

double AdjustedEngine::score(const Family &family) const { return inner_->score(family) + added(family); }

bool AdjustedEngine::additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                               const Bounds *bounds, const Budget *budget) const {
    const bool complete = inner_->additions(family, candidates, scores, bounds, budget);
    adjust_additions(family, candidates, scores, bounds);
    return complete;
}

bool AdjustedEngine::rough_additions(const Family &family, std::span<const Variable> candidates,
                                     std::span<double> scores, const Budget *budget) const {
    const bool complete = inner_->rough_additions(family, candidates, scores, budget);
    adjust_additions(family, candidates, scores, nullptr);
    return complete;
}

void AdjustedEngine::adjust_additions(const Family &family, std::span<const Variable> candidates,
                                      std::span<double> scores, const Bounds *bounds) const {
    const std::size_t n_parents = family.parents.size() + 1;
    const std::int64_t before = units(family);
    const std::int64_t positive_left = bounds == nullptr || positive_.empty()
                                           ? 0
                                           : positive_[family.child] - positive_units(family.child, family.parents);
    PenaltiesWithOneMore penalties(*inner_, family, bounds);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (std::isnan(scores[i])) {
            continue; // the budget has ended before it
        }
        const std::int64_t its_own = units(family.child, candidates[i]);
        const auto penalty = factor_ == 1.0 ? PenaltiesWithOneMore::Penalty{0.0, 0.0} : penalties.of(candidates[i]);
        scores[i] += added(n_parents, before + its_own, penalty.own);
        if (bounds != nullptr) {
            const std::int64_t most_units = before + its_own + positive_left - std::max<std::int64_t>(0, its_own);
            const double most_added =
                std::min(bounds->supersets.most_added,
                         most_for_number(n_parents, bounds->supersets.most_parents) + nats_of_arcs(most_units));
            if (factor_ != 1.0) { // the bound of the score is one with another penalty
                bounds->values[i] = bounds->supersets.most_likelihood - factor_ * penalty.least;
            }
            bounds->values[i] += most_added;
        }
    }
}

// What is taken away for one more parent is no less than before, so that what does not improve the score by itself does
// not improve it with this either.
bool AdjustedEngine::only_takes_away(const Family &family) const {
    const std::size_t n_parents = family.parents.size();
    const bool is_less_for_number =
        n_parents + 1 >= for_number_.size() || for_number_[n_parents + 1] <= for_number_[n_parents];
    const bool has_no_gains = positive_.empty() || positive_[family.child] == 0;
    return has_no_gains && is_less_for_number &&
           (factor_ == 1.0 ||
            (factor_ > 1.0 && inner_->least_penalty(family, n_parents + 1) >= inner_->penalty(family)));
}

bool AdjustedEngine::improvements(std::span<const Family> batch, std::span<Improvements> answers, Team &team,
                                  const Budget *budget) const {
    if (!std::ranges::all_of(batch, [&](const Family &family) { return only_takes_away(family); })) {
        return ScoreEngine::improvements(batch, answers, team, budget);
    }
    const bool complete = inner_->improvements(batch, answers, team, budget);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (!std::isnan(answers[i].own)) {
            adjust(batch[i], answers[i]);
        }
    }
    return complete;
}

void AdjustedEngine::adjust(const Family &family, Improvements &answer) const {
    answer.own += added(family);
    const double least = answer.own + rounding_;
    const std::int64_t before = units(family);
    PenaltiesWithOneMore penalties(*inner_, family, nullptr);
    std::vector<std::pair<double, Variable>> better;
    for (std::size_t k = 0; k < answer.variables.size(); ++k) {
        const Variable candidate = answer.variables[k];
        const double penalty = factor_ == 1.0 ? 0.0 : penalties.of(candidate).own;
        const double score =
            answer.scores[k] + added(family.parents.size() + 1, before + units(family.child, candidate), penalty);
        if (score > least) {
            better.emplace_back(-score, candidate);
        }
    }
    std::ranges::sort(better); // the best first, and of equal ones that with the lower index
    answer.scores.clear();
    answer.variables.clear();
    for (const auto &[negative, candidate] : better) {
        answer.scores.push_back(-negative);
        answer.variables.push_back(candidate);
    }
}

void AdjustedEngine::removals(const Family &family, std::span<const std::size_t> chosen,
                              std::span<double> scores) const {
    inner_->removals(family, chosen, scores);
    adjust_removals(family, chosen, scores);
}

void AdjustedEngine::rough_removals(const Family &family, std::span<const std::size_t> chosen,
                                    std::span<double> scores) const {
    inner_->rough_removals(family, chosen, scores);
    adjust_removals(family, chosen, scores);
}

void AdjustedEngine::adjust_removals(const Family &family, std::span<const std::size_t> chosen,
                                     std::span<double> scores) const {
    const std::int64_t before = units(family);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        double penalty = 0.0;
        if (factor_ != 1.0) {
            penalty = inner_->penalty({family.child, without_one(family.parents, chosen[k])});
        }
        const std::int64_t its_own = units(family.child, family.parents[chosen[k]]);
        scores[k] += added(family.parents.size() - 1, before - its_own, penalty);
    }
}

double AdjustedEngine::penalty(const Family &family) const {
    const std::size_t n_parents = std::min(family.parents.size(), for_number_.size() - 1); // one may be there twice
    return factor_ * inner_->penalty(family) - for_number_[n_parents];
}

double AdjustedEngine::least_penalty(const Family &family, std::size_t most_parents) const {
    return factor_ * inner_->least_penalty(family, most_parents) - most_for_number(family.parents.size(), most_parents);
}

Supersets AdjustedEngine::supersets(const Family &least, std::span<const Variable> candidates, std::size_t most_parents,
                                    const Budget &budget) const {
    Supersets known = inner_->supersets(least, candidates, most_parents, budget);
    known.most_added += most_for_number(least.parents.size(), known.most_parents) +
                        nats_of_arcs(units(least) + positive_units(least.child, candidates));
    return known;
}

bool AdjustedEngine::fill(std::span<std::int64_t> values, Budget &budget) const {
    return inner_->set_function()->fill(values, budget);
}

double AdjustedEngine::score_of(std::int64_t difference, const Family &family) const {
    return inner_->set_function()->score_of(difference, family) + added(family);
}

} // namespace arcwise
