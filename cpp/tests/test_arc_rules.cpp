#include "arcwise/arc_rules.hpp"
#include "arcwise/random.hpp"

#include "rules.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace arcwise;
using testing::Lists;
using testing::Rules;

namespace {

// The same rules as a matrix by [child * n + parent].
std::vector<bool> by_definition(const Rules &rules, std::size_t n) {
    std::vector<bool> allowed(n * n, false);
    for (std::size_t child = 0; child < n; ++child) {
        for (std::size_t parent = 0; parent < n; ++parent) {
            const auto lists = [&](const Lists &given) {
                const auto list = given.view().of(child);
                return std::ranges::find(list, parent) != list.end();
            };
            const bool leads_back = !rules.tiers.empty() && rules.tiers[child] >= 0 &&
                                    (rules.tiers[parent] > rules.tiers[child] ||
                                     (rules.tiers[parent] == rules.tiers[child] && rules.tiers[child] % 2 == 1));
            const bool is_apart = !rules.isolated.empty() && (rules.isolated[child] || rules.isolated[parent]);
            allowed[child * n + parent] = child != parent && !leads_back && !lists(rules.forbidden) &&
                                          (!is_apart || lists(rules.exempt)) &&
                                          (!rules.candidates || lists(*rules.candidates));
        }
    }
    return allowed;
}

// Rules of all kinds, in pairs often enough for some to be symmetric.
Rules random_rules(Random &random, std::size_t n) {
    Rules rules(n);
    const bool in_pairs = random.below(2) == 0;
    const auto fill = [&](Lists &lists, std::size_t one_in) {
        for (Variable a = 0; a < n; ++a) {
            for (Variable b = 0; b < n; ++b) {
                if (a != b && random.below(one_in) == 0) {
                    lists.add(a, b);
                    if (in_pairs) {
                        lists.add(b, a);
                    }
                }
            }
        }
    };
    if (random.below(2) == 0) {
        fill(rules.forbidden, 1 + random.below(5));
    }
    if (random.below(3) == 0) {
        rules.candidates.emplace(n);
        fill(*rules.candidates, 1 + random.below(4));
    }
    if (random.below(3) == 0) {
        for (std::size_t v = 0; v < n; ++v) {
            rules.tiers.push_back(static_cast<std::int32_t>(random.below(3)) - 1);
        }
    }
    if (random.below(3) == 0) {
        for (std::size_t v = 0; v < n; ++v) {
            rules.isolated.push_back(random.below(3) == 0);
        }
        fill(rules.exempt, 6);
    }
    return rules;
}

} // namespace

TEST_CASE("lists allow what a matrix of the same rules does") {
    Random random(7);
    std::size_t n_symmetric = 0;
    std::size_t n_cases = 0;
    for (int draw = 0; draw < 3000; ++draw) {
        const std::size_t n = 1 + random.below(5);
        const Rules rules = random_rules(random, n);
        const ArcRules view = rules.view();
        const std::vector<bool> allowed = by_definition(rules, n);
        bool is_symmetric = true;
        bool is_free = true;
        for (std::size_t child = 0; child < n; ++child) {
            std::vector<Variable> expected;
            for (Variable parent = 0; parent < n; ++parent) {
                const bool is_allowed = allowed[child * n + parent];
                CHECK(view.is_allowed(child, parent) == is_allowed);
                is_symmetric = is_symmetric && is_allowed == allowed[parent * n + child];
                is_free = is_free && is_allowed == (child != parent);
                if (is_allowed) {
                    expected.push_back(parent);
                }
            }
            std::vector<Variable> found;
            view.for_each_allowed(child, [&](Variable parent) { found.push_back(parent); });
            CHECK(found == expected);
        }
        CHECK(view.is_symmetric() == is_symmetric);
        CHECK((!view.allows_all() || is_free));
        n_symmetric += is_symmetric && !view.allows_all();
        n_cases += !view.allows_all();
    }
    CHECK(n_symmetric > 300);
    CHECK(n_symmetric < n_cases - 300);
}

TEST_CASE("required parents are listed") {
    Rules rules(4);
    CHECK(!rules.view().requires_any());
    CHECK(rules.view().required_parents(3).empty());
    rules.require(2, 3);
    rules.require(0, 3);
    const ArcRules view = rules.view();
    CHECK(view.requires_any());
    CHECK(std::ranges::equal(view.required_parents(3), std::vector<Variable>{0, 2}));
    CHECK(view.required_parents(0).empty());
    CHECK(view.is_required(3, 2));
    CHECK(!view.is_required(2, 3));
    CHECK(view.allows_all());
}
