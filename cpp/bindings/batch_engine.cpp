#include "batch_engine.hpp"

#include "arrays.hpp"
#include "found_records.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace arcwise::bindings {
namespace {

// Between two looks at the budget.
constexpr std::size_t families_at_once = 4096;

struct Arrays {
    nb::object children;
    nb::object starts;
    nb::object parents;
};

// Parents ascend, so that a number does not depend on the order in which a search has found them.
Arrays arrays_of(std::span<const Family> batch) {
    std::vector<std::int32_t> children;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> parents;
    for (const Family &family : batch) {
        children.push_back(static_cast<std::int32_t>(family.child));
        parents.insert(parents.end(), family.parents.begin(), family.parents.end());
        std::sort(parents.begin() + static_cast<std::ptrdiff_t>(starts.back()), parents.end());
        starts.push_back(static_cast<std::int64_t>(parents.size()));
    }
    return {nb::cast(to_numpy(std::move(children))), nb::cast(to_numpy(std::move(starts))),
            nb::cast(to_numpy(std::move(parents)))};
}

// An answer of so many numbers, in any shape.
template <class T> class Numbers {
  public:
    Numbers(const nb::handle &answer, const char *what) {
        if (!nb::try_cast(answer, array_, false)) {
            throw std::invalid_argument(std::string(what) + " of a batch came back as another kind of array");
        }
    }
    Numbers(const nb::handle &answer, const char *what, std::size_t size) : Numbers(answer, what) {
        if (array_.size() != size) {
            throw std::invalid_argument("of " + std::to_string(size) + " " + what + " of a batch, " +
                                        std::to_string(array_.size()) + " came back");
        }
    }
    [[nodiscard]] std::span<const T> all() const { return {array_.data(), array_.size()}; }

  private:
    nb::ndarray<const T, nb::c_contig, nb::device::cpu> array_;
};

} // namespace

BatchEngine::BatchEngine(nb::handle answers, const BatchPromises &promises, const BatchCost &cost)
    : answers_(answers), promises_(promises), cost_(cost) {
    if (promises.penalties && promises.penalties->arities.size() != promises.n_variables) {
        throw std::invalid_argument("the penalties are those of another number of variables");
    }
}

BatchEngine::BatchEngine(nb::handle answers, std::shared_ptr<const ScoreEngine> beside, const BatchCost &cost)
    : answers_(answers), beside_(std::move(beside)),
      promises_{beside_->n_variables(), beside_->rounding(), beside_->is_equivalent(), nullptr}, cost_(cost) {}

bool BatchEngine::is_quicker_beside(std::size_t n_additions, std::size_t n_parents,
                                    std::size_t n_workers) const noexcept {
    if (!beside_) {
        return false;
    }
    const auto n = static_cast<double>(n_additions);
    const double here = cost_.seconds_per_batch +
                        n * cost_.seconds_per_addition *
                            std::pow(cost_.growth_per_parent, std::min<double>(static_cast<double>(n_parents), 64.0));
    return n * beside_->seconds_per_addition(n_parents) / static_cast<double>(n_workers) <= here;
}

std::vector<double> BatchEngine::scores_of(std::span<const Family> batch) const {
    const nb::gil_scoped_acquire acquire;
    const Arrays arrays = arrays_of(batch);
    const nb::object answer = answers_.attr("scores")(arrays.children, arrays.starts, arrays.parents);
    const Numbers<double> scores(answer, "scores", batch.size());
    return {scores.all().begin(), scores.all().end()};
}

double BatchEngine::score(const Family &family) const {
    return beside_ ? beside_->score(family) : scores_of({&family, 1}).front();
}

bool BatchEngine::additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                            const Bounds *bounds, const Budget *budget) const {
    if (beside_ && (bounds != nullptr || is_quicker_beside(candidates.size(), family.parents.size(), 1))) {
        return beside_->additions(family, candidates, scores, bounds, budget);
    }
    if (bounds != nullptr) {
        std::ranges::fill(bounds->values, infinity);
    }
    std::ranges::fill(scores, std::numeric_limits<double>::quiet_NaN());
    if (budget != nullptr && budget->exhausted()) {
        return false;
    }
    {
        const nb::gil_scoped_acquire acquire;
        const Arrays arrays = arrays_of({&family, 1});
        const nb::object among = nb::cast(to_numpy(std::vector<std::int32_t>(candidates.begin(), candidates.end())));
        const nb::object answer = answers_.attr("additions")(arrays.children, arrays.starts, arrays.parents, among);
        const Numbers<double> found(answer, "additions", candidates.size());
        std::ranges::copy(found.all(), scores.begin());
    }
    if (std::ranges::any_of(scores, [](double score) { return std::isnan(score); })) {
        if (!beside_) {
            throw std::invalid_argument("a batch came back with a score that is not a number");
        }
        return beside_->additions(family, candidates, scores, bounds, budget);
    }
    return true;
}

bool BatchEngine::improvements(std::span<const Family> batch, std::span<Improvements> answers, Team &team,
                               const Budget *budget) const {
    if (batch.empty()) {
        return true;
    }
    if (is_quicker_beside(batch.size() * n_variables(), batch.front().parents.size(), team.n_workers())) {
        return beside_->improvements(batch, answers, team, budget);
    }
    std::vector<Family> left;
    std::vector<std::size_t> places;
    for (std::size_t begin = 0; begin < batch.size(); begin += families_at_once) {
        if (budget != nullptr && budget->exhausted()) {
            return false;
        }
        const std::size_t count = std::min(families_at_once, batch.size() - begin);
        ask(batch.subspan(begin, count), answers.subspan(begin, count), team);
        for (std::size_t i = begin; i < begin + count; ++i) {
            if (std::isnan(answers[i].own)) {
                left.push_back(batch[i]);
                places.push_back(i);
            }
        }
    }
    if (left.empty()) {
        return true;
    }
    if (!beside_) {
        throw std::invalid_argument("a batch came back with a score that is not a number");
    }
    std::vector<Improvements> found(left.size());
    const bool is_complete = beside_->improvements(left, found, team, budget);
    for (std::size_t i = 0; i < left.size(); ++i) {
        answers[places[i]] = std::move(found[i]);
    }
    return is_complete;
}

void BatchEngine::ask(std::span<const Family> batch, std::span<Improvements> answers, Team &team) const {
    const nb::gil_scoped_acquire acquire;
    const Arrays arrays = arrays_of(batch);
    if (nb::hasattr(answers_, "found")) {
        const nb::object answer = answers_.attr("found")(arrays.children, arrays.starts, arrays.parents);
        sort(answer, answers, team);
        return;
    }
    const auto answer =
        nb::cast<nb::tuple>(answers_.attr("improvements")(arrays.children, arrays.starts, arrays.parents));
    if (answer.size() != 4) {
        throw std::invalid_argument("the improvements of a batch are four arrays");
    }
    const Numbers<double> own(answer[0], "scores", batch.size());
    const Numbers<std::int64_t> ends(answer[3], "ends", batch.size() + 1);
    const auto total = static_cast<std::size_t>(std::max<std::int64_t>(0, ends.all().back()));
    const Numbers<double> scores(answer[1], "improvements", total);
    const Numbers<std::int32_t> variables(answer[2], "improving variables", total);
    if (ends.all().front() != 0 || !std::ranges::is_sorted(ends.all()) ||
        !std::ranges::all_of(variables.all(),
                             [&](std::int32_t v) { return v >= 0 && static_cast<std::size_t>(v) < n_variables(); })) {
        throw std::invalid_argument("the improvements of a batch do not belong together");
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const auto begin = static_cast<std::size_t>(ends.all()[i]);
        const std::size_t count = static_cast<std::size_t>(ends.all()[i + 1]) - begin;
        const auto found = scores.all().subspan(begin, count);
        const auto by = variables.all().subspan(begin, count);
        answers[i].own = own.all()[i];
        answers[i].scores.assign(found.begin(), found.end());
        answers[i].variables.assign(by.begin(), by.end());
    }
}

void BatchEngine::sort(const nb::object &answer, std::span<Improvements> answers, Team &team) const {
    const auto both = nb::cast<nb::tuple>(answer);
    if (both.size() != 2) {
        throw std::invalid_argument("what was found for a batch are two arrays");
    }
    const Numbers<double> own(both[0], "scores", answers.size());
    const Numbers<std::uint8_t> found(both[1], "improvements");
    const FoundRecords records(found.all(), answers.size());
    const nb::gil_scoped_release release;
    (void)records.sorted(team, [&](std::size_t i, std::size_t, std::span<ScoredVariable> its) {
        Improvements &one = answers[i];
        one.own = own.all()[i];
        one.scores.resize(its.size());
        one.variables.resize(its.size());
        for (std::size_t k = 0; k < its.size(); ++k) {
            if (its[k].variable >= n_variables()) {
                throw std::invalid_argument("the improvements of a batch do not belong together");
            }
            one.scores[k] = its[k].score;
            one.variables[k] = its[k].variable;
        }
    });
}

void BatchEngine::removals(const Family &family, std::span<const std::size_t> chosen, std::span<double> scores) const {
    if (beside_) {
        beside_->removals(family, chosen, scores);
        return;
    }
    std::vector<std::vector<Variable>> parents;
    parents.reserve(chosen.size());
    for (const std::size_t place : chosen) {
        parents.push_back(without_one(family.parents, place));
    }
    std::vector<Family> batch;
    batch.reserve(parents.size());
    for (const std::vector<Variable> &fewer : parents) {
        batch.push_back({family.child, fewer});
    }
    std::ranges::copy(scores_of(batch), scores.begin());
}

double BatchEngine::penalty(const Family &family) const {
    if (beside_) {
        return beside_->penalty(family);
    }
    const auto &its = promises_.penalties;
    return its ? its->score.penalty(its->shape(family)) : 0.0;
}

double BatchEngine::least_penalty(const Family &family, std::size_t most_parents) const {
    if (beside_) {
        return beside_->least_penalty(family, most_parents);
    }
    const auto &its = promises_.penalties;
    return its ? its->score.least_penalty(its->shape(family), most_parents) : 0.0;
}

std::uint32_t BatchEngine::penalty_class(Variable variable) const noexcept {
    if (beside_) {
        return beside_->penalty_class(variable);
    }
    return promises_.penalties ? promises_.penalties->arities[variable] : 0;
}

Supersets BatchEngine::supersets(const Family &least, std::span<const Variable> candidates, std::size_t most_parents,
                                 const Budget &budget) const {
    return beside_ ? beside_->supersets(least, candidates, most_parents, budget)
                   : ScoreEngine::supersets(least, candidates, most_parents, budget);
}

} // namespace arcwise::bindings
