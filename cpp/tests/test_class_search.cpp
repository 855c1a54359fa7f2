#include "arcwise/class_search.hpp"

#include "near.hpp"
#include "random_table.hpp"
#include "rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <thread>

using namespace arcwise;
using testing::near;
using testing::RandomTable;
using testing::Rules;

namespace {

constexpr std::size_t plenty = 1 << 22;

double total(const LocalScore &score, const ParentLists &parents) {
    double sum = 0.0;
    for (Variable v = 0; v < parents.size(); ++v) {
        sum += score.engine().score({v, parents[v]});
    }
    return sum;
}

bool is_local_optimum(AdditionRows &additions, const ArcRules &rules, bool reversing, const ParentLists &graph) {
    Budget budget;
    for (const ClassNeighbour &next : neighbours_of_class(additions, rules, reversing, graph, budget)) {
        if (next.gain > 1e-6) {
            return false;
        }
    }
    return true;
}

} // namespace

TEST_CASE("neighbours of a class gain what they say") {
    const RandomTable<std::uint8_t> table(300, {2, 3, 2, 2, 3, 2, 2, 2}, 21);
    const std::size_t n = table.arities.size();
    const LocalScore score(table.view(), ScoreKind::bdeu, 1.0, bit_kernels(), plenty);
    AdditionRows additions(score, plenty);
    const Rules rules(n);
    const ArcRules view = rules.view();
    Random random(3);
    for (int graphs = 0; graphs < 20; ++graphs) {
        ParentLists graph(n);
        for (Variable child = 1; child < n; ++child) {
            for (Variable parent = 0; parent < child; ++parent) {
                if (random.below(3) == 0) {
                    graph[child].push_back(parent);
                }
            }
        }
        Budget budget;
        const double before = total(score, graph);
        const auto found = neighbours_of_class(additions, view, true, graph, budget);
        std::vector<ClassGraph> seen{ClassGraph(graph)};
        for (const ClassNeighbour &next : found) {
            CHECK(near(total(score, next.parents) - before, next.gain, 1e-7));
            const ClassGraph its_class(next.parents);
            CHECK(std::ranges::find(seen, its_class) == seen.end());
            seen.push_back(its_class);
        }
        CHECK(found.size() > 20);
    }
}

TEST_CASE("moves that are kept up are the moves found anew") {
    const RandomTable<std::uint8_t> table(150, {2, 3, 2, 2, 3, 2, 2, 2, 3, 2, 2, 2}, 26);
    const std::size_t n = table.arities.size();
    const LocalScore score(table.view(), ScoreKind::bdeu, 8.0, bit_kernels(), plenty);
    AdditionRows additions(score, plenty);
    Rules constrained(n);
    constrained.max_parents.assign(n, 3);
    const Rules free(n);
    const std::vector<MoveKind> all{MoveKind::insert, MoveKind::remove, MoveKind::reverse};
    const auto moves_of = [&](ClassMoves &state, double floor) {
        std::vector<ClassMoves::Move> moves;
        state.for_each(all, floor, [&](const auto &move) { moves.push_back(move); });
        return moves;
    };
    for (const Rules *rules : {&free, &std::as_const(constrained)}) {
        const ArcRules view = rules->view();
        Random random(7);
        Budget budget;
        Team team(1);
        ClassMoves state(additions, view, {true, false}, ParentLists(n), budget, team);
        for (int step = 0; step < 80; ++step) {
            const auto moves = moves_of(state, -1e300); // insertions that gain, deletions and reversals of all sorts
            ClassMoves anew(additions, view, {true, false}, state.member(), budget, team);
            const auto same = [](const auto &a, const auto &b) {
                return a.kind == b.kind && a.x == b.x && a.y == b.y && a.clique == b.clique && near(a.gain, b.gain);
            };
            CHECK(std::ranges::equal(moves, moves_of(anew, -1e300), same));
            CHECK(anew.graph() == state.graph());
            CHECK(near(anew.score(), state.score()));
            state.make(moves[random.below(moves.size())]);
        }
    }
}

TEST_CASE("climbs over classes end in local optima") {
    const RandomTable<std::uint8_t> table(200, {2, 3, 2, 2, 3, 2, 2, 2, 3}, 22);
    const std::size_t n = table.arities.size();
    const LocalScore score(table.view(), ScoreKind::bdeu, 2.0, bit_kernels(), plenty);
    AdditionRows additions(score, plenty);
    Rules constrained(n);
    constrained.max_parents.assign(n, 2);
    constrained.forbid(0, 1);
    const Rules free(n);
    for (const Rules *rules : {&free, &std::as_const(constrained)}) {
        const ArcRules view = rules->view();
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            for (const bool reversing : {false, true}) {
                Budget budget;
                const ParentLists start(n);
                const auto check = [&](const ClassSearchResult &end, bool is_optimum) {
                    CHECK(end.stopped_by == StopReason::none);
                    CHECK(near(end.score, total(score, end.parents)));
                    CHECK(near(end.score, budget.best().take_points().back().score));
                    CHECK(near(end.score, budget.best().graph().score));
                    CHECK(near(end.score, total(score, budget.best().graph().parents)));
                    budget.best().forget();
                    CHECK((!is_optimum || is_local_optimum(additions, view, reversing, end.parents)));
                    for (Variable v = 0; v < n; ++v) {
                        CHECK(static_cast<int>(end.parents[v].size()) <= view.max_parents[v]);
                    }
                };
                check(search_classes(additions, view, 1.0, reversing, start, seed, budget), true);
                check(search_classes(additions, view, 0.5, reversing, start, seed, budget), true);
                check(search_classes(additions, view, 0.0, reversing, start, seed, budget), true);
                check(search_classes_by_phases(additions, view, reversing, start, seed, budget), reversing);
                check(search_classes_deleting_first(additions, view, reversing, false, start, seed, budget), reversing);
                check(search_classes_deleting_first(additions, view, reversing, true, start, seed, budget), reversing);
            }
        }
    }
}

TEST_CASE("climbs in several threads are the climbs of one") {
    const RandomTable<std::uint8_t> table(300, {2, 3, 2, 2, 3, 2, 2, 2, 3, 2}, 23);
    const std::size_t n = table.arities.size();
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), plenty);
    AdditionRows additions(score, plenty);
    const Rules rules(n);
    const ArcRules view = rules.view();
    Budget budget;
    const auto climb = [&](AdditionRows &rows, std::uint64_t seed) {
        return search_classes(rows, view, 0.3, true, ParentLists(n), seed, budget).parents;
    };
    std::vector<ParentLists> together(8);
    std::vector<std::thread> threads;
    for (std::uint64_t seed = 0; seed < together.size(); ++seed) {
        threads.emplace_back([&, seed] { together[seed] = climb(additions, seed); });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    const LocalScore fresh(table.view(), ScoreKind::bic, 1.0, bit_kernels(), plenty);
    AdditionRows fresh_additions(fresh, plenty);
    for (std::uint64_t seed = 0; seed < together.size(); ++seed) {
        CHECK(climb(fresh_additions, seed) == together[seed]);
    }
}

TEST_CASE("a class search that may do nothing returns the start") {
    const RandomTable<std::uint8_t> table(100, {2, 2, 2}, 24);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), plenty);
    AdditionRows additions(score, plenty);
    const Rules rules(3);
    Budget budget(0.0);
    const auto end = search_classes(additions, rules.view(), 1.0, false, ParentLists(3), 0, budget);
    CHECK(end.stopped_by == StopReason::time);
    CHECK(end.parents == ParentLists(3));
}

TEST_CASE("a class without a graph that obeys the rules is refused") {
    const RandomTable<std::uint8_t> table(100, {2, 2, 2}, 25);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), plenty);
    AdditionRows additions(score, plenty);
    Rules rules(3);
    rules.max_parents.assign(3, 0);
    const ArcRules view = rules.view();
    Budget budget;
    CHECK_THROWS_AS(search_classes(additions, view, 1.0, false, {{}, {0}, {}}, 0, budget), std::invalid_argument);
}

namespace {

// The first few variables and the last few tell something about each other, one about one, and nothing else does.
class Couples final : public ScoreEngine {
  public:
    explicit Couples(std::size_t n) : n_(n) {}

    [[nodiscard]] std::size_t n_variables() const noexcept override { return n_; }
    [[nodiscard]] double rounding() const noexcept override { return 1e-9; }
    [[nodiscard]] bool is_equivalent() const noexcept override { return true; }
    [[nodiscard]] double seconds_per_addition(std::size_t) const noexcept override { return 1e-9; }
    [[nodiscard]] double score(const Family &family) const override {
        const bool has_other =
            is_coupled(family.child) && std::ranges::find(family.parents, other(family.child)) != family.parents.end();
        return (has_other ? 1.5 : 0.0) - static_cast<double>(family.parents.size());
    }
    bool improvements(std::span<const Family> batch, std::span<Improvements> answers, Team &,
                      const Budget *) const override {
        for (std::size_t i = 0; i < batch.size(); ++i) {
            answers[i].own = score(batch[i]);
            if (batch[i].parents.empty() && is_coupled(batch[i].child)) {
                answers[i].scores = {0.5};
                answers[i].variables = {other(batch[i].child)};
            }
        }
        return true;
    }

    static constexpr std::size_t n_couples = 4;

  private:
    [[nodiscard]] bool is_coupled(Variable v) const noexcept { return v < n_couples || other(v) < n_couples; }
    [[nodiscard]] Variable other(Variable v) const noexcept { return static_cast<Variable>(n_ - 1 - v); }

    std::size_t n_;
};

} // namespace

TEST_CASE("more variables than 16 bits can number") {
    constexpr std::size_t n = 70'000;
    const LocalScore score(std::make_shared<Couples>(n), plenty);
    AdditionRows additions(score, std::size_t{1} << 28);
    const Rules rules(n);
    Budget budget;
    const ClassSearchResult found = search_classes(additions, rules.view(), 1.0, false, ParentLists(n), 1, budget);
    CHECK(found.insertions == Couples::n_couples);
    CHECK(near(found.score, 0.5 * Couples::n_couples));
    for (Variable v = 0; v < Couples::n_couples; ++v) {
        const Variable last = n - 1 - v;
        CHECK((found.parents[last].empty() ? found.parents[v] == std::vector<Variable>{last}
                                           : found.parents[last] == std::vector<Variable>{v}));
    }
}
