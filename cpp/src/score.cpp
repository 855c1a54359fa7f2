#include "arcwise/score.hpp"

#include "arcwise/log_choices.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>

namespace arcwise {

double configurations(std::span<const std::uint32_t> arities, std::span<const Variable> variables,
                      std::size_t states_of_one_more) {
    constexpr double most_exact = 0x1p53;   // products up to here are not rounded, in whatever order they are made
    static constexpr double enough = 1e300; // a thousand binary parents: keeps q r and its inverse finite
    auto q = static_cast<double>(states_of_one_more);
    for (const Variable variable : variables) {
        q *= static_cast<double>(arities[variable]);
    }
    if (q <= most_exact) {
        return q;
    }
    std::vector<std::size_t> all{states_of_one_more};
    for (const Variable variable : variables) {
        all.push_back(arities[variable]);
    }
    std::sort(all.begin(), all.end());
    return std::accumulate(all.begin(), all.end(), 1.0, [](double product, std::size_t arity) {
        return std::min(product * static_cast<double>(arity), enough);
    });
}

namespace {

// What a rule is made from.
struct Setting {
    const TermTables &tables;
    double parameter;
    std::size_t n_variables;

    [[nodiscard]] double n_observations() const noexcept { return static_cast<double>(tables.n_observations()); }
};

// The log-likelihood minus a penalty that depends on the shape alone.
// $\ell = \sum_{jk} n_{jk} \ln \frac{n_{jk}}{n_j} = \sum_{jk} n_{jk} \ln n_{jk} - \sum_j n_j \ln n_j$
class PenalisedLikelihood : public ScoreRule {
  public:
    explicit PenalisedLikelihood(const Setting &setting) : tables_(setting.tables) {}

    [[nodiscard]] ScoreTerms terms(const FamilyShape &shape, std::size_t /*q_observed*/) const override {
        return {&tables_.entropy(), &tables_.minus_entropy(), -penalty(shape)};
    }
    // The likelihood cannot grow beyond that with all parents (de Campos & Ji 2011, JMLR 12).
    [[nodiscard]] double superset_bound(const FamilyShape &shape, const Observed & /*observed*/,
                                        const Supersets &supersets) const override {
        return supersets.most_likelihood - least_penalty(shape, supersets.most_parents);
    }
    [[nodiscard]] const ScoreTable *set_terms(double /*q*/) const override { return &tables_.entropy(); }

  private:
    const TermTables &tables_;
};

class LogLikelihood final : public PenalisedLikelihood {
  public:
    using PenalisedLikelihood::PenalisedLikelihood;
};

// $\ell - w \; q (r - 1)$: so much for each parameter, of which a larger family never has fewer.
class PenalisedParameters : public PenalisedLikelihood {
  public:
    PenalisedParameters(const Setting &setting, double weight) : PenalisedLikelihood(setting), weight_(weight) {}

    [[nodiscard]] double penalty(const FamilyShape &shape) const override {
        return weight_ * shape.q * (shape.r - 1.0);
    }

    [[nodiscard]] double least_penalty(const FamilyShape &shape, std::size_t /*most_parents*/) const override {
        return penalty(shape);
    }

  private:
    double weight_;
};

class Aic final : public PenalisedParameters {
  public:
    explicit Aic(const Setting &setting) : PenalisedParameters(setting, 1.0) {}
};

class Hqc final : public PenalisedParameters { // w = ln ln N
  public:
    explicit Hqc(const Setting &setting) : PenalisedParameters(setting, weight(setting.n_observations())) {}

  private:
    // ln ln N is negative for two observations and −∞ for one: a reward for parameters, or 0 · −∞ where r = 1.
    static double weight(double n) { return n < 3.0 ? 0.0 : std::log(std::log(n)); }
};

class Bic final : public PenalisedParameters { // w = ln N / 2
  public:
    explicit Bic(const Setting &setting) : PenalisedParameters(setting, 0.5 * std::log(setting.n_observations())) {}
};

// $\ell - w \; q (r - 1) - \gamma \ln \binom{n - 1}{k}$, for k parents among n − 1 other variables.
class PenalisedChoice : public PenalisedParameters {
  public:
    PenalisedChoice(const Setting &setting, double weight)
        : PenalisedParameters(setting, weight), for_choice_(log_choices(setting.n_variables)) {
        for (double &term : for_choice_) {
            term *= setting.parameter;
        }
    }

    [[nodiscard]] double penalty(const FamilyShape &shape) const override {
        return PenalisedParameters::penalty(shape) + for_choice(shape.n_parents);
    }
    // The number of sets of k parents rises up to k = (n − 1) / 2 and falls from there: between two numbers of parents
    // it is nowhere smaller than at both ends. Without a limit on parents the far end is 0, that of all the others.
    [[nodiscard]] double least_penalty(const FamilyShape &shape, std::size_t most_parents) const override {
        const double for_most = for_choice(std::max(shape.n_parents, most_parents));
        return PenalisedParameters::penalty(shape) + std::min(for_choice(shape.n_parents), for_most);
    }

  private:
    // There are n − 1 others at most, but limits on parents may be higher, and so is the number of parents where one of
    // them is counted twice (parent_search.cpp).
    [[nodiscard]] double for_choice(std::size_t n_parents) const noexcept {
        return for_choice_[std::min(n_parents, for_choice_.size() - 1)];
    }

    std::vector<double> for_choice_; // by the number of parents
};

class Ebic final : public PenalisedChoice { // w = ln N / 2
  public:
    explicit Ebic(const Setting &setting) : PenalisedChoice(setting, 0.5 * std::log(setting.n_observations())) {}
};

class Qnml final : public PenalisedLikelihood { // $\ell - \ln C(N, q r) + \ln C(N, q)$
  public:
    explicit Qnml(const Setting &setting) : PenalisedLikelihood(setting), n_(setting.n_observations()) {}

    [[nodiscard]] double penalty(const FamilyShape &shape) const override {
        return regret(shape.q * shape.r) - regret(shape.q);
    }

  private:
    [[nodiscard]] double regret(double outcomes) const {
        const std::scoped_lock lock(mutex_);
        const auto [found, is_new] = regrets_.try_emplace(outcomes, 0.0);
        if (is_new) {
            found->second = log_multinomial_regret(n_, outcomes);
        }
        return found->second;
    }

    double n_;
    mutable std::mutex mutex_;
    mutable std::map<double, double> regrets_;
};

double gamma_ratio(double n, double alpha) { return n > 0.0 ? log_gamma(n + alpha) - log_gamma(alpha) : 0.0; }

// Γ(n + 1 + α) = (n + α) Γ(n + α)
constexpr TermFunction plus_gamma_ratio{gamma_ratio, [](double n, double alpha) { return std::log(n + alpha); }};
constexpr TermFunction minus_gamma_ratio{[](double n, double alpha) { return -gamma_ratio(n, alpha); },
                                         [](double n, double alpha) { return -std::log(n + alpha); }};

// What a marginal likelihood has less than the likelihood, at least, if no configuration has a larger α than this.
//
// Let a configuration have n observations of s states, n_k of each, and the prior α / r for each state, α / r ≤ 0.41.
// One observation more of a state changes the marginal likelihood by (n_k + α / r) / (n + α), and the likelihood by
// g(n_k) / g(n), where g(x) = (x + 1)^(x + 1) / x^x. The first is not larger, because (x + a) / g(x) rises from x = 1
// on for such a. So the loss is least where each state was observed once: $ -\ln \frac{(\alpha / r)^s}{\alpha (\alpha +
// 1) \cdots (\alpha + s - 1)} - s \ln s
//   = s \ln r + \sum_{i=1}^{s-1} \ln (1 + i / \alpha) - s \ln s $
// For α ≤ 1/3 that is at least s ln r + (s − 1) (ln (1 + 1 / α) − 2 ln 2), and the last factor is not negative. More
// parents split configurations and make α smaller. They leave at least as many cells, each of which costs ln r at
// least; and where rows differ in the child alone, some part of their configuration has two states or more, whatever
// the parents. (Derived here; Correia, Cussens & de Campos 2020, AISTATS, bound the loss in other ways.)
struct Loss {
    double per_cell = 0.0;      // that occurs
    double per_mixed_row = 0.0; // besides, for each configuration in which no parents tell all states apart

    Loss(double alpha, double r) {
        constexpr double most_of_state = 0.41;
        if (alpha / r > most_of_state) {
            return; // the likelihood is a bound, and nothing more is known
        }
        per_cell = std::log(r);
        if (3.0 * alpha <= 1.0) {
            per_mixed_row = std::log((1.0 + 1.0 / alpha) / 4.0);
            return;
        }
        double more = 0.0;
        for (int n_states = 2; n_states <= r; ++n_states) {
            const double s = n_states;
            more += std::log1p((s - 1.0) / alpha);
            per_cell = std::min(per_cell, std::log(r / s) + more / s);
        }
    }
};

// $\sum_j \Big[ \ln\frac{\Gamma(\alpha_j)}{\Gamma(\alpha_j + n_j)}
//   + \sum_k \ln\frac{\Gamma(\alpha_{jk} + n_{jk})}{\Gamma(\alpha_{jk})} \Big]$
class Dirichlet : public ScoreRule {
  public:
    explicit Dirichlet(const Setting &setting) : tables_(setting.tables) {}

    // Taken one observation at a time, the marginal likelihood is a product of predictive probabilities. The first
    // observation of a state in its configuration has α_jk / (α_j + m) ≤ 1 / r, where m came before it; more parents
    // split configurations, so that there are never fewer such first observations. De Campos & Ji (2011, JMLR 12) count
    // the configurations; counting cells is tighter. Where the prior is weak, all of that is lost besides what the
    // likelihood with all candidates lacks (`Loss`).
    [[nodiscard]] double superset_bound(const FamilyShape &shape, const Observed &observed,
                                        const Supersets &supersets) const override {
        const auto cells = static_cast<double>(observed.cells);
        const double of_cells = std::min(supersets.most_likelihood, -cells * std::log(shape.r));
        const Loss loss(largest_prior(shape, observed), shape.r);
        const auto mixed = static_cast<double>(supersets.least_mixed);
        return std::min(of_cells, supersets.most_likelihood - cells * loss.per_cell - mixed * loss.per_mixed_row);
    }
    [[nodiscard]] bool bound_needs_counts() const noexcept override { return true; }

  protected:
    [[nodiscard]] ScoreTerms with_prior(double alpha_jk, double alpha_j, double r, double spread) const {
        return {&rising(alpha_jk, spread * r), &tables_.of(minus_gamma_ratio, alpha_j, spread), 0.0};
    }
    [[nodiscard]] const ScoreTable &rising(double alpha, double spread) const {
        return tables_.of(plus_gamma_ratio, alpha, spread);
    }

    // α_j, than which no family with these parents and more has a larger one.
    [[nodiscard]] virtual double largest_prior(const FamilyShape &shape, const Observed &observed) const = 0;

  private:
    const TermTables &tables_;
};

class Bdeu final : public Dirichlet { // $\alpha_{jk} = \frac{\alpha}{q r}$
  public:
    explicit Bdeu(const Setting &setting) : Dirichlet(setting), ess_(setting.parameter) {}

    [[nodiscard]] ScoreTerms terms(const FamilyShape &shape, std::size_t /*q_observed*/) const override {
        return with_prior(ess_ / (shape.q * shape.r), ess_ / shape.q, shape.r, shape.q);
    }
    [[nodiscard]] const ScoreTable *set_terms(double q) const override { return &rising(ess_ / q, q); }

  protected:
    [[nodiscard]] double largest_prior(const FamilyShape &shape, const Observed & /*observed*/) const override {
        return ess_ / shape.q;
    }

  private:
    double ess_;
};

class Bds final : public Dirichlet { // $\alpha_{jk} = \frac{\alpha}{\tilde q r}$ where $n_j > 0$, and 0 elsewhere
  public:
    explicit Bds(const Setting &setting) : Dirichlet(setting), ess_(setting.parameter) {}

    [[nodiscard]] ScoreTerms terms(const FamilyShape &shape, std::size_t q_observed) const override {
        const auto observed = static_cast<double>(std::max<std::size_t>(1, q_observed)); // no row may count
        return with_prior(ess_ / (observed * shape.r), ess_ / observed, shape.r, observed);
    }
    [[nodiscard]] bool needs_observed_configurations() const noexcept override { return true; }

  protected:
    [[nodiscard]] double largest_prior(const FamilyShape & /*shape*/, const Observed &observed) const override {
        return ess_ / static_cast<double>(std::max<std::size_t>(1, observed.rows));
    }

  private:
    double ess_;
};

class K2 final : public Dirichlet { // $\alpha_{jk} = 1$
  public:
    using Dirichlet::Dirichlet;

    [[nodiscard]] ScoreTerms terms(const FamilyShape &shape, std::size_t /*q_observed*/) const override {
        return with_prior(1.0, shape.r, shape.r, 1.0);
    }

  protected:
    [[nodiscard]] double largest_prior(const FamilyShape &shape, const Observed & /*observed*/) const override {
        return shape.r;
    }
};

class Fnml final : public ScoreRule { // $\ell - \sum_j \ln C(n_j, r)$
  public:
    explicit Fnml(const Setting &setting) : tables_(setting.tables) {}

    [[nodiscard]] ScoreTerms terms(const FamilyShape &shape, std::size_t /*q_observed*/) const override {
        return {&tables_.entropy(), &tables_.of(row, shape.r, 1.0), 0.0};
    }
    // Every configuration that occurs costs ln C(n_j, r) ≥ ln C(1, r) = ln r.
    [[nodiscard]] double superset_bound(const FamilyShape &shape, const Observed &observed,
                                        const Supersets &supersets) const override {
        return supersets.most_likelihood - static_cast<double>(observed.rows) * std::log(shape.r);
    }
    [[nodiscard]] bool bound_needs_counts() const noexcept override { return true; }

  private:
    // Microseconds each, and milliseconds for a child of many states.
    static constexpr TermFunction row{[](double n, double r) { return -entropy(n) - log_multinomial_regret(n, r); },
                                      nullptr, ScoreTable::Filling::on_demand};

    const TermTables &tables_;
};

struct Entry {
    std::string_view name;
    ScoreKind kind;
    std::unique_ptr<const ScoreRule> (*make)(const Setting &);
};

template <class Rule> std::unique_ptr<const ScoreRule> make(const Setting &setting) {
    return std::make_unique<Rule>(setting);
}

constexpr Entry entries[] = {
    {"loglik", ScoreKind::loglik, make<LogLikelihood>},
    {"aic", ScoreKind::aic, make<Aic>},
    {"hqc", ScoreKind::hqc, make<Hqc>},
    {"bic", ScoreKind::bic, make<Bic>},
    {"ebic", ScoreKind::ebic, make<Ebic>},
    {"bdeu", ScoreKind::bdeu, make<Bdeu>},
    {"bds", ScoreKind::bds, make<Bds>},
    {"k2", ScoreKind::k2, make<K2>},
    {"fnml", ScoreKind::fnml, make<Fnml>},
    {"qnml", ScoreKind::qnml, make<Qnml>},
};

const Entry &entry(ScoreKind kind) {
    const auto *const found = std::ranges::find(entries, kind, &Entry::kind);
    if (found == std::end(entries)) {
        throw std::logic_error("score kind without a rule");
    }
    return *found;
}

} // namespace

ScoreKind score_kind(std::string_view name) {
    const auto *const found = std::ranges::find(entries, name, &Entry::name);
    if (found == std::end(entries)) {
        throw std::invalid_argument("unknown score '" + std::string(name) + "'");
    }
    return found->kind;
}

std::vector<ScoreKind> score_kinds() {
    std::vector<ScoreKind> kinds;
    std::ranges::transform(entries, std::back_inserter(kinds), &Entry::kind);
    return kinds;
}

Score::Score(ScoreKind kind, double parameter, std::size_t n_observations, std::size_t n_variables)
    : tables_(n_observations), rule_(entry(kind).make({tables_, parameter, n_variables})) {}

double Score::of_counts(std::span<const std::uint32_t> counts, std::size_t r, const FamilyShape &shape) const {
    std::size_t q_observed = 0;
    std::uint32_t largest = 0;
    for (std::size_t row = 0; row < counts.size(); row += r) {
        const auto states = counts.subspan(row, r);
        const std::uint32_t n_j = std::accumulate(states.begin(), states.end(), std::uint32_t{0});
        q_observed += n_j > 0;
        largest = std::max(largest, n_j);
    }
    const ScoreTerms its = terms(shape, q_observed);
    return its.constant + nats(sum_of_terms(counts, r, largest, its));
}

Score::Score(const Penalties &penalties, std::size_t n_observations)
    : tables_(n_observations),
      rule_(std::make_unique<PenalisedChoice>(Setting{tables_, penalties.gamma, penalties.n_variables},
                                              penalties.per_parameter)) {}

} // namespace arcwise
