#include "arcwise/conditional_gaussian_engine.hpp"

#include "arcwise/adjusted_engine.hpp"
#include "arcwise/hill_climb.hpp"
#include "arcwise/local_score.hpp"
#include "arcwise/order_growth.hpp"
#include "arcwise/parallel.hpp"
#include "arcwise/subset_lattice.hpp"

#include "near.hpp"
#include "random_table.hpp"
#include "rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <vector>

using namespace arcwise;
using testing::near;
using testing::RandomTable;
using testing::Rules;

namespace {

constexpr std::size_t plenty = 1 << 22;
constexpr double infinity = ScoreEngine::infinity;

// Continuous columns that depend on the column before them; every fifth one is a multiple of another.
struct RandomMixed {
    RandomTable<std::uint8_t> table;
    std::vector<double> numbers;

    RandomMixed(std::size_t rows, const std::vector<std::uint32_t> &arities, std::uint64_t seed,
                std::uint32_t max_weight = 0)
        : table(rows, with_states(arities), seed, max_weight) {
        table.arities = arities;
        Random random(seed + 1);
        std::size_t n_columns = 0;
        for (std::size_t v = 0; v < arities.size(); ++v) {
            if (arities[v] > 0) {
                continue;
            }
            const double slope = random.fraction() * 2.0 - 1.0;
            for (std::size_t row = 0; row < rows; ++row) {
                const double noise = random.fraction() + random.fraction() + random.fraction();
                double number = noise;
                if (n_columns > 0) {
                    const double before = numbers[(n_columns - 1) * rows + row];
                    number = n_columns % 5 == 4 ? 3.0 * before : slope * before + noise;
                }
                if (v > 0 && arities[v - 1] > 0) {
                    number += slope * static_cast<double>(table.code(static_cast<Variable>(v - 1), row));
                }
                numbers.push_back(number);
                table.codes[v * rows + row] = 0;
            }
            ++n_columns;
        }
    }

    static std::vector<std::uint32_t> with_states(std::vector<std::uint32_t> arities) {
        std::ranges::replace(arities, 0U, 2U);
        return arities;
    }

    [[nodiscard]] MixedTable view() const { return {table.view(), numbers}; }
    [[nodiscard]] double bic() const {
        return 0.5 * std::log(static_cast<double>(table.view().n_observations()) + 1.0);
    }
    [[nodiscard]] std::shared_ptr<const ScoreEngine> engine(const BitKernels &kernels = bit_kernels(),
                                                            double gamma = 0.0) const {
        return std::make_shared<ConditionalGaussianEngine>(view(), bic(), gamma, kernels);
    }
};

// Nothing but scores of families.
class OnlyScores final : public ScoreEngine {
  public:
    explicit OnlyScores(std::shared_ptr<const ScoreEngine> other) : other_(std::move(other)) {}

    [[nodiscard]] std::size_t n_variables() const noexcept override { return other_->n_variables(); }
    [[nodiscard]] double rounding() const noexcept override { return other_->rounding(); }
    [[nodiscard]] bool is_equivalent() const noexcept override { return other_->is_equivalent(); }
    [[nodiscard]] double seconds_per_addition(std::size_t n_parents) const noexcept override {
        return other_->seconds_per_addition(n_parents);
    }
    [[nodiscard]] double score(const Family &family) const override { return other_->score(family); }

  private:
    std::shared_ptr<const ScoreEngine> other_;
};

std::vector<Variable> all_but(std::size_t n, Variable child, const std::vector<Variable> &parents) {
    std::vector<Variable> others;
    for (Variable v = 0; v < n; ++v) {
        if (v != child && std::ranges::find(parents, v) == parents.end()) {
            others.push_back(v);
        }
    }
    return others;
}

// The score of a continuous child with one continuous parent and discrete ones, by sums over each configuration.
double simple_regressions(const RandomMixed &data, std::size_t child_column, std::size_t parent_column,
                          const std::vector<Variable> &discrete) {
    const std::size_t n_rows = data.table.n_rows;
    std::vector<std::vector<std::size_t>> configurations;
    std::vector<std::size_t> id(n_rows, 0);
    std::size_t q = 1;
    for (const Variable v : discrete) {
        for (std::size_t row = 0; row < n_rows; ++row) {
            id[row] = id[row] * data.table.arities[v] + data.table.code(v, row);
        }
        q *= data.table.arities[v];
    }
    double sum = 0.0;
    for (std::size_t j = 0; j < q; ++j) {
        double n = 0.0;
        double of_x = 0.0;
        double of_y = 0.0;
        for (std::size_t row = 0; row < n_rows; ++row) {
            const double w = id[row] == j ? data.table.weight(row) : 0;
            n += w;
            of_x += w * data.numbers[parent_column * n_rows + row];
            of_y += w * data.numbers[child_column * n_rows + row];
        }
        double xx = 0.0;
        double xy = 0.0;
        double yy = 0.0;
        for (std::size_t row = 0; row < n_rows; ++row) {
            const double w = id[row] == j ? data.table.weight(row) : 0;
            const double x = data.numbers[parent_column * n_rows + row] - of_x / n;
            const double y = data.numbers[child_column * n_rows + row] - of_y / n;
            xx += w * x * x;
            xy += w * x * y;
            yy += w * y * y;
        }
        sum -= 0.5 * n * (std::log(2.0 * std::numbers::pi * (yy - xy * xy / xx) / n) + 1.0);
    }
    return sum - data.bic() * static_cast<double>(q) * 3.0;
}

} // namespace

TEST_CASE("a score of mixed tables is a sum over regressions") {
    for (const std::uint32_t max_weight : {0U, 3U}) {
        const RandomMixed data(600, {2, 0, 0, 3}, 3, max_weight);
        const auto engine = data.engine();
        const std::vector<Variable> parents{3, 1, 0};
        CHECK(near(engine->score({2, parents}), simple_regressions(data, 1, 0, {0, 3})));
        const std::vector<Variable> one{1};
        CHECK(near(engine->score({2, one}), simple_regressions(data, 1, 0, {})));
    }
}

TEST_CASE("numbers of mixed tables depend on the family alone, in whatever instructions") {
    // Groups of many blocks and of few rows; rows that are left out.
    for (const auto &[rows, seed] : {std::pair(3000, 5), {700, 6}, {60, 7}, {9, 8}, {1, 9}}) {
        RandomMixed data(static_cast<std::size_t>(rows), {2, 0, 0, 3, 0, 5, 0, 0, 2, 0},
                         static_cast<std::uint64_t>(seed), seed % 2 == 0 ? 2 : 0);
        if (rows == 700) {
            data.table.leave_rows_out(3);
            data.table.gaps.assign(data.table.arities.size(), {});
        }
        const auto plain = data.engine(plain::kernels);
        const auto best = data.engine();
        const std::size_t n = best->n_variables();
        for (const std::vector<Variable> &parents :
             std::vector<std::vector<Variable>>{{}, {2}, {8, 4}, {7, 3, 2}, {3, 8, 5}, {9, 6, 1, 0}}) {
            for (Variable child = 0; child < n; ++child) {
                if (std::ranges::find(parents, child) != parents.end()) {
                    continue;
                }
                const std::vector<Variable> others = all_but(n, child, parents);
                std::vector<double> added(others.size());
                CHECK(best->additions({child, parents}, others, added, nullptr, nullptr));
                for (std::size_t i = 0; i < others.size(); ++i) {
                    std::vector<Variable> more = with_one_more(parents, others[i]);
                    std::ranges::reverse(more);
                    CHECK(added[i] == plain->score({child, more}));
                    CHECK(!std::isnan(added[i]));
                    CHECK(added[i] < infinity);
                }
                std::vector<std::size_t> all(parents.size());
                std::iota(all.begin(), all.end(), std::size_t{0});
                std::vector<double> removed(all.size());
                best->removals({child, parents}, all, removed);
                for (std::size_t i = 0; i < all.size(); ++i) {
                    CHECK(removed[i] == plain->score({child, without_one(parents, i)}));
                }
            }
        }
    }
}

TEST_CASE("discrete children of mixed tables are counted") {
    const RandomMixed data(400, {2, 0, 3, 0, 2}, 11);
    const RandomTable<std::uint8_t> discrete = [&] {
        RandomTable<std::uint8_t> chosen(400, {2, 3, 2}, 1);
        for (std::size_t place = 0; place < 3; ++place) {
            std::copy_n(data.table.codes.begin() + static_cast<std::ptrdiff_t>(2 * place * 400), 400,
                        chosen.codes.begin() + static_cast<std::ptrdiff_t>(place * 400));
        }
        return chosen;
    }();
    const auto engine = std::make_shared<ConditionalGaussianEngine>(data.view(), 1.0, 0.0, bit_kernels());
    const CountingEngine counting(discrete.view(), ScoreKind::aic, 1.0, bit_kernels());
    const std::vector<Variable> parents{4, 2};
    const std::vector<Variable> places{2, 1};
    CHECK(engine->score({0, parents}) == counting.score({0, places}));
    CHECK(engine->penalty({0, parents}) == counting.penalty({0, places}));
    const std::vector<Variable> with_number{1, 2};
    CHECK(engine->score({0, with_number}) == -infinity);
    CHECK(engine->score({4, with_number}) == -infinity);
    CHECK(!engine->is_equivalent());
    CHECK(engine->counter() == nullptr);
    Team team(1);
    const std::vector<Family> batch{{0, {}}, {4, {}}, {4, with_number}};
    std::vector<Improvements> answers(3);
    CHECK(engine->improvements(batch, answers, team, nullptr));
    for (const Improvements &answer : answers) {
        CHECK(std::ranges::all_of(answer.variables, [](Variable v) { return v % 2 == 0; }));
    }
    CHECK(answers[2].own == -infinity);
}

TEST_CASE("kernels search mixed tables, whatever the engine offers besides scores") {
    const RandomMixed data(500, {2, 0, 0, 3, 0, 2, 0}, 21);
    const std::size_t n = data.table.arities.size();
    Rules rules(n);
    const auto engine = data.engine();
    const LocalScore offered(engine, plenty);
    const LocalScore plain(std::make_shared<OnlyScores>(engine), plenty);
    Budget budget;
    LeadingRows leading(offered, plenty);
    LeadingRows leading_of_plain(plain, plenty);
    const HillClimbResult climbed = hill_climb(leading, rules.view(), {}, ParentLists(n), 3, budget);
    CHECK(hill_climb(leading_of_plain, rules.view(), {}, ParentLists(n), 3, budget).parents == climbed.parents);
    std::size_t n_arcs = 0;
    for (Variable child = 0; child < n; ++child) {
        for (const Variable parent : climbed.parents[child]) {
            CHECK((data.table.arities[child] == 0 || data.table.arities[parent] > 0));
            ++n_arcs;
        }
    }
    CHECK(n_arcs > 2);

    const auto grown = [&](const LocalScore &score) {
        AdditionRows rows(score, plenty);
        std::vector<Variable> order{0, 3, 5, 1, 2, 4, 6}; // discrete variables first
        return grow_and_climb(rows, rules.view(), first_lists(rows, rules.view(), budget), order, {}, 7, budget)
            .climb.parents;
    };
    CHECK(grown(offered) == grown(plain));

    for (Variable child = 0; child < n; ++child) {
        const std::vector<Variable> others = all_but(n, child, {});
        for (const Selection selection : {Selection::sequential, Selection::independence, Selection::balanced}) {
            const auto sets = [&](const LocalScore &score) {
                return search_parents(score, child, {}, others, {selection, n, plenty, plenty}, budget).sets;
            };
            const ParentSetList some = sets(offered);
            const ParentSetList same = sets(plain);
            CHECK(some.scores == same.scores);
            CHECK(some.members == same.members);
        }
    }
}

TEST_CASE("no superset of a mixed family exceeds its bound") {
    const RandomMixed data(80, {2, 0, 0, 3, 0}, 31);
    const std::size_t n = data.table.arities.size();
    for (const double gamma : {0.0, 1.0}) {
        const auto engine = data.engine(bit_kernels(), gamma);
        const Budget budget;
        for (Variable child = 0; child < n; ++child) {
            const std::vector<Variable> others = all_but(n, child, {});
            std::vector<double> scores(others.size());
            std::vector<double> values(others.size());
            const Bounds bounds{engine->supersets({child, {}}, others, n - 1, budget), values};
            CHECK(engine->additions({child, {}}, others, scores, &bounds, nullptr));
            for (std::size_t set = 1; set < std::size_t{1} << others.size(); ++set) {
                std::vector<Variable> parents;
                for (std::size_t i = 0; i < others.size(); ++i) {
                    if ((set >> i & 1) != 0) {
                        parents.push_back(others[i]);
                    }
                }
                const double score = engine->score({child, parents});
                for (std::size_t i = 0; i < others.size(); ++i) {
                    CHECK(((set >> i & 1) == 0 || score <= values[i]));
                }
                CHECK(engine->penalty({child, parents}) >=
                      engine->least_penalty({child, std::span(parents).first(1)}, n - 1));
            }
        }
    }
}

TEST_CASE("threads share mixed additions") {
    const RandomMixed data(2000, {2, 0, 0, 3, 0, 2, 0, 0, 0, 0, 0, 4, 0, 0}, 41);
    const auto engine = data.engine();
    const std::size_t n = engine->n_variables();
    const std::vector<std::vector<Variable>> parents{{}, {3}, {2}, {3, 4}, {5, 6, 11}};
    std::vector<Family> batch;
    for (Variable child = 7; child < n; ++child) {
        for (const std::vector<Variable> &its : parents) {
            if (std::ranges::find(its, child) == its.end()) {
                batch.push_back({child, its});
            }
        }
    }
    const auto answers = [&](std::size_t workers) {
        std::vector<Improvements> found(batch.size());
        Team team(workers);
        CHECK(engine->improvements(batch, found, team, nullptr));
        return found;
    };
    const std::vector<Improvements> alone = answers(1);
    const std::vector<Improvements> together = answers(4);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        CHECK(alone[i].own == engine->score(batch[i]));
        CHECK(alone[i].own == together[i].own);
        CHECK(alone[i].scores == together[i].scores);
        CHECK(alone[i].variables == together[i].variables);
    }
}

TEST_CASE("mixed additions end with the budget") {
    const RandomMixed data(100, {2, 0, 0, 3}, 51);
    const auto engine = data.engine();
    const Budget spent(Budget::no_time_limit, 0);
    for (const Variable child : {Variable{1}, Variable{0}}) {
        const std::vector<Variable> others = all_but(4, child, {});
        std::vector<double> scores(others.size(), 0.0);
        CHECK(!engine->additions({child, {}}, others, scores, nullptr, &spent));
        CHECK(std::ranges::any_of(scores, [](double score) { return std::isnan(score); }));
    }
}

TEST_CASE("mixed scores can be adjusted") {
    const RandomMixed data(200, {2, 0, 0, 3, 0}, 61);
    const auto inner = data.engine();
    const AdjustedEngine adjusted(inner, {2.0, -0.5, false, {{1, 2, 0.25}}});
    const std::vector<Variable> parents{1, 0};
    const Family family{2, parents};
    CHECK(near(adjusted.score(family), inner->score(family) - inner->penalty(family) - 2 * 0.5 + 0.25));
    const std::vector<Variable> number{1};
    CHECK(adjusted.score({0, number}) == -infinity);
}

TEST_CASE("mixed tables that do not fit together are refused") {
    RandomMixed data(20, {2, 0}, 71);
    const auto make = [](const MixedTable &table, double per_parameter = 1.0) {
        return ConditionalGaussianEngine(table, per_parameter, 0.0, bit_kernels()).n_variables();
    };
    CHECK(make(data.view()) == 2);
    CHECK_THROWS_AS((void)make(data.view(), -1.0), std::invalid_argument);
    const MixedTable too_short{data.table.view(), std::span<const double>(data.numbers).first(19)};
    CHECK_THROWS_AS((void)make(too_short), std::invalid_argument);
    data.numbers[3] = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS((void)make(data.view()), std::invalid_argument);
}

TEST_CASE("families of mixed tables with gaps are scored alike in batches and one by one, below their bounds") {
    for (const std::uint32_t max_weight : {0U, 3U}) {
        RandomMixed data(90, {2, 0, 0, 3, 0}, 91, max_weight);
        data.table.leave_rows_out(92);
        data.table.gaps[2] = data.table.gaps[1];
        data.table.gaps[2][5] ^= 1;
        const ConditionalGaussianEngine engine(data.view(), data.bic(), 0.5, bit_kernels(), 6.0);
        const ConditionalGaussianEngine plain(data.view(), data.bic(), 0.5, plain::kernels, 6.0);
        const std::size_t n = engine.n_variables();
        for (const std::vector<Variable> &parents : std::vector<std::vector<Variable>>{{}, {1}, {3}, {2, 3}, {0, 1}}) {
            for (Variable child = 0; child < n; ++child) {
                if (std::ranges::find(parents, child) != parents.end()) {
                    continue;
                }
                const std::vector<Variable> others = all_but(n, child, parents);
                std::vector<double> scores(others.size());
                std::vector<double> values(others.size());
                Budget budget;
                const Bounds bounds{engine.supersets({child, parents}, others, n, budget), values};
                CHECK(engine.additions({child, parents}, others, scores, &bounds, nullptr));
                for (std::size_t i = 0; i < others.size(); ++i) {
                    const std::vector<Variable> more = with_one_more(parents, others[i]);
                    CHECK(scores[i] == engine.score({child, more}));
                    CHECK(scores[i] == plain.score({child, more}));
                    CHECK(scores[i] <= values[i] + engine.rounding());
                    for (const Variable other : others) {
                        if (other != others[i]) {
                            const double larger = engine.score({child, with_one_more(more, other)});
                            CHECK(larger <= values[i] + engine.rounding());
                        }
                    }
                }
                std::vector<std::size_t> chosen(parents.size());
                std::iota(chosen.begin(), chosen.end(), std::size_t{0});
                std::vector<double> removed(parents.size());
                engine.removals({child, parents}, chosen, removed);
                for (std::size_t i = 0; i < parents.size(); ++i) {
                    CHECK(removed[i] == engine.score({child, without_one(parents, i)}));
                }
            }
        }
    }
}

TEST_CASE("rows are together with those of the same states, in whatever order the variables come") {
    const RandomTable<std::uint8_t> table(300, {2, 200, 3, 1}, 81, 2);
    const TableView view = table.view();
    const RowGroups all(view.n_rows, view.weights, nullptr);
    const auto split = [&](const std::vector<Variable> &variables) {
        RowGroups groups = all;
        for (const Variable v : variables) {
            groups = RowGroups(groups, view, v);
        }
        std::vector<std::vector<std::uint32_t>> lists;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            lists.emplace_back(groups[g].begin(), groups[g].end());
        }
        std::ranges::sort(lists);
        return lists;
    };
    const auto lists = split({0, 1, 2, 3});
    CHECK(lists == split({2, 3, 1, 0}));
    std::size_t n_rows = 0;
    for (const auto &rows : lists) {
        CHECK(std::ranges::is_sorted(rows));
        n_rows += rows.size();
        for (const std::uint32_t row : rows) {
            CHECK(table.weight(row) > 0);
            for (Variable v = 0; v < 4; ++v) {
                CHECK(table.code(v, row) == table.code(v, rows.front()));
            }
        }
    }
    CHECK(n_rows == static_cast<std::size_t>(std::ranges::count_if(table.weights, [](auto w) { return w > 0; })));
}
