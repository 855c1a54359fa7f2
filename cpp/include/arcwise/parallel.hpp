// Independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace arcwise {

// Calls work(worker, i) once for every i below `count`, on at most `workers` threads, and returns when all are done.
// The work must not throw: whatever it needs for each worker is made before.
template <class Work> void in_parallel(std::size_t workers, std::size_t count, const Work &work) {
    std::atomic<std::size_t> next{0};
    const auto loop = [&](std::size_t worker) noexcept {
        for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
            work(worker, i);
        }
    };
    std::vector<std::jthread> others;
    for (std::size_t worker = 1; worker < std::min(workers, count); ++worker) {
        others.emplace_back(loop, worker);
    }
    loop(0);
}

} // namespace arcwise
