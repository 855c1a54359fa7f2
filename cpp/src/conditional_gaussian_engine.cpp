#include "arcwise/conditional_gaussian_engine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace arcwise {

namespace {

bool is_over(const Budget *budget) { return budget != nullptr && budget->exhausted(); }

// The smallest power of two in which sums up to 12 n have no more than 62 bits. A gain is at most ½ n_j ln 1e10, and no
// loss exceeds ½ n_j ln(n / n_j), which sums to less than n.
double unit_for(double n) { return std::exp2(std::ceil(std::log2(12.0 * (n + 1.0)) - 62.0)); }

std::size_t n_continuous(std::span<const std::uint32_t> arities) {
    return static_cast<std::size_t>(std::ranges::count(arities, 0U));
}

void check(const MixedTable &table, double per_parameter, double gamma) {
    const TableView &rows = table.discrete;
    if (table.numbers.size() != rows.n_rows * n_continuous(rows.arities)) {
        throw std::invalid_argument("there must be a column of numbers for each variable of arity 0");
    }
    if (!std::ranges::all_of(table.numbers, [](double number) { return std::isfinite(number); })) {
        throw std::invalid_argument("numbers must be finite");
    }
    if (!std::isfinite(per_parameter) || per_parameter < 0.0 || !std::isfinite(gamma) || gamma < 0.0) {
        throw std::invalid_argument("penalties must be finite and not negative");
    }
}

std::vector<std::uint32_t> checked_arities(const MixedTable &table, double per_parameter, double gamma) {
    check(table, per_parameter, gamma);
    return table.discrete.arities;
}

} // namespace

ConditionalGaussianEngine::ConditionalGaussianEngine(const MixedTable &table, double per_parameter, double gamma,
                                                     const BitKernels &kernels, double for_missing)
    : arities_(checked_arities(table, per_parameter, gamma)), n_rows_(table.discrete.n_rows),
      masks_(table.discrete.masks), for_missing_(for_missing),
      score_(Penalties{per_parameter, gamma, arities_.size()}, table.discrete.n_observations()) {
    place_.reserve(arities_.size());
    for (Variable v = 0, n_numbers = 0; v < arities_.size(); ++v) {
        place_.push_back(is_continuous(v) ? n_numbers++ : static_cast<Variable>(discrete_variables_.size()));
        if (!is_continuous(v)) {
            discrete_variables_.push_back(v);
        }
    }
    numbers_.weights = table.discrete.weights;
    for (const std::uint32_t weight : numbers_.weights) {
        numbers_.roots.push_back(std::sqrt(static_cast<double>(weight)));
    }
    numbers_.kernels = &product_kernels(kernels.instructions);
    take_discrete(table.discrete, {per_parameter, gamma, arities_.size()}, kernels);
    const auto n = static_cast<double>(table.discrete.n_observations());
    numbers_.nats_per_unit = unit_for(n);
    // A residual that is a part ρ of a sum of squares is known to about 1e-15 / ρ of itself, and so a score to n times
    // half of that.
    rounding_ = 1e-11 * n * std::log(n + 1.0);
    take_numbers(table);
}

template <class Code>
const Code *ConditionalGaussianEngine::take_codes(const TableView &table, const Code *first, std::vector<Code> &kept) {
    kept.reserve(discrete_variables_.size() * table.n_rows);
    for (const Variable v : discrete_variables_) {
        const Code *column = first + v * table.n_rows;
        kept.insert(kept.end(), column, column + table.n_rows);
    }
    return kept.data();
}

std::shared_ptr<const RowMasks> ConditionalGaussianEngine::masks_of_discrete(const TableView &table) const {
    if (table.masks == nullptr) {
        return nullptr;
    }
    auto masks = std::make_shared<RowMasks>(table.n_rows, discrete_variables_.size());
    const auto left_out = [&](const std::uint64_t *counted) {
        std::vector<std::uint8_t> rows(table.n_rows, 1);
        for_each_row(counted, table.n_rows, [&](std::size_t row) { rows[row] = 0; });
        return rows;
    };
    for (std::uint32_t place = 0; place < discrete_variables_.size(); ++place) {
        const Variable v = discrete_variables_[place];
        if (table.masks->unforced(v) != nullptr) {
            masks->set_forced(place, left_out(table.masks->unforced(v)));
        }
        if (table.masks->observed(v) != nullptr) {
            masks->set_gaps(place, left_out(table.masks->observed(v)));
        }
    }
    return masks;
}

void ConditionalGaussianEngine::take_discrete(const TableView &table, const Penalties &penalties,
                                              const BitKernels &kernels) {
    discrete_.n_rows = table.n_rows;
    for (const Variable v : discrete_variables_) {
        discrete_.arities.push_back(arities_[v]);
    }
    discrete_.weights = table.weights;
    discrete_.masks = masks_of_discrete(table);
    if (const auto *narrow = std::get_if<const std::uint8_t *>(&table.codes)) {
        discrete_.codes = take_codes(table, *narrow, narrow_codes_);
    } else {
        discrete_.codes = take_codes(table, std::get<const std::uint16_t *>(table.codes), wide_codes_);
    }
    if (discrete_variables_.empty()) {
        return;
    }
    if (masks_ != nullptr && masks_->has_gaps()) {
        counting_ = std::make_unique<const PairwiseEngine>(discrete_, penalties, for_missing_, kernels);
    } else {
        counting_ = std::make_unique<const CountingEngine>(discrete_, penalties, kernels);
    }
}

void ConditionalGaussianEngine::take_numbers(const MixedTable &table) {
    const std::size_t n_columns = n_continuous(arities_);
    std::vector<double> log_scales;
    log_scales.reserve(n_columns);
    for (std::size_t c = 0; c < n_columns; ++c) {
        log_scales.push_back(take_column(table.numbers.data() + c * n_rows_));
    }
    own_.resize(n_columns);
    for (Variable v = 0; v < arities_.size(); ++v) {
        if (is_continuous(v)) {
            Own &own = own_[place_[v]];
            own = own_of(v, log_scales[place_[v]]);
            rounding_ = std::max(rounding_, 16 * std::numeric_limits<double>::epsilon() * std::abs(own.log_likelihood));
        }
    }
    for (Variable v = 0; masks_ != nullptr && masks_->has_gaps() && v < arities_.size(); ++v) {
        if (is_continuous(v)) {
            averaging_.push_back(averaging_of(v));
        }
    }
}

Averaging ConditionalGaussianEngine::averaging_of(Variable variable) const {
    std::uint64_t whole = 0;
    for_each_row(masks_->unforced(variable), n_rows_,
                 [&](std::size_t row) { whole += numbers_.weights.empty() ? 1 : numbers_.weights[row]; });
    const Own &own = own_[place_[variable]];
    Averaging averaging{static_cast<double>(std::max<std::uint64_t>(1, whole)), 0.0, for_missing_, whole};
    averaging.own = averaging.factor(static_cast<std::uint64_t>(own.spread.n)) * own.log_likelihood;
    return averaging;
}

double ConditionalGaussianEngine::take_column(const double *numbers) {
    constexpr double most = 1e120;
    constexpr double least = 1e-120;
    double largest = 0.0;
    double spread = 0.0;
    for (std::size_t row = 0; row < n_rows_; ++row) {
        largest = std::max(largest, std::abs(numbers[row]));
        spread = std::max(spread, std::abs(numbers[row] - numbers[0]));
    }
    if (largest <= most && (spread == 0.0 || spread >= least)) {
        numbers_.columns.push_back(numbers);
        return 0.0;
    }
    const int exponent = std::ilogb(largest > most ? largest : spread);
    std::vector<double> &scaled = scaled_.emplace_back(numbers, numbers + n_rows_);
    for (double &number : scaled) {
        number = std::ldexp(number, -exponent);
    }
    numbers_.columns.push_back(scaled.data());
    return exponent * std::numbers::ln2;
}

ConditionalGaussianEngine::Own ConditionalGaussianEngine::own_of(Variable variable, double log_scale) const {
    const RowGroups all = groups_of({variable, {}});
    if (all.size() == 0) {
        return {};
    }
    const Spread spread = GroupRegressions(numbers_, {}, place_[variable], {}).spread(all[0]);
    if (spread.sum_of_squares == 0.0) {
        return {spread, 0.0};
    }
    const double log_variance = std::log(spread.sum_of_squares / spread.n) + 2.0 * log_scale;
    return {spread, -0.5 * spread.n * (std::log(2.0 * std::numbers::pi) + log_variance + 1.0)};
}

GroupRegressions ConditionalGaussianEngine::regressions_of(const Family &family) const {
    const Variable child = place_[family.child];
    return {numbers_, places(family.parents, true), child, own_[child].spread};
}

std::size_t ConditionalGaussianEngine::bytes() const noexcept {
    std::size_t all = narrow_codes_.capacity() + wide_codes_.capacity() * sizeof(std::uint16_t) +
                      (numbers_.roots.capacity() + scaled_.size() * n_rows_) * sizeof(double);
    all += numbers_.columns.capacity() * sizeof(double *) + own_.capacity() * sizeof(Own);
    return all + (counting_ == nullptr ? 0 : counting_->bytes());
}

double ConditionalGaussianEngine::seconds_per_addition(std::size_t n_parents) const noexcept {
    constexpr double of_regression = 100e-9;
    constexpr double of_gathering = 0.6e-9;
    constexpr double of_product = 0.25e-9;
    const double products = static_cast<double>(n_parents) + 3.0;
    return of_regression + static_cast<double>(n_rows_) * (of_gathering + of_product * products);
}

bool ConditionalGaussianEngine::is_counted(const Family &family) const noexcept {
    return !is_continuous(family.child) &&
           std::ranges::none_of(family.parents, [&](Variable parent) { return is_continuous(parent); });
}

std::vector<Variable> ConditionalGaussianEngine::places(std::span<const Variable> variables, bool continuous) const {
    std::vector<Variable> chosen;
    for (const Variable v : variables) {
        if (is_continuous(v) == continuous) {
            chosen.push_back(place_[v]);
        }
    }
    std::ranges::sort(chosen);
    return chosen;
}

RowGroups ConditionalGaussianEngine::rows_of(const Family &family) const {
    BitBlocks buffer;
    return {n_rows_, numbers_.weights,
            masks_ == nullptr ? nullptr : masks_->rows_of_family(family.child, family.parents, buffer)};
}

RowGroups ConditionalGaussianEngine::groups_of(const Family &family) const {
    RowGroups groups = rows_of(family);
    for (const Variable parent : places(family.parents, false)) {
        groups = RowGroups(groups, discrete_, parent);
    }
    return groups;
}

FamilyShape ConditionalGaussianEngine::shape(const Family &family) const {
    static constexpr double enough = 1e300; // keeps what it is multiplied with finite
    std::vector<std::uint32_t> arities;
    for (const Variable parent : family.parents) {
        if (!is_continuous(parent)) {
            arities.push_back(arities_[parent]);
        }
    }
    std::ranges::sort(arities); // so that the product is rounded in one way
    const double q = std::accumulate(arities.begin(), arities.end(), 1.0, [](double product, std::uint32_t arity) {
        return std::min(product * static_cast<double>(arity), enough);
    });
    const auto n_regressed = static_cast<double>(family.parents.size() - arities.size());
    const double r = is_continuous(family.child) ? n_regressed + 3.0 : static_cast<double>(arities_[family.child]);
    return {r, q, family.parents.size()};
}

double ConditionalGaussianEngine::penalty(const Family &family) const { return score_.penalty(shape(family)); }

double ConditionalGaussianEngine::least_penalty(const Family &family, std::size_t most_parents) const {
    return score_.least_penalty(shape(family), most_parents);
}

double ConditionalGaussianEngine::score_of(const Family &family, std::int64_t gain) const {
    const double likelihood =
        own_[place_[family.child]].log_likelihood + static_cast<double>(gain) * numbers_.nats_per_unit;
    return likelihood - penalty(family);
}

ConditionalGaussianEngine::Average ConditionalGaussianEngine::average_of(const Family &family) const {
    const Variable child = place_[family.child];
    const RowGroups all = rows_of(family);
    const Spread spread =
        all.size() == 0 ? Spread{} : GroupRegressions(numbers_, {}, child, {}).spread(all[0]); // of the same rows
    const auto n = static_cast<std::uint64_t>(spread.n);
    std::int64_t gain = 0;
    if (n > 0) {
        gain =
            *GroupRegressions(numbers_, places(family.parents, true), child, spread).gain(groups_of(family), nullptr);
    }
    const Averaging &averaging = averaging_[child];
    if (n == averaging.whole) {
        return {score_of(family, gain), n};
    }
    const FamilyShape its = shape(family);
    return {averaging.score(n, static_cast<double>(gain) * numbers_.nats_per_unit, score_.penalty(its),
                            its.q * (its.r - 1.0)),
            n};
}

double ConditionalGaussianEngine::score(const Family &family) const {
    if (is_continuous(family.child) && has_gaps()) {
        return average_of(family).score;
    }
    if (is_continuous(family.child)) {
        return score_of(family, *regressions_of(family).gain(groups_of(family), nullptr));
    }
    return is_counted(family) ? counting_->score({place_[family.child], places(family.parents, false)}) : -infinity;
}

bool ConditionalGaussianEngine::additions(const Family &family, std::span<const Variable> candidates,
                                          std::span<double> scores, const Bounds *bounds, const Budget *budget) const {
    std::ranges::fill(scores, std::numeric_limits<double>::quiet_NaN());
    if (!is_continuous(family.child)) {
        return counted_additions(family, candidates, scores, bounds, budget);
    }
    if (has_gaps()) {
        return averaged_additions(family, candidates, scores, bounds, budget);
    }
    const bool is_complete = regressed_additions(family, candidates, scores, budget);
    for (std::size_t i = 0; bounds != nullptr && i < candidates.size(); ++i) {
        const std::vector<Variable> parents = with_one_more(family.parents, candidates[i]);
        bounds->values[i] = score_.superset_bound(shape({family.child, parents}), {}, bounds->supersets);
    }
    return is_complete;
}

bool ConditionalGaussianEngine::counted_additions(const Family &family, std::span<const Variable> candidates,
                                                  std::span<double> scores, const Bounds *bounds,
                                                  const Budget *budget) const {
    std::vector<std::size_t> chosen;
    std::vector<Variable> counted;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!is_continuous(candidates[i]) && is_counted(family)) {
            chosen.push_back(i);
            counted.push_back(place_[candidates[i]]);
            continue;
        }
        scores[i] = -infinity;
        if (bounds != nullptr) {
            bounds->values[i] = -infinity;
        }
    }
    if (counted.empty()) {
        return true;
    }
    std::vector<double> its_scores(counted.size());
    std::vector<double> its_bounds(bounds == nullptr ? 0 : counted.size());
    const std::optional<Bounds> wanted =
        bounds == nullptr ? std::nullopt : std::optional(Bounds{bounds->supersets, its_bounds});
    const std::vector<Variable> parents = places(family.parents, false);
    const bool is_complete =
        counting_->additions({place_[family.child], parents}, counted, its_scores, wanted ? &*wanted : nullptr, budget);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        scores[chosen[i]] = its_scores[i];
        if (bounds != nullptr) {
            bounds->values[chosen[i]] = its_bounds[i];
        }
    }
    return is_complete;
}

bool ConditionalGaussianEngine::regressed_additions(const Family &family, std::span<const Variable> candidates,
                                                    std::span<double> scores, const Budget *budget) const {
    if (is_over(budget)) {
        return false;
    }
    const RowGroups groups = groups_of(family);
    GroupRegressions regressions = regressions_of(family);
    const auto take = [&](std::size_t i, std::int64_t gain) {
        scores[i] = score_of({family.child, with_one_more(family.parents, candidates[i])}, gain);
    };
    std::vector<std::size_t> chosen;
    std::vector<Variable> together;
    std::array<std::int64_t, GroupRegressions::most_together> gains{};
    const auto take_together = [&] {
        if (!regressions.gains_with(groups, together, std::span(gains).first(together.size()), budget)) {
            return false;
        }
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            take(chosen[i], gains[i]);
        }
        chosen.clear();
        together.clear();
        return true;
    };
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (is_continuous(candidates[i])) {
            chosen.push_back(i);
            together.push_back(place_[candidates[i]]);
            if (together.size() == gains.size() && !take_together()) {
                return false;
            }
        } else {
            const auto gain = regressions.gain(RowGroups(groups, discrete_, place_[candidates[i]]), budget);
            if (!gain) {
                return false;
            }
            take(i, *gain);
        }
    }
    return take_together();
}

bool ConditionalGaussianEngine::averaged_additions(const Family &family, std::span<const Variable> candidates,
                                                   std::span<double> scores, const Bounds *bounds,
                                                   const Budget *budget) const {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (is_over(budget)) {
            return false;
        }
        const std::vector<Variable> parents = with_one_more(family.parents, candidates[i]);
        const Family more{family.child, parents};
        const Average average = average_of(more);
        scores[i] = average.score;
        if (bounds != nullptr) { // larger families have no more rows, and no fewer parameters
            const FamilyShape its = shape(more);
            const double penalty = score_.least_penalty(its, bounds->supersets.most_parents);
            bounds->values[i] = bounds->supersets.most_likelihood -
                                averaging_[place_[family.child]].price(average.n, penalty, its.q * (its.r - 1.0));
        }
    }
    return true;
}

bool ConditionalGaussianEngine::improvements(std::span<const Family> batch, std::span<Improvements> answers, Team &team,
                                             const Budget *budget) const {
    // Those of discrete children with the planes of all candidates, the others one family after the other.
    std::vector<std::size_t> counted;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        (is_counted(batch[i]) ? counted : others).push_back(i);
    }
    std::vector<std::vector<Variable>> parents;
    std::vector<Family> families;
    for (const std::size_t i : counted) {
        parents.push_back(places(batch[i].parents, false));
        families.push_back({place_[batch[i].child], parents.back()});
    }
    std::vector<Improvements> found(counted.size());
    bool is_complete = families.empty() || counting_->improvements(families, found, team, budget);
    for (std::size_t i = 0; i < counted.size(); ++i) {
        for (Variable &variable : found[i].variables) {
            variable = discrete_variables_[variable];
        }
        answers[counted[i]] = std::move(found[i]);
    }
    families.clear();
    for (const std::size_t i : others) {
        families.push_back(batch[i]);
    }
    found.assign(others.size(), {});
    is_complete = ScoreEngine::improvements(families, found, team, budget) && is_complete;
    for (std::size_t i = 0; i < others.size(); ++i) {
        answers[others[i]] = std::move(found[i]);
    }
    return is_complete;
}

void ConditionalGaussianEngine::removals(const Family &family, std::span<const std::size_t> chosen,
                                         std::span<double> scores) const {
    std::vector<std::size_t> regressed; // of the chosen
    std::vector<std::size_t> columns;   // their places among the continuous parents
    const std::vector<Variable> continuous = places(family.parents, true);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const Variable parent = family.parents[chosen[i]];
        if (is_continuous(family.child) && is_continuous(parent) && !has_gaps()) {
            regressed.push_back(i);
            const auto at = std::ranges::lower_bound(continuous, place_[parent]);
            columns.push_back(static_cast<std::size_t>(at - continuous.begin()));
        } else {
            scores[i] = score({family.child, without_one(family.parents, chosen[i])});
        }
    }
    if (regressed.empty()) {
        return;
    }
    const std::vector<std::int64_t> gains = regressions_of(family).gains_without(groups_of(family), columns);
    for (std::size_t i = 0; i < regressed.size(); ++i) {
        scores[regressed[i]] = score_of({family.child, without_one(family.parents, chosen[regressed[i]])}, gains[i]);
    }
}

Supersets ConditionalGaussianEngine::supersets(const Family &least, std::span<const Variable> candidates,
                                               std::size_t most_parents, const Budget &budget) const {
    if (is_counted(least)) {
        return counting_->supersets({place_[least.child], places(least.parents, false)}, places(candidates, false),
                                    most_parents, budget);
    }
    if (!is_continuous(least.child)) {
        return {0.0, most_parents}; // all of them are −∞
    }
    if (has_gaps()) {
        const Averaging &averaging = averaging_[place_[least.child]];
        return {averaging.own - 0.5 * averaging.total * std::log(redundant_part) + rounding_, most_parents};
    }
    const Own &own = own_[place_[least.child]];
    return {own.log_likelihood - 0.5 * own.spread.n * std::log(redundant_part) + rounding_, most_parents};
}

} // namespace arcwise
