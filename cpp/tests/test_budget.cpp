#include "arcwise/budget.hpp"

#include <doctest/doctest.h>

#include <ctime>
#include <thread>
#include <vector>

using namespace arcwise;

namespace {

// A graph that tells its score.
ParentLists graph_of(double score) { return {{static_cast<Variable>(score)}}; }

} // namespace

TEST_CASE("improvements are kept until they are taken") {
    Budget budget;
    for (const double score : {1.0, 3.0, 2.0, 3.0 + 1e-12, 5.0}) {
        budget.show(score, 1e-9, true, [&] { return graph_of(score); });
    }
    const std::vector<Improvement> points = budget.best().take_points();
    REQUIRE(points.size() == 3);
    CHECK(points[0].score == 1.0);
    CHECK(points[1].score == 3.0);
    CHECK(points[2].score == 5.0);
    CHECK(budget.best().take_points().empty());
    CHECK(budget.best().graph().parents == graph_of(5.0));
    budget.best().forget();
    CHECK(budget.best().graph().parents.empty());
}

TEST_CASE("parts show their work where the whole does unless apart") {
    Budget whole;
    Budget part(Budget::no_time_limit, Budget::no_evaluation_limit, &whole);
    Budget apart(Budget::no_time_limit, Budget::no_evaluation_limit, &whole, 0.0, true);
    part.show(1.0, 0.0, true, [] { return graph_of(1.0); });
    apart.show(2.0, 0.0, true, [] { return graph_of(2.0); });
    CHECK(whole.best().graph().score == 1.0);
    CHECK(part.best().graph().score == 1.0);
    CHECK(apart.best().graph().score == 2.0);
}

TEST_CASE("many threads show and one looks") {
    Budget budget;
    std::vector<Improvement> points;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([&budget, thread] {
                for (int i = 0; i < 1000; ++i) {
                    const double score = 4 * i + thread;
                    budget.show(score, 0.0, false, [&] { return graph_of(score); });
                }
                budget.show(5000 + thread, 0.0, true, [&] { return graph_of(5000 + thread); });
            });
        }
        for (int i = 0; i < 100; ++i) {
            for (const Improvement &point : budget.best().take_points()) {
                points.push_back(point);
            }
            const BestSoFar::Graph seen = budget.best().graph();
            CHECK((seen.parents.empty() || seen.parents == graph_of(seen.score)));
        }
    }
    for (const Improvement &point : budget.best().take_points()) {
        points.push_back(point);
    }
    for (std::size_t i = 1; i < points.size(); ++i) {
        CHECK(points[i].score > points[i - 1].score);
    }
    CHECK(points.back().score == 5003.0);
    CHECK(budget.best().graph().parents == graph_of(5003.0));
}

TEST_CASE("a processor clock passes by work") {
    ProcessorClock clock;
    Budget budget(0.02, Budget::no_evaluation_limit, nullptr, 0.0, false, 1, clock);
    const std::clock_t before = std::clock();
    while (!budget.exhausted()) {
    }
    CHECK(budget.reason() == StopReason::time);
    CHECK(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC >= 0.019);
}

TEST_CASE("a stepped clock passes by looks") {
    SteppedClock clock(0.5);
    Budget whole(3.0, Budget::no_evaluation_limit, nullptr, 0.0, false, 1, clock);
    CHECK(whole.reason() == StopReason::none);
    CHECK(whole.elapsed() == 0.5);
    Budget part(1.0, Budget::no_evaluation_limit, &whole);
    CHECK(part.reason() == StopReason::none);
    CHECK(part.reason() == StopReason::time);
    CHECK(clock.looks() == 3); // one for each question, whatever the budget is a part of
    while (!whole.exhausted()) {
    }
    CHECK(clock.looks() == 6);
}

TEST_CASE("those who look too often wait until they may") {
    SteppedClock clock(0.0, 2);
    Budget budget(Budget::no_time_limit, Budget::no_evaluation_limit, nullptr, 0.0, false, 1, clock);
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            while (!budget.exhausted()) {
            }
        });
    }
    while (clock.looks() < 5) { // two that were allowed, and three that wait
        std::this_thread::yield();
    }
    CHECK(clock.looks() == 5);
    CHECK(!budget.exhausted()); // this thread has made the clock
    budget.interrupt();
    clock.allow(SteppedClock::no_limit);
    for (auto &thread : threads) {
        thread.join();
    }
    CHECK(budget.reason() == StopReason::interrupt);
}
