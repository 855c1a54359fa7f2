#include "arcwise/counting_engine.hpp"

#include "arcwise/class_search.hpp"
#include "arcwise/hill_climb.hpp"
#include "arcwise/order_growth.hpp"
#include "arcwise/subset_lattice.hpp"

#include "random_table.hpp"
#include "rules.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>

using namespace arcwise;
using testing::RandomTable;
using testing::Rules;

namespace {

constexpr std::size_t plenty = 1 << 22;
constexpr std::size_t unlimited = std::size_t{1} << 40;

// The least that an engine can be: it scores one family at a time, and knows nothing of penalties, bounds and counts.
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

// Scores so many families, and fails from then on.
class Failing final : public ScoreEngine {
  public:
    Failing(std::shared_ptr<const ScoreEngine> other, std::size_t n_good) : other_(std::move(other)), left_(n_good) {}

    void mend() { left_ = std::numeric_limits<std::size_t>::max(); }
    [[nodiscard]] std::size_t n_variables() const noexcept override { return other_->n_variables(); }
    [[nodiscard]] double rounding() const noexcept override { return other_->rounding(); }
    [[nodiscard]] bool is_equivalent() const noexcept override { return other_->is_equivalent(); }
    [[nodiscard]] double seconds_per_addition(std::size_t /*n_parents*/) const noexcept override { return 0.0; }
    [[nodiscard]] double score(const Family &family) const override {
        if (left_ == 0) {
            throw std::range_error("the score fails");
        }
        --left_;
        return other_->score(family);
    }

  private:
    std::shared_ptr<const ScoreEngine> other_;
    mutable std::size_t left_;
};

// A counted score and the same without all that an engine may offer besides scores.
struct Twins {
    explicit Twins(const TableView &table, ScoreKind kind)
        : counting(std::make_shared<CountingEngine>(table, kind, 2.0, bit_kernels())), counted(counting, plenty),
          plain(std::make_shared<OnlyScores>(counting), plenty) {}

    std::shared_ptr<const CountingEngine> counting;
    LocalScore counted;
    LocalScore plain;
};

bool same(const ParentSetList &a, const ParentSetList &b) {
    return a.scores == b.scores && a.members == b.members && a.begin == b.begin;
}

} // namespace

TEST_CASE("an engine needs no more than scores of families") {
    const RandomTable<std::uint8_t> table(400, {2, 3, 2, 4, 2, 3, 2}, 31);
    const std::size_t n = table.arities.size();
    const Rules rules(n);
    for (const ScoreKind kind : {ScoreKind::bic, ScoreKind::bdeu, ScoreKind::k2}) {
        const Twins twins(table.view(), kind);
        std::vector<Variable> candidates{0, 2, 3, 6};
        std::vector<double> counted(candidates.size());
        std::vector<double> plain(candidates.size());
        const std::vector<Variable> parents{1, 5};
        CHECK(twins.counted.additions(4, parents, candidates, counted));
        CHECK(twins.plain.additions(4, parents, candidates, plain));
        CHECK(counted == plain);
        CHECK(twins.plain.evaluations() == candidates.size());
        counted.resize(2);
        plain.resize(2);
        twins.counted.removals(4, parents, counted);
        twins.plain.removals(4, parents, plain);
        CHECK(counted == plain);

        Budget budget;
        const DagMoves moves{};
        LeadingRows leading_of_counted(twins.counted, plenty);
        LeadingRows leading_of_plain(twins.plain, plenty);
        const HillClimbResult climbed = hill_climb(leading_of_counted, rules.view(), moves, ParentLists(n), 3, budget);
        CHECK(hill_climb(leading_of_plain, rules.view(), moves, ParentLists(n), 3, budget).parents == climbed.parents);

        AdditionRows of_counted(twins.counted, plenty);
        AdditionRows of_plain(twins.plain, plenty);
        if (twins.counting->is_equivalent()) {
            const auto classes = [&](AdditionRows &rows) {
                return search_classes(rows, rules.view(), 1.0, true, ParentLists(n), 5, budget).parents;
            };
            CHECK(classes(of_counted) == classes(of_plain));
        }
        const auto grown = [&](AdditionRows &rows) {
            std::vector<Variable> order(n);
            std::iota(order.begin(), order.end(), Variable{0});
            return grow_and_climb(rows, rules.view(), first_lists(rows, rules.view(), budget), order, {}, 7, budget)
                .climb.parents;
        };
        CHECK(grown(of_counted) == grown(of_plain));
    }
}

TEST_CASE("selection without bounds and penalties ends with the same sets") {
    const RandomTable<std::uint8_t> table(200, {2, 3, 2, 2, 3}, 32);
    const auto n = static_cast<Variable>(table.arities.size());
    for (const ScoreKind kind : {ScoreKind::bic, ScoreKind::bdeu, ScoreKind::fnml}) {
        const Twins twins(table.view(), kind);
        std::vector<ParentRules> rules;
        for (Variable child = 0; child < n; ++child) {
            ParentRules &its = rules.emplace_back();
            for (Variable v = 0; v < n; ++v) {
                if (v != child) {
                    its.candidates.push_back(v);
                }
            }
            its.max_parents = n;
        }
        Budget budget;
        for (Variable child = 0; child < n; ++child) {
            for (const Selection selection : {Selection::sequential, Selection::independence, Selection::balanced}) {
                const auto sets = [&](const LocalScore &score) {
                    return search_parents(score, child, {}, rules[child].candidates,
                                          {selection, n, unlimited, unlimited}, budget)
                        .sets;
                };
                CHECK(same(sets(twins.counted), sets(twins.plain)));
            }
        }
        const auto lattice = exhaust_parents(twins.counted, rules, unlimited, budget);
        const auto one_by_one = exhaust_parents(twins.plain, rules, unlimited, budget);
        for (Variable child = 0; child < n; ++child) {
            CHECK(lattice[child].is_complete);
            CHECK(one_by_one[child].is_complete);
            CHECK(lattice[child].scored == one_by_one[child].scored);
            CHECK(lattice[child].sets.members == one_by_one[child].sets.members);
            CHECK(lattice[child].sets.begin == one_by_one[child].sets.begin);
        }
    }
}

TEST_CASE("what needs counts says that there are none") {
    const RandomTable<std::uint8_t> table(50, {2, 2, 3}, 33);
    const Twins twins(table.view(), ScoreKind::bic);
    CHECK(twins.counted.counter().n_observations() == 50);
    CHECK_THROWS_AS((void)twins.plain.counter(), std::invalid_argument);
}

TEST_CASE("additions of one family at a time end with the budget") {
    const RandomTable<std::uint8_t> table(50, {2, 2, 3}, 34);
    const Twins twins(table.view(), ScoreKind::bic);
    Budget spent(Budget::no_time_limit, 0);
    const std::vector<Variable> candidates{1, 2};
    std::vector<double> scores(2, 0.0);
    CHECK(!twins.plain.additions(0, {}, candidates, scores, &spent));
    CHECK(std::isnan(scores[0]));
    CHECK(twins.plain.evaluations() == 0);
}

TEST_CASE("what an engine throws comes out of every kernel, and leaves the score as it was") {
    const RandomTable<std::uint8_t> table(200, {2, 3, 2, 4, 2, 3}, 35);
    const auto n = static_cast<Variable>(table.arities.size());
    const Rules rules(n);
    const auto counting = std::make_shared<CountingEngine>(table.view(), ScoreKind::bic, 1.0, bit_kernels());
    std::vector<Variable> order(n);
    std::iota(order.begin(), order.end(), Variable{0});
    for (std::size_t n_good = 0; n_good < 60; n_good += 7) {
        const auto failing = std::make_shared<Failing>(counting, n_good);
        const LocalScore score(failing, plenty);
        AdditionRows rows(score, plenty);
        LeadingRows leading(score, plenty);
        Budget budget;
        const auto climbed = [&] { return hill_climb(leading, rules.view(), {}, ParentLists(n), 3, budget).parents; };
        const auto classes = [&] {
            return search_classes(rows, rules.view(), 1.0, true, ParentLists(n), 5, budget).parents;
        };
        const auto grown = [&] {
            return grow_and_climb(rows, rules.view(), first_lists(rows, rules.view(), budget), order, {}, 7, budget)
                .climb.parents;
        };
        const auto selected = [&] {
            const std::span<const Variable> others = std::span(order).subspan(1);
            return search_parents(score, 0, {}, {others.begin(), others.end()},
                                  {Selection::sequential, n, unlimited, unlimited}, budget)
                .sets.members;
        };
        CHECK_THROWS_AS((void)classes(), std::range_error); // and the locks of its rows are free again
        CHECK_THROWS_AS((void)grown(), std::range_error);
        CHECK_THROWS_AS((void)selected(), std::range_error);
        CHECK_THROWS_AS((void)climbed(), std::range_error);
        failing->mend();
        const LocalScore good(counting, plenty);
        AdditionRows good_rows(good, plenty);
        LeadingRows good_leading(good, plenty);
        CHECK(classes() == search_classes(good_rows, rules.view(), 1.0, true, ParentLists(n), 5, budget).parents);
        CHECK(climbed() == hill_climb(good_leading, rules.view(), {}, ParentLists(n), 3, budget).parents);
        CHECK(!grown().empty());
        CHECK(!selected().empty());
    }
}
