#include "arcwise/acyclic_selection.hpp"
#include "arcwise/order_climb.hpp"

#include "near.hpp"
#include "random_orders.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>

using namespace arcwise;
using testing::near;
using testing::random_order;
using testing::random_set;
using testing::Set;

namespace {

using Sets = std::vector<std::pair<double, Set>>; // of one variable, in any order

// Owns what a SetList shows.
struct OwnedList {
    std::vector<double> scores;
    std::vector<std::int64_t> begin{0};
    std::vector<Member> members;
    std::unique_ptr<SetMasks> masks; // stays where it is when the list moves

    OwnedList(Sets sets, std::size_t n) {
        std::ranges::stable_sort(sets, [](const auto &a, const auto &b) { return a.first > b.first; });
        for (const auto &[score, set] : sets) {
            scores.push_back(score);
            members.insert(members.end(), set.begin(), set.end());
            begin.push_back(static_cast<std::int64_t>(members.size()));
        }
        masks = std::make_unique<SetMasks>(n, begin, members.data());
    }
    [[nodiscard]] SetList view() const { return {scores, begin, members.data(), masks.get()}; }
};

std::vector<SetList> views(const std::vector<OwnedList> &lists) {
    std::vector<SetList> all;
    for (const OwnedList &list : lists) {
        all.push_back(list.view());
    }
    return all;
}

// Whole scores, so that all sums are exact and many sets are as good as others; some lists lack the empty set.
Sets random_sets(Random &random, std::size_t n, Variable child, std::size_t count, std::size_t most) {
    std::map<Set, double> sets;
    if (random.below(4) > 0) {
        sets[{}] = -static_cast<double>(random.below(60));
    }
    while (sets.empty() || count-- > 0) {
        sets[random_set(random, n, child, random.below(most + 1))] = -static_cast<double>(random.below(50));
    }
    Sets listed;
    for (const auto &[set, score] : sets) {
        listed.emplace_back(score, set);
    }
    return listed;
}

// The best score within the predecessors by definition; none where no set fits.
std::optional<double> best_within(const Sets &sets, const std::vector<Variable> &order, Variable child) {
    const std::set<Member> before(order.begin(), std::ranges::find(order, child));
    std::optional<double> best;
    for (const auto &[score, set] : sets) {
        const bool fits = std::ranges::all_of(set, [&](Member member) { return before.contains(member); });
        if (fits && (!best || score > *best)) {
            best = score;
        }
    }
    return best;
}

std::vector<Variable> inserted(std::vector<Variable> order, Variable x, std::size_t target) {
    std::erase(order, x);
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(target), x);
    return order;
}

// Everything a state says against rescoring from scratch. A state made anew knows what a missing set counts.
void check_state(OrderState &state, const std::vector<Sets> &sets, const std::vector<SetList> &lists) {
    const std::size_t n = sets.size();
    const std::vector<Variable> order = state.order();
    for (Variable v = 0; v < n; ++v) {
        CHECK(state.order()[state.position(v)] == v);
        const auto best = best_within(sets[v], order, v);
        CHECK(state.has_set(v) == best.has_value());
        CHECK((!best || state.local(v) == *best));
    }
    OrderState fresh(lists, order);
    for (Variable x = 0; x < n; ++x) {
        CHECK(state.current(x) == fresh.current(x));
        const auto changes = state.insertions(x, -std::numeric_limits<double>::infinity());
        for (std::size_t j = 0; j < n; ++j) {
            const OrderState neighbour(lists, inserted(order, x, j));
            CHECK(near(changes[j], neighbour.score() - fresh.score()));
        }
        for (Variable y = 0; y < n; ++y) {
            const bool is_before = state.position(x) < state.position(y);
            const std::size_t beyond = state.position(y);
            const OrderState neighbour(lists, inserted(order, x, beyond));
            CHECK((x == y || near(state.change(x, y), neighbour.local(y) - fresh.local(y))));
            CHECK((x == y || (is_before ? state.change(x, y) <= 0.0 : state.change(x, y) >= 0.0)));
        }
    }
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const OrderState neighbour(lists, inserted(order, order[i], i + 1));
        CHECK(near(state.adjacent_swap(i), neighbour.score() - fresh.score()));
    }
}

constexpr double anything = -std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("an order state is right after any insertions") {
    Random random(1);
    for (const std::size_t n : {1, 2, 3, 7, 12}) {
        for (int table = 0; table < 4; ++table) {
            std::vector<Sets> sets;
            std::vector<OwnedList> owned;
            for (Variable v = 0; v < n; ++v) {
                sets.push_back(random_sets(random, n, v, random.below(30), 4));
                owned.emplace_back(sets.back(), n);
            }
            const auto lists = views(owned);
            OrderState state(lists, random_order(random, n));
            check_state(state, sets, lists);
            for (int move = 0; move < 6; ++move) {
                const auto expected = inserted(state.order(), static_cast<Variable>(move % n), random.below(n));
                const auto x = static_cast<Variable>(move % n);
                state.insert(x, static_cast<std::size_t>(std::ranges::find(expected, x) - expected.begin()));
                CHECK(state.order() == expected);
                check_state(state, sets, lists);
            }
        }
    }
}

TEST_CASE("an order state is right after it was rearranged") {
    Random random(9);
    for (const std::size_t n : {1, 2, 5, 40}) {
        std::vector<Sets> sets;
        std::vector<OwnedList> owned;
        for (Variable v = 0; v < n; ++v) {
            sets.push_back(random_sets(random, n, v, 5, 3));
            owned.emplace_back(sets.back(), n);
        }
        const auto lists = views(owned);
        OrderState state(lists, random_order(random, n));
        for (int step = 0; step < 24; ++step) {
            std::vector<Variable> order = step % 6 == 0 ? random_order(random, n) : state.order();
            for (int swaps = 0; swaps < step % 5; ++swaps) { // few: most stay
                std::swap(order[random.below(n)], order[random.below(n)]);
            }
            state.rearrange(order);
            CHECK(state.order() == order);
            const OrderState fresh(lists, order);
            for (Variable x = 0; x < n; ++x) {
                CHECK(state.current(x) == fresh.current(x));
                for (Variable y = 0; y < n; ++y) {
                    CHECK(state.change(x, y) == fresh.change(x, y));
                }
            }
        }
    }
}

TEST_CASE("an order state is right after lists have grown") {
    Random random(2);
    const std::size_t n = 9;
    for (int table = 0; table < 6; ++table) {
        std::vector<Sets> sets;
        std::vector<OwnedList> owned;
        for (Variable v = 0; v < n; ++v) {
            sets.push_back({{-100.0, {}}}); // the worst, so that a missing set counts the same before and after
            owned.emplace_back(sets.back(), n);
        }
        OrderState state(views(owned), random_order(random, n));
        for (int step = 0; step < 12; ++step) {
            const auto y = static_cast<Variable>(random.below(n));
            std::map<Set, double> all;
            for (const auto &[score, set] : sets[y]) {
                all[set] = score;
            }
            for (int more = 0; more < 5; ++more) {
                all.try_emplace(random_set(random, n, y, 1 + random.below(4)), -static_cast<double>(random.below(50)));
            }
            sets[y].clear();
            for (const auto &[set, score] : all) {
                sets[y].emplace_back(score, set);
            }
            OwnedList grown(sets[y], n);
            state.replace_list(y, grown.view());
            owned[y] = std::move(grown); // the old one is gone: a view of it would be seen by the sanitizer
            state.insert(static_cast<Variable>(random.below(n)), random.below(n));
            check_state(state, sets, views(owned));
        }
    }
}

TEST_CASE("insertions below a floor may be left out and no others") {
    Random random(3);
    const std::size_t n = 12;
    for (int table = 0; table < 20; ++table) {
        std::vector<OwnedList> owned;
        for (Variable v = 0; v < n; ++v) {
            owned.emplace_back(random_sets(random, n, v, 40, 3), n);
        }
        OrderState state(views(owned), random_order(random, n));
        for (Variable x = 0; x < n; ++x) {
            const auto shown = state.insertions(x, anything);
            const std::vector<double> exact(shown.begin(), shown.end());
            const double most = *std::ranges::max_element(exact);
            for (const double floor : {0.0, 1.0, 10.0, 1000.0}) {
                const auto changes = state.insertions(x, floor);
                for (std::size_t j = 0; j < n; ++j) {
                    CHECK((near(changes[j], exact[j]) || (changes[j] == anything && exact[j] <= floor)));
                }
                const auto best = state.best_insertion(x, floor);
                CHECK(near(best.change, most > floor ? most : 0.0));
                CHECK(near(exact[best.position], best.change));
                CHECK((most > floor || best.position == state.position(x)));
            }
        }
    }
}

TEST_CASE("a variable that is settled has no better place until something near it changes") {
    Random random(8);
    const std::size_t n = 25; // few sets of few variables: many moves say nothing to most
    std::size_t n_settled = 0;
    for (int table = 0; table < 20; ++table) {
        std::vector<Sets> sets;
        std::vector<OwnedList> owned;
        for (Variable v = 0; v < n; ++v) {
            sets.push_back(random_sets(random, n, v, 3, 2));
            owned.emplace_back(sets.back(), n);
        }
        OrderState state(views(owned), random_order(random, n));
        for (int step = 0; step < 40; ++step) {
            for (Variable x = 0; x < n; ++x) {
                const double change = state.best_insertion(x, 0.0).change;
                CHECK((change == 0.0 || !state.is_settled(x, 0.0)));
                n_settled += state.is_settled(x, 0.0);
                if (change == 0.0) {
                    state.settle(x, 0.0);
                }
                CHECK(!state.is_settled(x, -1.0)); // says nothing about lower floors
            }
            state.insert(static_cast<Variable>(random.below(n)), random.below(n));
            if (step % 4 == 0) {
                const auto y = static_cast<Variable>(random.below(n));
                sets[y].emplace_back(-static_cast<double>(random.below(50)), random_set(random, n, y, 2));
                OwnedList grown(sets[y], n);
                state.replace_list(y, grown.view());
                owned[y] = std::move(grown);
            }
        }
    }
    CHECK(n_settled > 3000); // of 20,000
}

TEST_CASE("any move that improves is the first with the same probability") {
    // Two variables want to come first, each before the other two; 2 and 3 stand behind 0 and 1.
    const std::vector<Sets> sets{
        {{-1.0, {2}}, {-2.0, {3}}, {-9.0, {}}}, {{-1.0, {3}}, {-9.0, {}}}, {{-1.0, {}}}, {{-1.0, {}}}};
    std::vector<OwnedList> owned;
    for (const Sets &list : sets) {
        owned.emplace_back(list, sets.size());
    }
    const std::vector<Variable> start{0, 1, 2, 3};
    std::map<std::vector<Variable>, int> expected; // the orders that one move leads to, by how many moves do
    OrderState state(views(owned), start);
    int n_improving = 0;
    for (Variable x = 0; x < sets.size(); ++x) {
        for (std::size_t place = 0; place < sets.size(); ++place) {
            const auto order = inserted(start, x, place);
            if (OrderState(views(owned), order).score() > state.score()) {
                ++expected[order];
                ++n_improving;
            }
        }
    }
    CHECK(n_improving > 4);
    std::map<std::vector<Variable>, int> drawn;
    const int climbs = 6000;
    for (int seed = 0; seed < climbs; ++seed) {
        OrderState own(views(owned), start);
        OrderClimbRules rules;
        rules.moves = OrderMoves::insert_first;
        rules.max_moves = 1;
        Budget budget;
        CHECK(climb_order(own, rules, static_cast<std::uint64_t>(seed), budget) == 1);
        ++drawn[own.order()];
    }
    CHECK(drawn.size() == expected.size());
    for (const auto &[order, moves] : expected) {
        const double mean = static_cast<double>(climbs) * moves / n_improving;
        CHECK(std::abs(drawn[order] - mean) < 5 * std::sqrt(mean));
    }
}

TEST_CASE("a variable gives up its set where more others get theirs") {
    // x (3) has its only set behind p (2); 0 and 1 have none but behind x.
    const std::vector<Sets> sets{{{-1.0, {3}}}, {{-1.0, {3}}}, {{-1.0, {}}}, {{-1.0, {2}}}};
    std::vector<OwnedList> owned;
    for (const Sets &list : sets) {
        owned.emplace_back(list, sets.size());
    }
    OrderState state(views(owned), {0, 1, 2, 3});
    const auto best = state.best_insertion(3, 0.0);
    CHECK(best.position == 0);
    CHECK(near(best.change, OrderState(views(owned), {3, 0, 1, 2}).score() - state.score()));
    CHECK(best.change > 0.0);
}

TEST_CASE("lists over more variables than a word has bits") {
    Random random(7);
    const std::size_t n = 200;
    std::vector<Sets> sets;
    std::vector<OwnedList> owned;
    for (Variable v = 0; v < n; ++v) {
        sets.push_back(random_sets(random, n, v, 90, 4));
        sets.back().emplace_back(-70.0, Set{}); // again where there is one: nothing is missing
        owned.emplace_back(sets.back(), n);
        CHECK(owned.back().masks->words() > 1);
    }
    const auto score = [&](const std::vector<Variable> &order) { // by definition
        std::vector<std::size_t> position(n);
        for (std::size_t i = 0; i < n; ++i) {
            position[order[i]] = i;
        }
        double sum = 0.0;
        for (Variable v = 0; v < n; ++v) {
            double best = anything;
            for (const auto &[own, set] : sets[v]) {
                const bool fits = std::ranges::all_of(set, [&](Member x) { return position[x] < position[v]; });
                best = fits ? std::max(best, own) : best;
            }
            sum += best;
        }
        return sum;
    };
    OrderState state(views(owned), random_order(random, n));
    for (int step = 0; step < 20; ++step) {
        const std::vector<Variable> order = state.order();
        CHECK(state.score() == score(order));
        const auto x = static_cast<Variable>(random.below(n));
        const auto changes = state.insertions(x, anything);
        for (const std::size_t j : {random.below(n), random.below(n), random.below(n), std::size_t{0}, n - 1}) {
            CHECK(changes[j] == score(inserted(order, x, j)) - score(order));
        }
        const std::size_t i = random.below(n - 1);
        CHECK(state.adjacent_swap(i) == score(inserted(order, order[i], i + 1)) - score(order));
        state.insert(x, random.below(n));
    }
}

TEST_CASE("sets of 64 members lose each of them") {
    const std::size_t n = 66;
    const Variable child = 65;
    Random random(4);
    Set all(64);
    std::iota(all.begin(), all.end(), Member{0});
    std::vector<Sets> sets(n, {{0.0, {}}});
    sets[child] = {{-1.0, all}, {-500.0, {}}};
    for (Member out = 0; out < 64; ++out) { // without each member it is worth something else
        Set rest = all;
        std::erase(rest, out);
        sets[child].emplace_back(-2.0 - out, rest);
    }
    std::vector<OwnedList> owned;
    for (const Sets &list : sets) {
        owned.emplace_back(list, n);
    }
    std::vector<Variable> order = random_order(random, n);
    order = inserted(order, child, n - 1);
    const OrderState state(views(owned), order);
    for (Variable x = 0; x < 64; ++x) {
        CHECK(state.change(x, child) == -1.0 - x);
    }
    CHECK(state.change(64, child) == 0.0);
}

TEST_CASE("climbs end where no insertion improves") {
    Random random(5);
    const std::size_t n = 10;
    for (int table = 0; table < 10; ++table) {
        std::vector<OwnedList> owned;
        for (Variable v = 0; v < n; ++v) {
            owned.emplace_back(random_sets(random, n, v, 30, 3), n);
        }
        const auto lists = views(owned);
        for (const OrderMoves moves : {OrderMoves::insert_best, OrderMoves::insert_first, OrderMoves::insert_hybrid}) {
            OrderState state(lists, random_order(random, n));
            const double before = state.score();
            OrderClimbRules rules;
            rules.moves = moves;
            Budget budget;
            const std::uint64_t made = climb_order(state, rules, 7, budget);
            CHECK((made == 0 ? state.score() == before : state.score() > before));
            for (Variable x = 0; x < n; ++x) {
                for (std::size_t j = 0; j < n; ++j) {
                    CHECK(OrderState(lists, inserted(state.order(), x, j)).score() <= state.score() + 1e-9);
                }
            }
        }
    }
}

TEST_CASE("acyclic selection keeps what the order allows") {
    Random random(6);
    for (const std::size_t n : {1, 5, 130}) { // also more than two words of descendants
        std::vector<std::int64_t> variable_begin{0};
        std::vector<std::int64_t> set_begin{0};
        std::vector<Member> members;
        std::vector<double> scores;
        for (Variable v = 0; v < n; ++v) {
            Sets sets = random_sets(random, n, v, 20, 3);
            sets.emplace_back(-1000.0, Set{}); // again where there is one: no graph is without
            const OwnedList list(sets, n);
            scores.insert(scores.end(), list.scores.begin(), list.scores.end());
            members.insert(members.end(), list.members.begin(), list.members.end());
            for (std::size_t i = 1; i < list.begin.size(); ++i) {
                set_begin.push_back(set_begin.back() + list.begin[i] - list.begin[i - 1]);
            }
            variable_begin.push_back(static_cast<std::int64_t>(scores.size()));
        }
        const SetTable table(variable_begin, set_begin, members, scores);
        const auto order = random_order(random, n);
        const OrderClimbResult end = select_acyclic(table, order);
        CHECK(end.is_feasible);
        CHECK(end.start_score == OrderState(table.lists(), order).score());
        CHECK(end.score >= end.start_score);
        CHECK(OrderState(table.lists(), end.order).score() == end.score);
        for (Variable v = 0; v < n; ++v) { // all arcs lead forward
            for (const Variable parent : end.parents[v]) {
                CHECK(std::ranges::find(end.order, parent) < std::ranges::find(end.order, v));
            }
        }
        Budget budget;
        CHECK(climb_order(table, end.order, {}, 0, budget).score >= end.score);
    }
}
