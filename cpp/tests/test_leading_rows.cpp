#include "arcwise/forbidden_pairs.hpp"
#include "arcwise/leading_rows.hpp"
#include "arcwise/random.hpp"
#include "arcwise/sum_tree.hpp"

#include "near.hpp"
#include "random_table.hpp"
#include "rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

using namespace arcwise;
using testing::near;
using testing::RandomTable;
using testing::Rules;

TEST_CASE("a row begins as all candidates do when they are sorted") {
    Random random(3);
    for (const std::size_t n : {0, 1, 5, 40, 64, 65, 100, 1000}) {
        std::vector<Variable> candidates(n);
        std::iota(candidates.begin(), candidates.end(), Variable{7});
        std::vector<double> scores(n);
        for (double &score : scores) { // with ties, and with scores that cannot be had
            score = random.below(20) == 0 ? -std::numeric_limits<double>::infinity()
                                          : static_cast<double>(random.below(30));
        }
        std::vector<std::pair<double, Variable>> sorted;
        for (std::size_t i = 0; i < n; ++i) {
            sorted.emplace_back(-scores[i], candidates[i]);
        }
        std::ranges::sort(sorted);
        for (const std::size_t length : {1, 8, 32, 128}) {
            const LeadingRow row = leading_row(candidates, scores, length);
            CHECK(row.scores.size() >= std::min(n, length));
            CHECK(row.scores.size() <= 2 * length);
            CHECK(row.is_whole == (row.scores.size() == n));
            for (std::size_t k = 0; k < row.scores.size(); ++k) {
                CHECK(row.scores[k] == -sorted[k].first);
                CHECK(row.variables[k] == sorted[k].second);
            }
        }
    }
}

TEST_CASE("rows are those of their family, however long and however little memory there is") {
    const std::size_t n = 150;
    const RandomTable<std::uint8_t> table(200, std::vector<std::uint32_t>(n, 2), 8);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), 1 << 20);
    Budget budget;
    Team team(2);
    for (const std::size_t max_bytes : {std::size_t{0}, std::size_t{6000}, std::size_t{1} << 20}) {
        LeadingRows rows(score, max_bytes);
        for (const std::size_t length : {32, 40, 128}) {
            for (Variable child = 0; child < 4; ++child) {
                for (Variable parent = 10; parent < 14; ++parent) {
                    const std::vector<Variable> parents{parent};
                    const LeadingRows::Row row = rows.row({child, parents}, length, budget, team);
                    CHECK((row->is_whole || row->scores.size() >= length));
                    CHECK(std::ranges::is_sorted(row->scores, std::greater<>()));
                    for (std::size_t k = 0; k < row->scores.size(); ++k) {
                        CHECK(row->scores[k] == score.local(child, std::vector{parent, row->variables[k]}));
                    }
                    CHECK(std::ranges::find(row->variables, child) == row->variables.end());
                    CHECK(std::ranges::find(row->variables, parent) == row->variables.end());
                }
            }
        }
        CHECK(rows.bytes() <= std::max<std::size_t>(max_bytes, 4 * 4000)); // of each child the last one
        const std::uint64_t before = score.evaluations();
        const bool knows_all = max_bytes == 1 << 20;
        for (Variable child = 0; child < 4; ++child) {
            (void)rows.row({child, std::vector<Variable>{10}}, 32, budget, team);
        }
        CHECK((score.evaluations() == before) == knows_all);
    }
    Budget spent(0.0);
    LeadingRows rows(score, 1 << 20);
    CHECK(rows.row({0, {}}, 32, spent, team) == nullptr);
}

TEST_CASE("pairs are forbidden both ways, whoever has looked") {
    const std::size_t n = 12;
    Rules rules(n);
    Random random(5);
    for (std::size_t i = 0; i < 30; ++i) {
        rules.forbid(static_cast<Variable>(random.below(n)), static_cast<Variable>(random.below(n)));
    }
    const ArcRules view = rules.view();
    std::optional<ForbiddenPairs> pairs(std::in_place, view, n);
    std::set<std::pair<Variable, Variable>> expected;
    const auto is_forbidden = [&](Variable a, Variable b) { return expected.contains(std::minmax(a, b)); };
    for (int step = 0; step < 200; ++step) {
        const auto node = static_cast<Variable>(random.below(n));
        if (random.below(4) == 0) {
            std::vector<Variable> open;
            for (Variable x = 0; x < n; ++x) {
                if (!view.is_allowed(node, x)) {
                    continue;
                }
                if (!is_forbidden(node, x) && random.below(8) != 0) {
                    open.push_back(x);
                } else {
                    expected.insert(std::minmax(node, x));
                }
            }
            pairs->leave(node, open);
            CHECK(pairs->has_looked(node));
            CHECK(std::ranges::equal(pairs->left(node), open));
        } else if (const auto x = static_cast<Variable>(random.below(n)); view.is_allowed(node, x)) {
            pairs->insert(node, x);
            expected.insert(std::minmax(node, x));
        }
        for (Variable a = 0; a < n; ++a) {
            for (Variable b = 0; b < n; ++b) {
                CHECK((a == b || pairs->contains(a, b) == is_forbidden(a, b)));
            }
        }
        if (expected.size() > 40) {
            pairs.emplace(view, n);
            expected.clear();
        }
    }
}

TEST_CASE("a sum depends on its numbers alone") {
    Random random(9);
    for (const std::size_t n : {1, 2, 7, 64, 100}) {
        std::vector<double> values(n, 0.0);
        SumTree changed(n);
        for (int step = 0; step < 300; ++step) {
            const std::size_t i = random.below(n);
            values[i] = static_cast<double>(random.below(1000)) / 7.0;
            changed.set(i, values[i]);
            CHECK(changed[i] == values[i]);
        }
        SumTree fresh(n);
        for (std::size_t i = n; i-- > 0;) {
            fresh.set(i, values[i]);
        }
        CHECK(changed.sum() == fresh.sum());
        CHECK(near(changed.sum(), std::accumulate(values.begin(), values.end(), 0.0)));
    }
}
