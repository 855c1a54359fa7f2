#include "arcwise/candidate_sums.hpp"
#include "arcwise/credible_classes.hpp"
#include "arcwise/exact_posterior.hpp"
#include "arcwise/partition_chain.hpp"
#include "arcwise/random.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace arcwise;

namespace {

std::vector<double> random_scores(std::size_t k, std::uint64_t seed) {
    Random random(seed);
    std::vector<double> scores(std::size_t{1} << k);
    for (double &score : scores) {
        score = 6.0 * random.fraction();
    }
    return scores;
}

std::vector<CandidateSums> random_sums(std::size_t n, std::uint64_t seed) {
    std::vector<CandidateSums> sums;
    for (Variable child = 0; child < n; ++child) {
        std::vector<Variable> others;
        for (Variable v = 0; v < n; ++v) {
            if (v != child) {
                others.push_back(v);
            }
        }
        sums.emplace_back(others, random_scores(n - 1, seed + child));
    }
    return sums;
}

} // namespace

TEST_CASE("sums over candidate sets are those of a loop over all of them") {
    const std::vector<double> scores = random_scores(5, 1);
    const CandidateSums sums({1, 3, 4, 6, 9}, scores);
    for (Mask among = 0; among < 32; ++among) {
        double all = 0.0;
        std::vector<double> with(5, 0.0);
        double meeting = 0.0;
        const Mask some = among & 0b10110;
        for (Mask set = 0; set < 32; ++set) {
            if ((set & ~among) == 0) {
                all += std::exp(scores[set]);
                meeting += (set & some) != 0 ? std::exp(scores[set]) : 0.0;
                for (std::size_t member = 0; member < 5; ++member) {
                    with[member] += (set >> member & 1) != 0 ? std::exp(scores[set]) : 0.0;
                }
            }
        }
        CHECK(std::exp(sums.within(among)) == doctest::Approx(all));
        CHECK(std::exp(sums.meeting(some, among)) == doctest::Approx(meeting));
        for (std::size_t member = 0; member < 5; ++member) {
            if ((among >> member & 1) != 0) {
                CHECK(std::exp(sums.containing(member, among)) == doctest::Approx(with[member]));
            }
        }
        const Mask drawn = sums.draw(some, among, sums.meeting(some, among), 0.999);
        CHECK((drawn & ~among) == 0);
        CHECK((some == 0 || (drawn & some) != 0));
    }
}

TEST_CASE("a posterior over partitions: chains come near the exact sums, and keep their weights up to date") {
    const std::size_t n = 5;
    std::vector<SetScores> scores;
    const std::vector<CandidateSums> sums = random_sums(n, 7);
    for (const CandidateSums &its : sums) {
        SetScores &next = scores.emplace_back();
        next.others = its.candidates();
        for (Mask set = 0; set <= its.all(); ++set) {
            next.of.push_back(its.score(set));
        }
    }
    Budget budget;
    const ExactPosterior exact = exact_posterior(scores, GraphPrior::graphs, 2, budget);
    CHECK(exact.rounding < 1e-10);
    const ChainPart part = run_chain(sums, random_start(sums, 3), 4, {5000, 10, 1.0}, budget);
    CHECK(part.draws.size() == 10);
    std::size_t at = 0;
    for (Variable child = 0; child < n; ++child) {
        for (const Variable parent : sums[child].candidates()) {
            CHECK(std::abs(part.arcs[at++] - exact.arcs[parent * n + child]) < 0.05);
        }
    }
}

TEST_CASE("a posterior that the budget ends") {
    Budget budget(0.0);
    const std::vector<CandidateSums> sums = random_sums(4, 1);
    const ChainPart part = run_chain(sums, random_start(sums, 3), 4, {100, 10, 1.0}, budget);
    CHECK(part.sweeps == 0);
    CHECK(part.stopped_by == StopReason::time);
    std::vector<SetScores> scores(2);
    scores[0] = {{1}, 0, {0.0, 1.0}};
    scores[1] = {{0}, 0, {0.0, 1.0}};
    CHECK(exact_posterior(scores, GraphPrior::orders, 1, budget).stopped_by == StopReason::time);
}

TEST_CASE("credible classes are near the best one, and those of a larger factor are more") {
    std::vector<SetScores> scores;
    for (const CandidateSums &its : random_sums(5, 11)) {
        SetScores &next = scores.emplace_back();
        next.others = its.candidates();
        for (Mask set = 0; set <= its.all(); ++set) {
            next.of.push_back(its.score(set));
        }
    }
    Budget budget;
    const CredibleClasses few = credible_classes(scores, 0.5, 1000, 2, budget);
    const CredibleClasses more = credible_classes(scores, 2.0, 100'000, 2, budget);
    CHECK(few.is_complete);
    CHECK(more.is_complete);
    CHECK(more.graphs.size() > few.graphs.size());
    CHECK(more.n_sets >= few.n_sets);
    for (const ScoredGraph &graph : few.graphs) {
        CHECK(graph.score >= more.graphs.front().score - 0.5 - 1e-9);
    }
    CHECK_FALSE(credible_classes(scores, 2.0, 1, 2, budget).is_complete);
}
