#include "arcwise/parent_enumeration.hpp"

#include "arcwise/counting_engine.hpp"
#include "arcwise/random.hpp"
#include "random_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>

namespace {

using namespace arcwise;

constexpr std::size_t n_rows = 60;
constexpr std::size_t n_variables = 7;

// Each column follows the one before it half of the time.
struct Codes {
    std::vector<std::uint8_t> codes = std::vector<std::uint8_t>(n_rows * n_variables);
    std::vector<std::uint32_t> arities = std::vector<std::uint32_t>(n_variables);

    explicit Codes(std::uint64_t seed) {
        Random random(seed);
        for (std::size_t v = 0; v < n_variables; ++v) {
            arities[v] = static_cast<std::uint32_t>(2 + v % 2);
            for (std::size_t row = 0; row < n_rows; ++row) {
                const auto drawn = static_cast<std::uint8_t>(random.below(arities[v]));
                const bool follows = v > 0 && random.below(2) == 0;
                codes[v * n_rows + row] =
                    follows ? static_cast<std::uint8_t>(codes[(v - 1) * n_rows + row] % arities[v]) : drawn;
            }
        }
    }

    [[nodiscard]] LocalScore score(ScoreKind kind) const {
        return {TableView{n_rows, arities, codes.data(), {}}, kind, 1.0, bit_kernels(), 1 << 20};
    }
};

using Set = std::vector<std::uint16_t>;

// The values of all sets that beat all of their subsets.
std::map<Set, double> values_of(const LocalScore &score, Variable child, std::span<const Cluster> clusters,
                                std::span<const double> prices) {
    std::map<Set, double> values;
    std::vector<double> scores(std::size_t{1} << n_variables, -1e300);
    for (unsigned mask = 0; mask < scores.size(); ++mask) {
        if ((mask >> child & 1U) != 0) {
            continue;
        }
        std::vector<Variable> parents;
        for (Variable v = 0; v < n_variables; ++v) {
            if ((mask >> v & 1U) != 0) {
                parents.push_back(v);
            }
        }
        scores[mask] = score.engine().score({child, parents});
        bool is_beaten = false;
        for (unsigned fewer = mask; fewer != 0;) {
            fewer = (fewer - 1) & mask;
            is_beaten = is_beaten || scores[fewer] >= scores[mask] - score.rounding();
        }
        if (is_beaten) {
            continue;
        }
        double value = scores[mask];
        for (std::size_t i = 0; i < clusters.size(); ++i) {
            const auto &nodes = clusters[i].nodes;
            const auto common = std::ranges::count_if(nodes, [&](Variable v) { return (mask >> v & 1U) != 0; });
            const bool has_child = std::ranges::find(nodes, child) != nodes.end();
            value += has_child && common < clusters[i].first ? prices[i] : 0.0;
        }
        values[Set(parents.begin(), parents.end())] = value;
    }
    return values;
}

} // namespace

TEST_CASE("what comes after a candidate bounds the likelihood, and rows that nothing tells apart are counted") {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const Codes codes(seed);
        const LocalScore score = codes.score(ScoreKind::bdeu);
        const LocalScore likelihood = codes.score(ScoreKind::loglik);
        const std::vector<Variable> parents{2};
        const std::vector<Variable> candidates{5, 1, 4, 3};
        const Variable child = 0;
        std::vector<Supersets> tails(candidates.size());
        CHECK(score.engine().tails({child, parents}, candidates, {0.0, 6}, tails));
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            std::vector<Variable> all = parents;
            all.insert(all.end(), candidates.begin() + static_cast<std::ptrdiff_t>(i), candidates.end());
            CHECK(tails[i].most_likelihood ==
                  doctest::Approx(likelihood.engine().score({child, all})).epsilon(1e-9).scale(1.0));
            CHECK(tails[i].most_parents == 6);
            const auto state = [&](Variable v, std::size_t row) { return codes.codes[v * n_rows + row]; };
            std::map<std::vector<int>, std::set<int>> states; // of the child, by what all of them say
            for (std::size_t row = 0; row < n_rows; ++row) {
                std::vector<int> key;
                for (const Variable v : all) {
                    key.push_back(state(v, row));
                }
                states[key].insert(state(child, row));
            }
            std::set<std::vector<int>> mixed; // of the parent and the candidate, which come first
            for (const auto &[key, of_child] : states) {
                if (of_child.size() > 1) {
                    mixed.insert({key[0], key[1]});
                }
            }
            CHECK(tails[i].least_mixed == mixed.size());
        }
    }
}

TEST_CASE("an engine for some variables says the same of their families, from fewer rows") {
    const std::vector<Variable> variables{3, 0, 5, 1};
    const Variable child = 3;
    const std::vector<Variable> parents{0};
    const std::vector<Variable> candidates{5, 1};
    for (const std::uint32_t max_weight : {0U, 3U}) {
        const testing::RandomTable<std::uint16_t> table(500, {2, 3, 2, 4, 2, 2, 3}, 7, max_weight);
        for (const ScoreKind kind :
             {ScoreKind::bic, ScoreKind::ebic, ScoreKind::bdeu, ScoreKind::bds, ScoreKind::qnml}) {
            const CountingEngine whole(table.view(), kind, 1.0, bit_kernels());
            const auto part = whole.restricted(variables);
            REQUIRE(part != nullptr);
            CHECK(part->counter()->table().n_rows <= 3 * 4 * 2 * 2);
            CHECK(part->counter()->n_observations() == whole.counter()->n_observations());
            const auto all_of = [&](const ScoreEngine &engine) {
                std::vector<double> said{engine.score({child, {}}), engine.score({child, parents}), engine.rounding(),
                                         engine.penalty({child, parents})};
                std::vector<double> scores(candidates.size());
                std::vector<double> values(candidates.size());
                std::vector<Observed> observed(candidates.size());
                const Bounds bounds{{0.0, 6}, values, observed};
                CHECK(engine.additions({child, parents}, candidates, scores, &bounds, nullptr));
                std::vector<Supersets> tails(candidates.size());
                CHECK(engine.tails({child, parents}, candidates, {0.0, 6}, tails));
                said.insert(said.end(), scores.begin(), scores.end());
                said.insert(said.end(), values.begin(), values.end());
                for (std::size_t i = 0; i < candidates.size(); ++i) {
                    said.push_back(static_cast<double>(observed[i].cells));
                    said.push_back(tails[i].most_likelihood);
                    said.push_back(static_cast<double>(tails[i].least_mixed));
                }
                return said;
            };
            CHECK(all_of(*part) == all_of(whole));
        }
    }
}

TEST_CASE("rows are merged only where that leaves few, and where all count for all families") {
    testing::RandomTable<std::uint8_t> table(40, {200, 2, 2, 2}, 3);
    const std::vector<Variable> few{1, 2};
    const std::vector<Variable> many{0, 1};
    CHECK(CountingEngine(table.view(), ScoreKind::bic, 1.0, bit_kernels()).restricted(few) != nullptr);
    CHECK(CountingEngine(table.view(), ScoreKind::bic, 1.0, bit_kernels()).restricted(many) == nullptr);
    table.leave_rows_out(4);
    CHECK(CountingEngine(table.view(), ScoreKind::bic, 1.0, bit_kernels()).restricted(few) == nullptr);
}

TEST_CASE("enumeration finds every set above the threshold, and bounds what it did not look at") {
    const std::vector<Cluster> clusters{{{0, 1, 2}, 1}, {{1, 2, 3, 4}, 2}, {{0, 5}, 1}};
    const std::vector<double> prices{0.5, 1.25, 2.0};
    for (const ScoreKind kind : {ScoreKind::bic, ScoreKind::bdeu, ScoreKind::bds, ScoreKind::k2, ScoreKind::fnml}) {
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
            const Codes codes(seed);
            const LocalScore score = codes.score(kind);
            for (Variable child = 0; child < n_variables; ++child) {
                std::vector<Variable> others;
                for (Variable v = 0; v < n_variables; ++v) {
                    if (v != child) {
                        others.push_back(v);
                    }
                }
                const std::map<Set, double> values = values_of(score, child, clusters, prices);
                double best = values.begin()->second;
                for (const auto &[set, value] : values) {
                    best = std::max(best, value);
                }
                for (const std::size_t max_parents : {std::size_t{2}, n_variables}) {
                    for (const std::uint64_t evaluations : {std::uint64_t{4}, Budget::no_evaluation_limit}) {
                        Budget budget(Budget::no_time_limit, evaluations);
                        const double threshold = best - 6.0;
                        const EnumerationResult found =
                            enumerate_parents(score, child, {}, others, clusters, prices,
                                              {max_parents, n_variables - 1, threshold, 1000}, budget);
                        std::vector<Set> listed;
                        for (std::size_t i = 0; i < found.found.sets.size(); ++i) {
                            const auto set = found.found.sets.set(i);
                            listed.emplace_back(set.begin(), set.end());
                        }
                        CHECK(std::ranges::find(listed, Set{}) != listed.end());
                        for (const auto &[set, value] : values) {
                            const bool is_listed = std::ranges::find(listed, set) != listed.end();
                            const double rest = set.size() > max_parents ? found.deeper : found.rest;
                            const bool is_bounded = value <= std::max(threshold, rest) + 1e-9;
                            const bool is_deeper = set.size() > max_parents && value <= found.rest + 1e-9;
                            CHECK((is_listed || is_bounded || is_deeper));
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("enumeration finds the same on merged rows as on all of them") {
    const testing::RandomTable<std::uint8_t> table(400, {2, 3, 2, 2, 3, 2, 2, 2, 3, 2, 2, 2, 2, 2}, 5);
    TableView never_merged = table.view();
    never_merged.masks = std::make_shared<RowMasks>(table.n_rows, table.arities.size()); // all rows count
    for (const ScoreKind kind : {ScoreKind::bic, ScoreKind::bdeu}) {
        const auto enumerated = [&](TableView view) {
            const LocalScore score{std::move(view), kind, 1.0, bit_kernels(), 1 << 20};
            const Variable child = 4;
            std::vector<Variable> others(table.arities.size());
            std::iota(others.begin(), others.end(), Variable{0});
            std::erase(others, child);
            Budget budget(Budget::no_time_limit, Budget::no_evaluation_limit);
            const double threshold = score.engine().score({child, {}}) - 60.0;
            return enumerate_parents(score, child, {}, others, {}, {},
                                     {others.size(), others.size(), threshold, 100'000}, budget);
        };
        const EnumerationResult merged = enumerated(table.view());
        const EnumerationResult all = enumerated(never_merged);
        CHECK(merged.found.scored == all.found.scored);
        CHECK(merged.found.scored > 500);
        CHECK(merged.found.sets.scores == all.found.sets.scores);
        REQUIRE(merged.found.sets.size() == all.found.sets.size());
        for (std::size_t i = 0; i < all.found.sets.size(); ++i) {
            CHECK(std::ranges::equal(merged.found.sets.set(i), all.found.sets.set(i)));
        }
    }
}
