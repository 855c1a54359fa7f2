#include "arcwise/inference.hpp"

#include "arcwise/random.hpp"

#include "near.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

using namespace arcwise;
using testing::near;

namespace {

// Nodes in a row of layers, each with up to three parents before it, some of them with one state; and rows of evidence.
struct RandomNetwork {
    RandomNetwork(std::size_t n, std::size_t n_rows, double share, std::uint64_t seed) : rows(n_rows) {
        Random random(seed);
        std::vector<std::uint32_t> arities;
        std::vector<Scope> parents(n);
        std::vector<std::vector<double>> tables;
        for (std::uint32_t node = 0; node < n; ++node) {
            arities.push_back(1 + static_cast<std::uint32_t>(random.below(3)));
            std::size_t configurations = 1;
            for (std::uint32_t parent = 0; parent < node; ++parent) {
                if (parents[node].size() < 3 && random.fraction() < 0.4) {
                    parents[node].push_back(parent);
                    configurations *= arities[parent];
                }
            }
            std::vector<double> table;
            for (std::size_t k = 0; k < configurations; ++k) {
                std::vector<double> row(arities[node]);
                for (double &cell : row) {
                    cell = random.fraction() < 0.2 ? 0.0 : random.fraction();
                }
                row[random.below(row.size())] += 0.1;
                const double sum = std::accumulate(row.begin(), row.end(), 0.0);
                for (const double cell : row) {
                    table.push_back(cell / sum);
                }
            }
            tables.push_back(std::move(table));
        }
        codes.resize(n * n_rows);
        for (std::size_t node = 0; node < n; ++node) {
            for (std::size_t row = 0; row < n_rows; ++row) {
                codes[node * n_rows + row] =
                    static_cast<std::uint8_t>(random.fraction() < share ? random.below(arities[node]) : arities[node]);
            }
        }
        network.emplace(std::move(arities), parents, std::move(tables));
    }

    [[nodiscard]] RowEvidence evidence() const {
        RowEvidence found;
        found.narrow = codes.data();
        found.n_rows = rows;
        return found;
    }

    // The probability of the states of all nodes, and of each row's evidence with them.
    template <class Use> void for_worlds(std::size_t row, const Use &use) const {
        std::vector<std::uint32_t> states(network->size(), 0);
        while (true) {
            double weight = 1.0;
            for (std::uint32_t node = 0; node < network->size(); ++node) {
                std::size_t place = 0;
                for (std::size_t k = 0; k < network->families[node].size(); ++k) {
                    place += std::size_t{states[network->families[node][k]]} * network->strides[node][k];
                }
                weight *= network->tables[node][place];
                const std::uint32_t code = codes[node * rows + row];
                weight *= code == network->arities[node] || code == states[node] ? 1.0 : 0.0;
            }
            use(states, weight);
            std::size_t node = 0;
            while (node < states.size() && ++states[node] == network->arities[node]) {
                states[node++] = 0;
            }
            if (node == states.size()) {
                return;
            }
        }
    }

    std::optional<DiscreteNetwork> network;
    std::vector<std::uint8_t> codes;
    std::size_t rows;
};

struct Posteriors {
    std::vector<std::vector<double>> tables;
    std::vector<double> logs;
};

Posteriors posteriors_of(const RandomNetwork &random, const std::vector<Scope> &sets, std::size_t threads) {
    const Inference inference(*random.network);
    Posteriors found;
    RowAnswers answers;
    for (const Scope &set : sets) {
        std::size_t cells = random.rows;
        for (const std::uint32_t node : set) {
            cells *= random.network->arities[node];
        }
        found.tables.emplace_back(cells, 0.0);
    }
    for (std::vector<double> &table : found.tables) {
        answers.posteriors.push_back(table.data());
    }
    found.logs.assign(random.rows, std::numeric_limits<double>::quiet_NaN());
    answers.log_probabilities = found.logs;
    const Budget budget(Budget::no_time_limit, Budget::no_evaluation_limit, nullptr, 0.0, false, threads);
    const Question question{Question::Kind::posteriors, sets};
    const InferenceOutcome outcome =
        inference.answer(question, random.evidence(), answers, {std::size_t{1} << 30}, budget);
    CHECK(outcome.is_complete);
    CHECK(!outcome.too_wide);
    return found;
}

std::vector<Scope> all_nodes(const DiscreteNetwork &network) {
    std::vector<Scope> sets;
    for (std::uint32_t node = 0; node < network.size(); ++node) {
        sets.push_back({node});
    }
    return sets;
}

bool same_bits(const std::vector<double> &a, const std::vector<double> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

} // namespace

TEST_CASE("posteriors are those of all worlds") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const double share = std::array{0.0, 0.3, 0.9}[seed % 3];
        const RandomNetwork random(1 + seed % 7, 1 + seed % 20, share, seed);
        std::vector<Scope> sets = all_nodes(*random.network);
        sets.insert(sets.end(), random.network->families.begin(), random.network->families.end());
        const Posteriors found = posteriors_of(random, sets, 1 + seed % 3);
        for (std::size_t row = 0; row < random.rows; ++row) {
            double total = 0.0;
            std::vector<std::vector<double>> sums;
            for (const std::vector<double> &table : found.tables) {
                sums.emplace_back(table.size() / random.rows, 0.0);
            }
            random.for_worlds(row, [&](const std::vector<std::uint32_t> &states, double weight) {
                total += weight;
                for (std::size_t k = 0; k < sets.size(); ++k) {
                    std::size_t place = 0;
                    for (const std::uint32_t node : sets[k]) {
                        place = place * random.network->arities[node] + states[node];
                    }
                    sums[k][place] += weight;
                }
            });
            if (total == 0.0) {
                CHECK(found.logs[row] == -std::numeric_limits<double>::infinity());
                CHECK(std::isnan(found.tables[0][row * sums[0].size()]));
                continue;
            }
            CHECK(near(found.logs[row], std::log(total)));
            for (std::size_t k = 0; k < sets.size(); ++k) {
                for (std::size_t c = 0; c < sums[k].size(); ++c) {
                    CHECK(near(found.tables[k][row * sums[k].size() + c], sums[k][c] / total));
                }
            }
        }
    }
}

TEST_CASE("explanations are the most probable worlds, and draws are possible ones") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const RandomNetwork random(1 + seed % 6, 1 + seed % 18, seed % 2 == 0 ? 0.3 : 0.7, seed);
        const Inference inference(*random.network);
        for (const Question::Kind kind : {Question::Kind::most_probable, Question::Kind::draws}) {
            std::vector<std::uint8_t> codes = random.codes;
            std::vector<double> logs(random.rows);
            RowAnswers answers;
            answers.log_probabilities = logs;
            answers.narrow = codes.data();
            answers.seed = seed;
            const Question question{kind, {}};
            const InferenceOutcome outcome =
                inference.answer(question, random.evidence(), answers, {std::size_t{1} << 30}, Budget());
            CHECK(outcome.is_complete);
            for (std::size_t row = 0; row < random.rows; ++row) {
                double most = 0.0;
                double chosen = 0.0;
                random.for_worlds(row, [&](const std::vector<std::uint32_t> &states, double weight) {
                    most = std::max(most, weight);
                    bool is_chosen = true;
                    for (std::size_t node = 0; node < states.size(); ++node) {
                        is_chosen = is_chosen && codes[node * random.rows + row] == states[node];
                    }
                    chosen = is_chosen ? weight : chosen;
                });
                if (most > 0.0) {
                    CHECK(chosen > 0.0);
                    CHECK((kind == Question::Kind::draws || near(std::log(chosen), std::log(most))));
                } else {
                    CHECK(std::isinf(logs[row]));
                }
            }
        }
    }
}

TEST_CASE("threads do not change a posterior") {
    for (const double share : {0.1, 0.6}) {
        const RandomNetwork random(30, 400, share, 5);
        const std::vector<Scope> sets = all_nodes(*random.network);
        const Posteriors alone = posteriors_of(random, sets, 1);
        for (const std::size_t threads : {2, 4}) {
            const Posteriors shared = posteriors_of(random, sets, threads);
            CHECK(same_bits(alone.logs, shared.logs));
            for (std::size_t k = 0; k < sets.size(); ++k) {
                CHECK(same_bits(alone.tables[k], shared.tables[k]));
            }
        }
    }
}

TEST_CASE("cliques contain their scopes, and what two of them share is on the way between them") {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const RandomNetwork random(1 + 3 * (seed % 10), 1, 0.0, seed);
        const DiscreteNetwork &network = *random.network;
        const std::vector<std::uint32_t> order = elimination_order(network.arities, network.families);
        CHECK(order.size() == network.size());
        std::vector<std::uint32_t> ranks(network.size());
        for (std::size_t k = 0; k < order.size(); ++k) {
            ranks[order[k]] = static_cast<std::uint32_t>(k);
        }
        const CliqueForest forest = clique_forest(network.arities, network.families, ranks);
        std::vector<int> n_own(network.size(), 0);
        for (std::size_t c = 0; c < forest.cliques.size(); ++c) {
            const Clique &clique = forest.cliques[c];
            CHECK(!clique.own.empty());
            for (const std::uint32_t node : clique.own) {
                ++n_own[node]; // each node is first met once on the way from the root
            }
            CHECK((clique.parent == Clique::no_parent ? clique.shared.empty() : clique.parent < c));
            for (const std::uint32_t node : clique.shared) {
                const Clique &above = forest.cliques[clique.parent];
                CHECK(std::count(above.own.begin(), above.own.end(), node) +
                          std::count(above.shared.begin(), above.shared.end(), node) ==
                      1);
            }
        }
        CHECK(std::all_of(n_own.begin(), n_own.end(), [](int n) { return n == 1; }));
        for (std::size_t k = 0; k < network.size(); ++k) {
            const Clique &home = forest.cliques[forest.home[k]];
            for (const std::uint32_t node : network.families[k]) {
                CHECK(std::count(home.own.begin(), home.own.end(), node) +
                          std::count(home.shared.begin(), home.shared.end(), node) ==
                      1);
            }
        }
    }
}

TEST_CASE("what does not fit is refused") {
    const RandomNetwork random(30, 3, 0.0, 1);
    const Inference inference(*random.network);
    const Question question{Question::Kind::posteriors, all_nodes(*random.network)};
    RowAnswers answers;
    const InferenceOutcome outcome = inference.answer(question, random.evidence(), answers, {1000}, Budget());
    REQUIRE(outcome.too_wide);
    CHECK(outcome.too_wide->cells * 8.0 > 1000.0);
}
