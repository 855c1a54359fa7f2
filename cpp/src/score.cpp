#include "arcwise/score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace arcwise {

ScoreKind score_kind(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, ScoreKind>, 9> kinds{{
        {"loglik", ScoreKind::loglik},
        {"aic", ScoreKind::aic},
        {"hqc", ScoreKind::hqc},
        {"bic", ScoreKind::bic},
        {"bdeu", ScoreKind::bdeu},
        {"bds", ScoreKind::bds},
        {"k2", ScoreKind::k2},
        {"fnml", ScoreKind::fnml},
        {"qnml", ScoreKind::qnml},
    }};
    for (const auto &[known, kind] : kinds) {
        if (name == known) {
            return kind;
        }
    }
    throw std::invalid_argument("unknown score '" + std::string(name) + "'");
}

namespace {

double entropy(double n) { return n > 0.0 ? n * std::log(n) : 0.0; }

double gamma_ratio(double n, double alpha) { return n > 0.0 ? log_gamma(n + alpha) - log_gamma(alpha) : 0.0; }

// The finest unit, a power of two, in which every sum of terms fits 62 bits. An observation adds at most ln N to a
// likelihood, and at most ln Γ(x + 1) − ln Γ(x), for the smallest or the largest x that there is, to a Dirichlet score.
// The unit is smaller than the rounding of doubles as large as N ln N.
double finest_unit(std::size_t n_observations) {
    constexpr double of_extremes = 1500.0;
    const auto n = static_cast<double>(n_observations);
    const double most = (n + 1.0) * (std::log(n + 1.0) + of_extremes);
    return std::exp2(std::ceil(std::log2(most) - 62.0));
}

} // namespace

Score::Score(ScoreKind kind, double ess, std::size_t n_observations)
    : kind_(kind), ess_(ess), n_observations_(n_observations), nats_per_unit_(finest_unit(n_observations)),
      entropy_(n_observations, entropy, nullptr, 1.0 / nats_per_unit_),
      minus_entropy_(n_observations, [](double n) { return -entropy(n); }, nullptr, 1.0 / nats_per_unit_) {}

ScoreTerms Score::terms(std::size_t r, double q, std::size_t q_observed) const {
    const auto states = static_cast<double>(r);
    // $\ell = \sum_{jk} n_{jk} \ln \frac{n_{jk}}{n_j} = \sum_{jk} n_{jk} \ln n_{jk} - \sum_j n_j \ln n_j$
    const auto likelihood = [this](double constant) { return ScoreTerms{&entropy_, &minus_entropy_, constant}; };
    // $\sum_j \Big[ \ln\frac{\Gamma(\alpha_j)}{\Gamma(\alpha_j + n_j)}
    //   + \sum_k \ln\frac{\Gamma(\alpha_{jk} + n_{jk})}{\Gamma(\alpha_{jk})} \Big]$
    const auto dirichlet = [&](double alpha_jk, double alpha_j, double spread) {
        return ScoreTerms{table(Function::gamma_ratio, alpha_jk, spread * states),
                          table(Function::minus_gamma_ratio, alpha_j, spread), 0.0};
    };
    switch (kind_) {
    case ScoreKind::loglik:
        return likelihood(0.0);
    case ScoreKind::aic: // $\ell - q (r - 1)$
    case ScoreKind::hqc: // $\ell - \ln \ln N \; q (r - 1)$, without a penalty below N = 3
    case ScoreKind::bic: // $\ell - \frac{\ln N}{2} q (r - 1)$
        return likelihood(-penalty(states, q));
    case ScoreKind::bdeu: // $\alpha_{jk} = \frac{\alpha}{q r}$
        return dirichlet(ess_ / (q * states), ess_ / q, q);
    case ScoreKind::bds: { // $\alpha_{jk} = \frac{\alpha}{\tilde q r}$ where $n_j > 0$, and 0 elsewhere
        const auto observed = static_cast<double>(q_observed);
        return dirichlet(ess_ / (observed * states), ess_ / observed, observed);
    }
    case ScoreKind::k2: // $\alpha_{jk} = 1$
        return dirichlet(1.0, states, 1.0);
    case ScoreKind::fnml: // $\ell - \sum_j \ln C(n_j, r)$
        return {&entropy_, table(Function::fnml_row, states, 1.0), 0.0};
    case ScoreKind::qnml: // $\ell - \ln C(N, q r) + \ln C(N, q)$
        return likelihood(-penalty(states, q));
    }
    throw std::logic_error("score kind without terms");
}

double Score::penalty(double r, double q) const {
    switch (kind_) {
    case ScoreKind::aic:
        return q * (r - 1.0);
    case ScoreKind::hqc:
        // ln ln N is negative for two observations and −∞ for one: a reward for parameters, or 0 · −∞ where r = 1.
        return n_observations_ < 3 ? 0.0 : std::log(std::log(static_cast<double>(n_observations_))) * q * (r - 1.0);
    case ScoreKind::bic:
        return 0.5 * std::log(static_cast<double>(n_observations_)) * q * (r - 1.0);
    case ScoreKind::qnml:
        return regret(q * r) - regret(q);
    case ScoreKind::loglik:
    case ScoreKind::bdeu:
    case ScoreKind::bds:
    case ScoreKind::k2:
    case ScoreKind::fnml:
        return 0.0;
    }
    throw std::logic_error("score kind without penalty");
}

const ScoreTable &Score::set_terms(double q) const {
    return kind_ == ScoreKind::bdeu ? *table(Function::gamma_ratio, ess_ / q, q) : entropy_;
}

double Score::superset_bound(std::size_t r, double q, std::size_t q_observed, std::size_t cells_observed,
                             double most_likelihood) const {
    const auto states = static_cast<double>(r);
    switch (kind_) {
    case ScoreKind::loglik:
    case ScoreKind::qnml: // its penalty is not negative
        return most_likelihood;
    // The likelihood cannot grow beyond that with all parents, and the penalty only grows (de Campos & Ji 2011, JMLR
    // 12).
    case ScoreKind::aic:
    case ScoreKind::hqc:
    case ScoreKind::bic:
        return most_likelihood - penalty(states, q);
    // Taken one observation at a time, the marginal likelihood is a product of predictive probabilities. The first
    // observation of a state in its configuration has α_jk / (α_j + m) ≤ 1 / r, where m came before it; more parents
    // split configurations, so that there are never fewer such first observations. De Campos & Ji (2011) count the
    // configurations; counting cells is tighter. Correia, Cussens & de Campos (2020, AISTATS) tighten the same bound;
    // this one was derived here and has not been compared with theirs.
    case ScoreKind::bdeu:
    case ScoreKind::bds:
    case ScoreKind::k2:
        return std::min(most_likelihood, -static_cast<double>(cells_observed) * std::log(states));
    case ScoreKind::fnml: // every configuration that occurs costs ln C(n_j, r) ≥ ln C(1, r) = ln r
        return most_likelihood - static_cast<double>(q_observed) * std::log(states);
    }
    return most_likelihood;
}

bool Score::bound_needs_counts() const noexcept {
    return kind_ == ScoreKind::bdeu || kind_ == ScoreKind::bds || kind_ == ScoreKind::k2 || kind_ == ScoreKind::fnml;
}

const ScoreTable *Score::table(Function function, double parameter, double spread) const {
    // Over many configurations the counts are small, and there may be as many tables as configurations: the wider the
    // spread, the shorter the table, so that all of them together stay within some tens of megabytes. The length is
    // part of the key: beyond it values are rounded differently, and a score must not depend on what was scored before.
    const auto observations = static_cast<double>(n_observations_);
    const auto entries = static_cast<std::size_t>(std::min(observations, 256.0 + 64.0 * observations / spread));
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<ScoreTable> &slot = tables_[{function, parameter, entries}];
    if (slot) {
        return slot.get();
    }
    ScoreTable::Function value;
    ScoreTable::Function step;
    auto filling = ScoreTable::Filling::upwards;
    const double sign = function == Function::minus_gamma_ratio ? -1.0 : 1.0;
    if (function == Function::fnml_row) {
        value = [parameter](double n) { return -entropy(n) - log_multinomial_regret(n, parameter); };
        filling = ScoreTable::Filling::on_demand; // microseconds each, and milliseconds for a child of many states
    } else {                                      // Γ(n + 1 + α) = (n + α) Γ(n + α)
        value = [sign, parameter](double n) { return sign * gamma_ratio(n, parameter); };
        step = [sign, parameter](double n) { return sign * std::log(n + parameter); };
    }
    slot = std::make_unique<ScoreTable>(entries, std::move(value), std::move(step), 1.0 / nats_per_unit_, filling);
    return slot.get();
}

double Score::regret(double outcomes) const {
    const std::scoped_lock lock(mutex_);
    const auto [found, is_new] = regrets_.try_emplace(outcomes, 0.0);
    if (is_new) {
        found->second = log_multinomial_regret(static_cast<double>(n_observations_), outcomes);
    }
    return found->second;
}

namespace {

// Sums may go beyond 64 bits on the way, and come back.
inline std::uint64_t bits(std::int64_t number) { return static_cast<std::uint64_t>(number); }

inline std::int64_t sum_over_rows(const std::uint32_t *counts, std::size_t n_rows, std::size_t r,
                                  ScoreTable::Values cell, ScoreTable::Values row) {
    std::uint64_t sum = 0;
    for (std::size_t j = 0; j < n_rows; ++j, counts += r) {
        std::uint32_t n_j = 0;
        for (std::size_t k = 0; k < r; ++k) {
            sum += bits(cell(counts[k]));
            n_j += counts[k];
        }
        sum += bits(row(n_j));
    }
    return static_cast<std::int64_t>(sum);
}

} // namespace

std::int64_t sum_of_terms(std::span<const std::uint32_t> counts, std::size_t r, std::uint32_t largest,
                          const ScoreTerms &terms) {
    const std::size_t n_rows = counts.size() / r;
    const ScoreTable::Values cell = terms.cell->up_to(largest);
    const ScoreTable::Values row = terms.row->up_to(largest);
    if (r == 2) { // so common that the loop over the states should vanish
        return sum_over_rows(counts.data(), n_rows, 2, cell, row);
    }
    return sum_over_rows(counts.data(), n_rows, r, cell, row);
}

} // namespace arcwise
