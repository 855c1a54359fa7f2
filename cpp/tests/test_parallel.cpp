#include "arcwise/parallel.hpp"

#include <doctest/doctest.h>

#include <new>
#include <stdexcept>
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
