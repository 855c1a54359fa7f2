#include "arcwise/parallel.hpp"
#include "arcwise/random.hpp"
#include "arcwise/team.hpp"
#include "arcwise/tournament.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace arcwise;

TEST_CASE("every piece of work is done once") {
    for (const std::size_t workers : {1U, 2U, 7U}) {
        std::vector<int> done(100, 0);
        in_parallel(workers, done.size(), [&](std::size_t, std::size_t i) { ++done[i]; });
        CHECK(done == std::vector<int>(100, 1));
    }
}

TEST_CASE("what a worker throws reaches the caller when all are done") {
    for (const std::size_t workers : {1U, 2U, 7U}) {
        std::atomic<int> running{0};
        bool is_caught = false;
        try {
            in_parallel(workers, 1000, [&](std::size_t, std::size_t i) {
                ++running;
                if (i == 10) {
                    --running;
                    throw std::bad_alloc();
                }
                --running;
            });
        } catch (const std::bad_alloc &) {
            is_caught = true;
        }
        CHECK(is_caught);
        CHECK(running == 0);
    }
}

TEST_CASE("after a failure no work is begun") {
    std::size_t last = 0;
    try {
        in_parallel(1, 1000, [&](std::size_t, std::size_t i) {
            last = i;
            if (i == 10) {
                throw std::runtime_error("full");
            }
        });
    } catch (const std::runtime_error &) {
    }
    CHECK(last == 10);
}

namespace {

constexpr double much = 1e9; // nanoseconds: worth any thread

// Waits until so many workers have come, but not forever: the system may give fewer threads.
void meet(std::atomic<std::size_t> &come, std::size_t expected) {
    ++come;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (come < expected && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
    }
}

} // namespace

TEST_CASE("a team does every piece of every batch once") {
    for (const std::size_t workers : {1U, 2U, 3U, 8U}) {
        Team team(workers);
        for (std::size_t count = 0; count < 200; ++count) {
            std::vector<int> done(count, 0);
            team.run(count, count % 3 == 0 ? much : 1.0, [&](std::size_t worker, std::size_t i) {
                CHECK(worker < team.n_workers());
                ++done[i];
            });
            CHECK(done == std::vector<int>(count, 1));
        }
    }
}

TEST_CASE("all workers take part, each with a number of its own, also after they have slept") {
    constexpr std::size_t workers = 4;
    Team team(workers);
    for (int batch = 0; batch < 3; ++batch) {
        std::vector<std::thread::id> ids(workers);
        std::atomic<std::size_t> come{0};
        team.run(workers, much, [&](std::size_t worker, std::size_t) {
            ids[worker] = std::this_thread::get_id();
            meet(come, workers);
        });
        CHECK(std::set(ids.begin(), ids.end()).size() == workers);
        CHECK(ids[0] == std::this_thread::get_id());
        std::this_thread::sleep_for(std::chrono::milliseconds(5)); // longer than anybody waits awake
    }
}

TEST_CASE("work that is not worth a batch is the caller's, and so is all work of one worker") {
    const auto here = std::this_thread::get_id();
    for (const auto &[workers, cost] : {std::pair(4U, 1.0), std::pair(1U, much)}) {
        Team team(workers);
        bool is_elsewhere = false;
        team.run(100, cost, [&](std::size_t worker, std::size_t) {
            is_elsewhere = is_elsewhere || worker != 0 || std::this_thread::get_id() != here;
        });
        CHECK(!is_elsewhere);
    }
}

TEST_CASE("a batch within a batch is done where it is, under the same number") {
    Team team(3);
    std::vector<std::vector<int>> done(12, std::vector<int>(50, 0));
    std::atomic<int> wrong{0};
    team.run(done.size(), much, [&](std::size_t outer, std::size_t i) {
        const auto here = std::this_thread::get_id();
        team.run(done[i].size(), much, [&](std::size_t inner, std::size_t k) {
            wrong += inner != outer || std::this_thread::get_id() != here;
            ++done[i][k];
        });
    });
    CHECK(wrong == 0);
    CHECK(done == std::vector(12, std::vector<int>(50, 1)));
}

TEST_CASE("few pieces that may be shared out themselves are the caller's, and their parts are everybody's") {
    constexpr std::size_t workers = 3;
    Team team(workers);
    const auto here = std::this_thread::get_id();
    bool is_elsewhere = false;
    std::atomic<std::size_t> come{0};
    team.spread(2, much, [&](std::size_t, std::size_t i) {
        is_elsewhere = is_elsewhere || std::this_thread::get_id() != here;
        if (i == 0) {
            team.run(workers, much, [&](std::size_t, std::size_t) { meet(come, workers); });
        }
    });
    CHECK(!is_elsewhere);
    CHECK(come == workers);
}

TEST_CASE("parts cover everything once and begin at multiples of the grain") {
    for (const std::size_t workers : {1U, 2U, 5U}) {
        Team team(workers);
        for (const std::size_t count : {0U, 1U, 63U, 64U, 1000U, 4097U}) {
            for (const double cost : {1.0, 100.0, 1e6}) {
                std::vector<int> done(count, 0);
                std::atomic<int> wrong{0};
                team.split(count, cost, 64, [&](std::size_t begin, std::size_t end) {
                    wrong += begin % 64 != 0 || begin >= end;
                    for (std::size_t i = begin; i < end; ++i) {
                        ++done[i];
                    }
                });
                CHECK(wrong == 0);
                CHECK(done == std::vector<int>(count, 1));
            }
        }
    }
}

TEST_CASE("a team works on after a failure") {
    Team team(4);
    for (int batch = 0; batch < 20; ++batch) {
        CHECK_THROWS_AS(team.run(100, much,
                                 [&](std::size_t, std::size_t i) {
                                     if (i % 10 == 3) {
                                         throw std::runtime_error("full");
                                     }
                                 }),
                        std::runtime_error);
        std::atomic<int> sum{0};
        team.run(100, much, [&](std::size_t, std::size_t i) { sum += static_cast<int>(i); });
        CHECK(sum == 4950);
    }
}

TEST_CASE("teams of several threads do not meet") {
    std::atomic<int> sum{0};
    in_parallel(4, 8, [&](std::size_t, std::size_t) {
        Team team(3);
        for (int batch = 0; batch < 10; ++batch) {
            team.run(20, much, [&](std::size_t, std::size_t) { ++sum; });
        }
    });
    CHECK(sum == 8 * 10 * 20);
}

TEST_CASE("a ranking of tournaments is their places sorted by value") {
    Random random(5);
    for (const std::size_t n : {1U, 2U, 3U, 17U, 64U, 100U}) {
        Tournament one(n);
        Tournament other(n);
        for (int round = 0; round < 20; ++round) {
            for (std::size_t change = 0; change < n; ++change) {
                Tournament &changed = random.below(2) == 0 ? one : other;
                changed.set(random.below(n), static_cast<double>(random.below(6)) - 2.0); // with ties
            }
            std::vector<std::pair<double, std::size_t>> expected;
            for (std::size_t i = 0; i < n; ++i) {
                for (const double value : {one[i], other[i]}) {
                    if (value > 0.0) {
                        expected.emplace_back(-value, i);
                    }
                }
            }
            std::ranges::sort(expected);
            Ranking ranking;
            ranking.add(one);
            ranking.add(other);
            for (const auto &[value, place] : expected) {
                CHECK(ranking.take(0.0) == place);
            }
            CHECK(!ranking.take(0.0));
        }
    }
}
