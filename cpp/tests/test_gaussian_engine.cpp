#include "arcwise/gaussian_engine.hpp"

#include "arcwise/class_search.hpp"
#include "arcwise/hill_climb.hpp"
#include "arcwise/order_growth.hpp"
#include "arcwise/order_regrowth.hpp"
#include "arcwise/random.hpp"
#include "arcwise/subset_lattice.hpp"

#include "rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace arcwise;
using testing::Rules;

namespace {

constexpr std::size_t plenty = 1 << 22;
constexpr std::size_t unlimited = std::size_t{1} << 40;

// Columns that depend on earlier ones, as the Gram matrix of their standardised values.
struct RandomGram {
    std::vector<std::uint32_t> widths;
    std::size_t n_rows;
    std::size_t p;
    std::vector<double> columns; // column by column, standardised; 0 where constant
    std::vector<double> matrix;

    RandomGram(std::size_t rows, std::vector<std::uint32_t> its_widths, std::uint64_t seed)
        : widths(std::move(its_widths)), n_rows(rows), p(std::accumulate(widths.begin(), widths.end(), std::size_t{0})),
          columns(rows * p) {
        Random random(seed);
        for (std::size_t i = 0; i < p; ++i) {
            const std::size_t of = i == 0 ? 0 : random.below(i);
            for (std::size_t row = 0; row < rows; ++row) {
                double noise = -6.0; // nearly normal
                for (int k = 0; k < 12; ++k) {
                    noise += static_cast<double>(random.below(1 << 20)) / (1 << 20);
                }
                columns[i * rows + row] = noise + (i == 0 ? 0.0 : columns[of * rows + row]);
            }
            standardise(i);
        }
        multiply();
    }

    // Column i becomes constant, or a sum of others.
    void replace(std::size_t i, const std::vector<std::size_t> &others) {
        for (std::size_t row = 0; row < n_rows; ++row) {
            columns[i * n_rows + row] = 0.0;
            for (const std::size_t other : others) {
                columns[i * n_rows + row] += columns[other * n_rows + row];
            }
        }
        standardise(i);
        multiply();
    }

    [[nodiscard]] GaussianData data() const {
        return {matrix, widths, std::vector<double>(widths.size(), 0.25), static_cast<double>(n_rows)};
    }

    // With that of the prior of the Bayesian score, t = 0.5.
    [[nodiscard]] std::vector<double> with_prior() const {
        std::vector<double> r = matrix;
        for (std::size_t i = 0; i < p; ++i) {
            r[i * p + i] += 0.5;
        }
        return r;
    }

  private:
    void standardise(std::size_t i) {
        double *column = columns.data() + i * n_rows;
        const double mean = std::accumulate(column, column + n_rows, 0.0) / static_cast<double>(n_rows);
        double squares = 0.0;
        for (std::size_t row = 0; row < n_rows; ++row) {
            column[row] -= mean;
            squares += column[row] * column[row];
        }
        const double deviation = std::sqrt(squares / static_cast<double>(n_rows));
        for (std::size_t row = 0; row < n_rows && deviation > 0.0; ++row) {
            column[row] /= deviation;
        }
    }

    void multiply() {
        matrix.assign(p * p, 0.0);
        for (std::size_t i = 0; i < p; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                matrix[i * p + j] = matrix[j * p + i] =
                    std::inner_product(columns.begin() + static_cast<std::ptrdiff_t>(i * n_rows),
                                       columns.begin() + static_cast<std::ptrdiff_t>((i + 1) * n_rows),
                                       columns.begin() + static_cast<std::ptrdiff_t>(j * n_rows), 0.0);
            }
        }
    }
};

constexpr PenalisedGaussian bic_of_400{0.5 * 5.991464547107982};

std::vector<const GaussianKernels *> all_kernels() {
    std::vector<const GaussianKernels *> found;
    for (const char *name : {"plain", "avx2", "avx512"}) {
        try {
            found.push_back(&gaussian_kernels(name));
        } catch (const std::invalid_argument &) { // this machine does not have them
        }
    }
    return found;
}

std::vector<Variable> random_parents(std::size_t n, Variable child, std::size_t most, Random &random) {
    std::vector<Variable> parents;
    for (std::size_t i = random.below(most + 1); i > 0; --i) {
        const auto parent = static_cast<Variable>(random.below(n));
        if (parent != child && std::ranges::find(parents, parent) == parents.end()) {
            parents.push_back(parent);
        }
    }
    return parents;
}

std::vector<Variable> others(std::size_t n, Variable child, const std::vector<Variable> &parents) {
    std::vector<Variable> found;
    for (Variable v = 0; v < n; ++v) {
        if (v != child && std::ranges::find(parents, v) == parents.end()) {
            found.push_back(v);
        }
    }
    return found;
}

// Additions and removals are the scores of their families, to the last bit.
void check_bits(const GaussianEngine &engine, std::uint64_t seed) {
    Random random(seed);
    const std::size_t n = engine.n_variables();
    for (int i = 0; i < 60; ++i) {
        const auto child = static_cast<Variable>(random.below(n));
        std::vector<Variable> parents = random_parents(n, child, 6, random);
        std::vector<Variable> candidates = others(n, child, parents);
        if (i % 2 == 1) { // some of them, in another order
            std::ranges::reverse(candidates);
            candidates.resize(1 + random.below(candidates.size()));
        }
        std::vector<double> scores(candidates.size());
        CHECK(engine.additions({child, parents}, candidates, scores, nullptr, nullptr));
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            const double alone = engine.score({child, with_one_more(parents, candidates[k])});
            CHECK(std::isfinite(alone));
            CHECK(scores[k] == alone);
        }
        std::vector<std::size_t> chosen(parents.size());
        std::iota(chosen.begin(), chosen.end(), std::size_t{0});
        std::ranges::reverse(chosen);
        scores.resize(chosen.size());
        engine.removals({child, parents}, chosen, scores);
        for (std::size_t k = 0; k < chosen.size(); ++k) {
            CHECK(scores[k] == engine.score({child, without_one(parents, chosen[k])}));
        }
        const double own = engine.score({child, parents});
        std::ranges::reverse(parents);
        CHECK(engine.score({child, parents}) == own);
    }
}

// No family of these parents and more, up to so many, scores more than its bound.
void check_bounds(const GaussianEngine &engine, Variable child, std::size_t most_parents) {
    const std::vector<Variable> all = others(engine.n_variables(), child, {});
    const Supersets known = engine.supersets({child, {}}, all, most_parents, Budget());
    std::vector<double> bound_of(std::size_t{1} << all.size(), std::numeric_limits<double>::infinity());
    for (std::size_t set = 0; set < bound_of.size(); ++set) { // subsets come before their supersets
        std::vector<Variable> parents;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if ((set >> i & 1) != 0) {
                parents.push_back(all[i]);
                bound_of[set] = std::min(bound_of[set], bound_of[set & ~(std::size_t{1} << i)]);
            }
        }
        if (parents.size() > most_parents) {
            continue;
        }
        const double own = engine.score({child, parents});
        CHECK(own <= known.most_likelihood + known.most_added);
        CHECK(own <= bound_of[set]);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if ((set >> i & 1) == 0) {
                double score = 0.0;
                double bound = 0.0;
                const Bounds bounds{known, {&bound, 1}};
                CHECK(engine.additions({child, parents}, {&all[i], 1}, {&score, 1}, &bounds, nullptr));
                double &least = bound_of[set | std::size_t{1} << i];
                least = std::min(least, bound);
            }
        }
    }
}

} // namespace

TEST_CASE("a continuous score of two columns by hand") {
    // x = (1, -1, 1, -1), y = (1, -1, -1, 1) and z = (x + y) / √2, as unit columns.
    const double r = 4.0 / std::numbers::sqrt2;
    const std::vector<double> gram{4, 0, r, 0, 4, r, r, r, 4};
    const GaussianData data{gram, {1, 1, 1}, {std::log(2.0), 0.0, 0.0}, 4.0};
    const GaussianEngine engine(data, PenalisedGaussian{0.5}, gaussian_kernels());
    const double of_one = -2.0 * (1.0 + std::log(2.0 * std::numbers::pi));
    CHECK(engine.score({0, {}}) == doctest::Approx(of_one - 4.0 * std::log(2.0) - 0.5 * 2).epsilon(1e-14));
    const std::vector<Variable> z{2};
    // r² = 1/2
    CHECK(engine.score({1, z}) == doctest::Approx(of_one - 2.0 * std::log(0.5) - 0.5 * 3).epsilon(1e-14));
    // z is determined by both: its residual is taken for 1e-12 of its variance.
    const std::vector<Variable> both{0, 1};
    CHECK(engine.score({2, both}) == doctest::Approx(of_one - 2.0 * std::log(1e-12) - 0.5 * 4).epsilon(1e-14));
}

TEST_CASE("continuous additions and removals have the bits of their families with every instruction set") {
    const RandomGram ones(400, std::vector<std::uint32_t>(45, 1), 1);
    const RandomGram blocks(400, {1, 3, 1, 0, 2, 1, 1, 1, 5, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1}, 2);
    const std::vector<double> r = ones.with_prior();
    GaussianData bayesian = ones.data();
    bayesian.gram = r;
    for (const GaussianKernels *kernels : all_kernels()) {
        const GaussianEngine bic(ones.data(), bic_of_400, *kernels);
        check_bits(bic, 3);
        check_bits(GaussianEngine(blocks.data(), PenalisedGaussian{1.0, 0.5}, *kernels), 4);
        const GaussianEngine bge(bayesian, BayesianGaussian{1.0, 47.0}, *kernels);
        check_bits(bge, 5);
        // And those of the plain instructions.
        const GaussianEngine plain(ones.data(), bic_of_400, gaussian_kernels("plain"));
        const GaussianEngine plain_bge(bayesian, BayesianGaussian{1.0, 47.0}, gaussian_kernels("plain"));
        Random random(6);
        for (int i = 0; i < 50; ++i) {
            const auto child = static_cast<Variable>(random.below(45));
            const std::vector<Variable> parents = random_parents(45, child, 8, random);
            const std::vector<Variable> candidates = others(45, child, parents);
            std::vector<double> a(candidates.size());
            std::vector<double> b(candidates.size());
            CHECK(bic.additions({child, parents}, candidates, a, nullptr, nullptr));
            CHECK(plain.additions({child, parents}, candidates, b, nullptr, nullptr));
            CHECK(a == b);
            CHECK(bge.additions({child, parents}, candidates, a, nullptr, nullptr));
            CHECK(plain_bge.additions({child, parents}, candidates, b, nullptr, nullptr));
            CHECK(a == b);
        }
    }
}

TEST_CASE("rough scores of continuous families are those scores but for rounding") {
    RandomGram ones(400, std::vector<std::uint32_t>(45, 1), 21);
    ones.replace(7, {});      // a constant
    ones.replace(9, {3, 20}); // says nothing beside these
    const RandomGram blocks(400, {1, 3, 1, 0, 2, 1, 1, 1, 5, 1}, 22);
    const std::vector<double> r = ones.with_prior();
    GaussianData bayesian = ones.data();
    bayesian.gram = r;
    const GaussianEngine bic(ones.data(), bic_of_400, gaussian_kernels());
    const GaussianEngine bge(bayesian, BayesianGaussian{1.0, 47.0}, gaussian_kernels());
    const GaussianEngine dg(blocks.data(), bic_of_400, gaussian_kernels());
    for (const GaussianEngine *engine : {&bic, &bge, &dg}) {
        Random random(23);
        for (int i = 0; i < 100; ++i) {
            const std::size_t n = engine->n_variables();
            const auto child = static_cast<Variable>(random.below(n));
            std::vector<Variable> parents = random_parents(n, child, 7, random);
            std::ranges::sort(parents);
            const std::vector<Variable> candidates = others(n, child, parents);
            std::vector<double> exact(candidates.size());
            std::vector<double> rough(candidates.size());
            CHECK(engine->additions({child, parents}, candidates, exact, nullptr, nullptr));
            CHECK(engine->rough_additions({child, parents}, candidates, rough, nullptr));
            for (std::size_t k = 0; k < candidates.size(); ++k) {
                // A child that is determined by its parents has a residual of rounding.
                if (child != 9 && child != 3 && child != 20) {
                    CHECK(rough[k] == doctest::Approx(exact[k]).epsilon(1e-9));
                }
            }
            std::vector<std::size_t> all(parents.size());
            std::iota(all.begin(), all.end(), std::size_t{0});
            exact.resize(all.size());
            rough.resize(all.size());
            engine->removals({child, parents}, all, exact);
            engine->rough_removals({child, parents}, all, rough);
            const bool has_collinear = std::ranges::count_if(parents, [](Variable v) { return v == 9; }) > 0;
            for (std::size_t k = 0; k < all.size(); ++k) {
                if (!has_collinear && child != 9 && child != 3 && child != 20) {
                    CHECK(rough[k] == doctest::Approx(exact[k]).epsilon(1e-9));
                }
            }
        }
    }
}

TEST_CASE("constant and collinear columns gain nothing and are finite") {
    RandomGram gram(400, {1, 1, 1, 1, 1, 0, 1, 2, 1}, 7);
    gram.replace(3, {});     // a constant
    gram.replace(4, {0, 1}); // a sum
    gram.replace(5, {0});    // a copy; the column of variable 6
    gram.replace(7, {6});    // within a block
    const GaussianEngine engine(gram.data(), bic_of_400, gaussian_kernels());
    check_bits(engine, 8);
    const std::vector<Variable> sum{4};
    const std::vector<Variable> parts{0, 1};
    const std::vector<Variable> constant{3};
    const std::vector<Variable> nothing{5};
    for (Variable child = 0; child < 9; ++child) {
        const double own = engine.score({child, {}});
        CHECK((child == 3 || child == 5 || engine.score({child, constant}) < own));
        CHECK((child == 5 || engine.score({child, nothing}) == own));
    }
    // A constant child gains by nobody.
    for (const Variable parent : others(9, 3, {})) {
        CHECK(engine.score({3, {&parent, 1}}) <= engine.score({3, {}}));
    }
    // One more than those that determine it.
    const double determined = engine.score({4, parts});
    for (const Variable more : others(9, 4, parts)) {
        CHECK(engine.score({4, with_one_more(parts, more)}) <= determined);
    }
    // Copies as parents are worth one of them.
    const std::vector<Variable> one{0};
    const std::vector<Variable> two{0, 6};
    CHECK(engine.score({2, two}) == doctest::Approx(engine.score({2, one}) - bic_of_400.per_parameter).epsilon(1e-12));
}

TEST_CASE("continuous families of more columns than there are lanes for") {
    const RandomGram gram(350, {1, 150, 1, 120, 1, 1, 2}, 18);
    const GaussianEngine engine(gram.data(), bic_of_400, gaussian_kernels());
    const std::vector<Variable> parents{3, 1};
    const std::vector<Variable> candidates{2, 4, 5, 6};
    std::vector<double> scores(4);
    CHECK(engine.additions({0, parents}, candidates, scores, nullptr, nullptr));
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(std::isfinite(scores[i]));
        CHECK(scores[i] == engine.score({0, with_one_more(parents, candidates[i])}));
    }
    Budget spent(Budget::no_time_limit, 0);
    CHECK(!engine.additions({0, parents}, candidates, scores, nullptr, &spent));
    CHECK(std::isnan(scores[3]));
}

TEST_CASE("bounds on larger families of continuous variables") {
    RandomGram gram(60, {1, 1, 2, 1, 1, 1, 1, 1}, 9);
    for (const double gamma : {0.0, 1.0}) {
        const GaussianEngine engine(gram.data(), PenalisedGaussian{0.7, gamma}, gaussian_kernels());
        for (Variable child = 0; child < 8; ++child) {
            check_bounds(engine, child, 7);
            check_bounds(engine, child, 3);
        }
    }
    gram.replace(1, {0, 5});
    gram.replace(6, {});
    const GaussianEngine singular(gram.data(), PenalisedGaussian{0.7, 1.0}, gaussian_kernels());
    for (Variable child = 0; child < 8; ++child) {
        check_bounds(singular, child, 7);
    }
    const RandomGram ones(60, std::vector<std::uint32_t>(8, 1), 10);
    const std::vector<double> r = ones.with_prior();
    GaussianData data = ones.data();
    data.gram = r;
    const GaussianEngine bge(data, BayesianGaussian{1.0, 10.0}, gaussian_kernels());
    for (Variable child = 0; child < 8; ++child) {
        check_bounds(bge, child, 7);
        check_bounds(bge, child, 2);
    }
}

TEST_CASE("penalties of continuous families are what their scores have less than the likelihood") {
    const RandomGram gram(100, {1, 3, 0, 2, 1, 1}, 11);
    const GaussianEngine likelihood(gram.data(), PenalisedGaussian{0.0}, gaussian_kernels());
    const GaussianEngine engine(gram.data(), PenalisedGaussian{2.0, 1.0}, gaussian_kernels());
    const std::vector<Variable> parents{0, 3};
    // Three columns given three: 9 slopes, 6 covariances, 3 means; two of five others.
    CHECK(engine.penalty({1, parents}) == doctest::Approx(2.0 * 18 + std::log(10.0)).epsilon(1e-14));
    Random random(12);
    for (int i = 0; i < 100; ++i) {
        const auto child = static_cast<Variable>(random.below(6));
        const std::vector<Variable> some = random_parents(6, child, 5, random);
        const Family family{child, some};
        CHECK(engine.score(family) ==
              doctest::Approx(likelihood.score(family) - engine.penalty(family)).epsilon(1e-13));
        for (const Variable more : others(6, child, some)) {
            CHECK(engine.least_penalty(family, 5) <= engine.penalty({child, with_one_more(some, more)}) + 1e-12);
        }
    }
}

TEST_CASE("every kernel searches continuous data, with any instructions and number of threads") {
    const std::size_t n = 12;
    const RandomGram gram(400, std::vector<std::uint32_t>(n, 1), 13);
    const std::vector<double> r = gram.with_prior();
    GaussianData bayesian = gram.data();
    bayesian.gram = r;
    const Rules rules(n);
    for (const bool is_bayesian : {false, true}) {
        ParentLists climbed(0);
        ParentLists found(0);
        for (const GaussianKernels *kernels : all_kernels()) {
            for (const std::size_t threads : {1, 3}) {
                std::shared_ptr<const ScoreEngine> engine;
                if (is_bayesian) {
                    engine = std::make_shared<GaussianEngine>(bayesian, BayesianGaussian{1.0, 14.0}, *kernels);
                } else {
                    engine = std::make_shared<GaussianEngine>(gram.data(), bic_of_400, *kernels);
                }
                const LocalScore score(engine, plenty);
                Budget budget(Budget::no_time_limit, Budget::no_evaluation_limit, nullptr, 0.0, false, threads);
                LeadingRows leading(score, plenty);
                AdditionRows rows(score, plenty);
                const ParentLists by_climb = hill_climb(leading, rules.view(), {}, ParentLists(n), 3, budget).parents;
                const ParentLists by_class =
                    search_classes(rows, rules.view(), 1.0, true, ParentLists(n), 5, budget).parents;
                climbed = climbed.empty() ? by_climb : climbed;
                found = found.empty() ? by_class : found;
                CHECK(by_climb == climbed);
                CHECK(by_class == found);
                std::vector<Variable> order(n);
                std::iota(order.begin(), order.end(), Variable{0});
                const ArcRules view = rules.view();
                RegrowingClimb regrowing(score, view);
                const std::vector<Variable> inserted = regrowing.inserted(order, 4 * score.rounding(), budget);
                const OrderClimbResult regrown = regrowing.run(inserted, 4 * score.rounding(), 7, budget);
                CHECK(regrown.score >= regrown.start_score);
                CHECK(regrown.parents ==
                      RegrowingClimb(score, view).run(inserted, 4 * score.rounding(), 7, budget).parents);
                CHECK(!grow_and_climb(rows, rules.view(), first_lists(rows, rules.view(), budget), order, {}, 7, budget)
                           .climb.parents.empty());
            }
        }
    }
}

TEST_CASE("selection with bounds keeps the best continuous families") {
    const std::size_t n = 7;
    const RandomGram gram(200, std::vector<std::uint32_t>(n, 1), 14);
    const LocalScore score(std::make_shared<GaussianEngine>(gram.data(), bic_of_400, gaussian_kernels()), plenty);
    std::vector<ParentRules> rules;
    for (Variable child = 0; child < n; ++child) {
        rules.push_back({{}, others(n, child, {}), n});
    }
    Budget budget;
    const auto all = exhaust_parents(score, rules, unlimited, budget);
    for (Variable child = 0; child < n; ++child) {
        CHECK(all[child].is_complete);
        const ParentSearchResult some = search_parents(score, child, {}, rules[child].candidates,
                                                       {Selection::sequential, n, unlimited, unlimited}, budget);
        CHECK(some.sets.scores == all[child].sets.scores);
        CHECK(some.sets.members == all[child].sets.members);
        CHECK(some.scored <= std::size_t{1} << (n - 1));
    }
}

TEST_CASE("threads share a continuous score") {
    const RandomGram gram(300, {1, 1, 2, 1, 1, 1, 3, 1, 1, 1, 1, 1}, 15);
    const GaussianEngine engine(gram.data(), bic_of_400, gaussian_kernels());
    std::vector<std::vector<double>> scores(4);
    std::vector<std::thread> threads;
    for (std::vector<double> &its : scores) {
        threads.emplace_back([&engine, &its] {
            for (Variable child = 0; child < 12; ++child) {
                const std::vector<Variable> parents{child == 0 ? Variable{1} : Variable{0}};
                const std::vector<Variable> candidates = others(12, child, parents);
                std::vector<double> some(candidates.size());
                (void)engine.additions({child, parents}, candidates, some, nullptr, nullptr);
                its.insert(its.end(), some.begin(), some.end());
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    CHECK(std::ranges::all_of(scores, [&](const auto &its) { return its == scores.front(); }));
}

TEST_CASE("additions to a continuous family end with the budget") {
    const RandomGram gram(50, {1, 2, 1, 1}, 16);
    const GaussianEngine engine(gram.data(), bic_of_400, gaussian_kernels());
    Budget spent(Budget::no_time_limit, 0);
    const std::vector<Variable> candidates{1, 2, 3};
    std::vector<double> scores(3, 0.0);
    CHECK(!engine.additions({0, {}}, candidates, scores, nullptr, &spent));
    CHECK(std::isnan(scores[0]));
    CHECK(std::isnan(scores[2]));
}

TEST_CASE("what is not the matrix of these variables is refused") {
    const RandomGram gram(50, {1, 1, 1}, 17);
    const auto refused = [&](const GaussianData &data, const auto &score) {
        CHECK_THROWS_AS(GaussianEngine(data, score, gaussian_kernels()), std::invalid_argument);
    };
    GaussianData data = gram.data();
    data.widths = {1, 1};
    data.log_scales = {0.0, 0.0};
    refused(data, bic_of_400); // 9 numbers, 2 columns
    data = gram.data();
    data.widths = {0xFFFFFFFF, 0xFFFFFFFF, 3}; // no memory is asked for
    refused(data, bic_of_400);
    data = gram.data();
    data.log_scales.pop_back();
    refused(data, bic_of_400);
    data = gram.data();
    data.n_observations = 0.0;
    refused(data, bic_of_400);
    std::vector<double> wrong = gram.matrix;
    wrong[1] += 1e-9;
    data = gram.data();
    data.gram = wrong;
    refused(data, bic_of_400);
    wrong = gram.matrix;
    wrong[4] = -1.0;
    refused(data, bic_of_400);
    wrong[4] = std::numeric_limits<double>::quiet_NaN();
    refused(data, bic_of_400);
    refused(gram.data(), PenalisedGaussian{-1.0});
    refused(gram.data(), BayesianGaussian{1.0, 4.0});
    refused(gram.data(), BayesianGaussian{0.0, 5.0});
}
