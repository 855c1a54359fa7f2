#include "arcwise/local_score.hpp"

#include "near.hpp"
#include "random_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <thread>

using namespace arcwise;
using testing::near;
using testing::RandomTable;

namespace {

constexpr std::size_t cache_bytes = 1 << 20;

// The log-likelihood of a family by its definition.
template <class Code>
double log_likelihood(const RandomTable<Code> &table, Variable child, const std::vector<Variable> &parents) {
    std::map<std::vector<std::size_t>, std::map<std::size_t, double>> counts;
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        if (!table.counts(row, child, parents)) {
            continue;
        }
        std::vector<std::size_t> configuration;
        for (const Variable parent : parents) {
            configuration.push_back(table.code(parent, row));
        }
        counts[configuration][table.code(child, row)] += table.weight(row);
    }
    double sum = 0.0;
    for (const auto &[configuration, of_child] : counts) {
        double n_j = 0.0;
        for (const auto &[state, n_jk] : of_child) {
            n_j += n_jk;
        }
        for (const auto &[state, n_jk] : of_child) {
            sum += n_jk > 0.0 ? n_jk * std::log(n_jk / n_j) : 0.0;
        }
    }
    return sum;
}

std::vector<Variable> first_variables(Variable n) {
    std::vector<Variable> all;
    for (Variable v = 0; v < n; ++v) {
        all.push_back(v);
    }
    return all;
}

template <class Code> void check_all_families(const RandomTable<Code> &table) {
    const auto n = static_cast<Variable>(table.arities.size());
    const LocalScore score(table.view(), ScoreKind::loglik, 1.0, bit_kernels(), cache_bytes);
    for (Variable child = 0; child < n; ++child) {
        std::vector<Variable> parents;
        std::vector<Variable> others = first_variables(n);
        std::erase(others, child);
        while (!others.empty()) {
            std::vector<double> added(others.size());
            CHECK(score.additions(child, parents, others, added));
            for (std::size_t i = 0; i < others.size(); ++i) {
                std::vector<Variable> more = parents;
                more.push_back(others[i]);
                CHECK(near(added[i], log_likelihood(table, child, more)));
            }
            parents.push_back(others.back());
            others.pop_back();
            std::vector<double> removed(parents.size());
            score.removals(child, parents, removed);
            for (std::size_t i = 0; i < parents.size(); ++i) {
                std::vector<Variable> fewer = parents;
                fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
                CHECK(near(removed[i], log_likelihood(table, child, fewer)));
            }
        }
    }
}

} // namespace

TEST_CASE("families equal the definition") {
    check_all_families(RandomTable<std::uint8_t>(1, {2, 3}, 1));
    check_all_families(RandomTable<std::uint8_t>(700, {2, 3, 1, 4, 2, 2}, 2));
    check_all_families(RandomTable<std::uint8_t>(700, {2, 3, 2, 4, 2, 5}, 3, 9));
    check_all_families(RandomTable<std::uint8_t>(300, {70, 2, 3, 200}, 4));
    check_all_families(RandomTable<std::uint16_t>(300, {2, 1000, 3, 40000}, 5, 3));
}

// All three ways of counting, each against counting by hand.
TEST_CASE("the ways of counting agree") {
    const auto check = [](const auto &table, const std::vector<Variable> &parents) {
        const Counter counter(table.view(), bit_kernels());
        const Variable child = 0;
        std::vector<Variable> candidates;
        std::vector<std::size_t> chosen;
        for (Variable v = 1; v < table.arities.size(); ++v) {
            if (std::find(parents.begin(), parents.end(), v) == parents.end()) {
                chosen.push_back(candidates.size());
                candidates.push_back(v);
            }
        }
        // Counts of a candidate as the sorted list of its non-zero rows: ways may number configurations differently.
        using Rows = std::vector<std::vector<std::uint32_t>>;
        const std::size_t r = table.arities[child];
        const auto sorted_rows = [r](std::span<const std::uint32_t> counts) {
            Rows rows;
            for (std::size_t row = 0; row < counts.size(); row += r) {
                const auto states = counts.subspan(row, r);
                if (std::any_of(states.begin(), states.end(), [](std::uint32_t n) { return n > 0; })) {
                    rows.emplace_back(states.begin(), states.end());
                }
            }
            std::sort(rows.begin(), rows.end());
            return rows;
        };
        const auto by_hand = [&](Variable candidate) {
            std::map<std::vector<std::size_t>, std::vector<std::uint32_t>> counts;
            for (std::size_t row = 0; row < table.n_rows; ++row) {
                std::vector<Variable> with_candidate = parents;
                with_candidate.push_back(candidate);
                if (!table.counts(row, child, with_candidate)) {
                    continue;
                }
                std::vector<std::size_t> configuration{table.code(candidate, row)};
                for (const Variable parent : parents) {
                    configuration.push_back(table.code(parent, row));
                }
                auto &states = counts[configuration];
                states.resize(r);
                states[table.code(child, row)] += table.weight(row);
            }
            std::vector<std::uint32_t> flat;
            for (const auto &[configuration, states] : counts) {
                flat.insert(flat.end(), states.begin(), states.end());
            }
            return sorted_rows(flat);
        };
        for (const auto way : {&Counter::count_by_planes, &Counter::count_by_row_words, &Counter::count_by_histogram}) {
            std::size_t used = 0;
            const auto use = [&](std::size_t i, std::span<const std::uint32_t> counts, std::uint32_t largest) {
                const Rows rows = sorted_rows(counts);
                CHECK(rows == by_hand(candidates[i]));
                for (const auto &row : rows) {
                    CHECK(std::accumulate(row.begin(), row.end(), 0U) <= largest);
                }
                ++used;
            };
            const auto misfit = [](std::size_t) { CHECK(false); };
            const Counter::Additions additions{child, parents, candidates, use, misfit, nullptr};
            std::vector<std::size_t> alike; // the same rows count for them
            for (const std::size_t i : chosen) {
                if (!counter.has_gaps(candidates[i])) {
                    alike.push_back(i);
                    continue;
                }
                BitBlocks buffer;
                std::vector<Variable> with_candidate = parents;
                with_candidate.push_back(candidates[i]);
                const std::uint64_t *rows = counter.rows_of_family(child, with_candidate, buffer);
                CHECK((counter.*way)(additions, std::vector{i}, rows));
            }
            BitBlocks buffer;
            CHECK((counter.*way)(additions, alike, counter.rows_of_family(child, parents, buffer)));
            CHECK(used == chosen.size());
        }
    };
    std::vector<std::uint32_t> arities(90, 2);
    arities[3] = 3;
    arities[40] = 30;
    arities[41] = 1;
    // Constant columns behind and between exactly full blocks of 64 columns.
    std::vector<std::uint32_t> full(67, 2);
    full[30] = full[65] = full[66] = 1;
    check(RandomTable<std::uint8_t>(400, full, 22), {1, 2});
    check(RandomTable<std::uint8_t>(400, {2, 1, 1}, 23), {1});
    for (const std::uint32_t max_weight : {0U, 6U}) {
        for (const std::vector<Variable> &parents : {std::vector<Variable>{}, {3}, {3, 7, 1}, {40, 2, 3, 4, 5, 6}}) {
            check(RandomTable<std::uint8_t>(900, arities, 20, max_weight), parents);
            check(RandomTable<std::uint16_t>(300, arities, 21, max_weight), parents);
            RandomTable<std::uint8_t> masked(900, arities, 24, max_weight);
            masked.leave_rows_out(25);
            check(masked, parents);
        }
    }
}

TEST_CASE("rows that do not count for a family are left out") {
    std::uint64_t seed = 60;
    const auto check = [&](auto table) {
        table.leave_rows_out(++seed);
        check_all_families(table);
    };
    check(RandomTable<std::uint8_t>(1, {2, 3}, 61));
    check(RandomTable<std::uint8_t>(65, {2, 3, 2, 2}, 62));
    check(RandomTable<std::uint8_t>(700, {2, 3, 1, 4, 2, 2}, 63));
    check(RandomTable<std::uint8_t>(700, {2, 3, 2, 4, 2, 5}, 64, 9));
    check(RandomTable<std::uint8_t>(300, {70, 2, 3, 200}, 65));
    check(RandomTable<std::uint16_t>(300, {2, 1000, 3, 40000}, 66, 3)); // beyond what fits a table
}

TEST_CASE("a family for which no row counts has what its penalty leaves") {
    RandomTable<std::uint8_t> table(20, {2, 2, 3}, 67);
    table.leave_rows_out(68);
    table.forced[0].assign(20, 1);
    const std::vector<Variable> parents{2};
    const std::vector<Variable> candidates{1, 2};
    for (const ScoreKind kind : score_kinds()) {
        const LocalScore score(table.view(), kind, 0.5, bit_kernels(), cache_bytes);
        CHECK(near(score.local(0, parents), -score.engine().penalty({0, parents})));
        std::vector<double> added(2);
        CHECK(score.additions(0, {}, candidates, added));
        CHECK(near(added[0], -score.engine().penalty({0, with_one_more({}, 1)})));
    }
}

TEST_CASE("families of many parents are counted sparsely") {
    const RandomTable<std::uint8_t> table(500, std::vector<std::uint32_t>(45, 3), 6);
    const LocalScore score(table.view(), ScoreKind::loglik, 1.0, bit_kernels(), cache_bytes);
    const std::vector<Variable> parents = first_variables(44); // 3^44 configurations
    CHECK(near(score.local(44, parents), log_likelihood(table, 44, parents)));
}

TEST_CASE("a full cache forgets and stays right") {
    const RandomTable<std::uint8_t> table(200, std::vector<std::uint32_t>(8, 2), 7);
    for (const std::size_t bytes : {0UL, 2000UL, 4000UL}) {
        const LocalScore score(table.view(), ScoreKind::loglik, 1.0, bit_kernels(), bytes);
        for (unsigned pass = 0; pass < 2; ++pass) {
            for (unsigned set = 0; set < 128; ++set) {
                std::vector<Variable> parents;
                for (Variable v = 0; v < 7; ++v) {
                    if ((set >> v & 1) != 0) {
                        parents.push_back(v);
                    }
                }
                CHECK(near(score.local(7, parents), log_likelihood(table, 7, parents)));
            }
        }
        CHECK(score.cache_bytes() <= bytes);
        CHECK(score.evaluations() + score.cache_hits() == 256);
    }
}

TEST_CASE("a second look is a hit") {
    const RandomTable<std::uint8_t> table(200, {2, 2, 2}, 8);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), cache_bytes);
    const std::vector<Variable> forth{1, 2};
    const std::vector<Variable> back{2, 1};
    const double first = score.local(0, forth);
    CHECK(score.evaluations() == 1);
    CHECK(score.local(0, back) == first);
    CHECK(score.evaluations() == 1);
    CHECK(score.cache_hits() == 1);
}

TEST_CASE("a spent budget stops a batch") {
    const RandomTable<std::uint8_t> table(200, {2, 2, 2, 100}, 9);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels(), cache_bytes);
    Budget budget;
    budget.interrupt();
    const std::vector<Variable> candidates{1, 2, 3};
    std::vector<double> scores(3);
    CHECK(!score.additions(0, {}, candidates, scores, &budget));
    CHECK(std::isnan(scores[0]));
    CHECK(std::isnan(scores[1]));
    CHECK(std::isnan(scores[2]));
    CHECK(score.evaluations() == 0);
}

TEST_CASE("threads share one score") {
    const RandomTable<std::uint8_t> table(400, {2, 3, 4, 2, 3, 70}, 10);
    for (const ScoreKind kind : score_kinds()) {
        const LocalScore alone(table.view(), kind, 1.0, bit_kernels(), cache_bytes);
        const LocalScore shared(table.view(), kind, 1.0, bit_kernels(), 3000);
        std::vector<std::vector<double>> found(4, std::vector<double>(6 * 4));
        {
            std::vector<std::jthread> threads;
            for (auto &mine : found) {
                threads.emplace_back([&shared, &mine] {
                    for (Variable child = 0; child < 6; ++child) {
                        const std::vector<Variable> parents{(child + 1) % 6};
                        const std::vector<Variable> others{(child + 2) % 6, (child + 3) % 6, (child + 4) % 6,
                                                           (child + 5) % 6};
                        shared.additions(child, parents, others, std::span(mine).subspan(child * 4, 4));
                    }
                });
            }
        }
        for (const auto &mine : found) {
            for (Variable child = 0; child < 6; ++child) {
                for (Variable i = 0; i < 4; ++i) {
                    const std::vector<Variable> parents{(child + 1) % 6, (child + 2 + i) % 6};
                    CHECK(near(mine[child * 4 + i], alone.local(child, parents)));
                }
            }
        }
    }
}

TEST_CASE("a table that does not fit is made where more cells are allowed") {
    const std::uint32_t many = 300;
    RandomTable<std::uint16_t> table(many, {60, many, 7}, 41);
    std::iota(table.codes.begin() + many, table.codes.begin() + 2 * many, std::uint16_t{0}); // all different
    const Counter counter(table.view(), bit_kernels());
    const std::vector<Variable> parents{1, 2};
    FamilyTable found;
    CHECK(!counter.tabulate(0, parents, found));
    CHECK(!counter.tabulate(0, parents, many * 60 - 1, found));
    REQUIRE(counter.tabulate(0, parents, many * 60, found));
    CHECK(!found.is_complete);
    REQUIRE(found.counts.size() == many * 60);
    CHECK(std::accumulate(found.counts.begin(), found.counts.end(), 0U) == many);
    for (std::size_t row = 0; row < many; ++row) { // one observation each
        CHECK(std::accumulate(found.counts.begin() + row * 60, found.counts.begin() + (row + 1) * 60, 0U) == 1);
    }
}
