// Independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace arcwise {

// Calls work(worker, i) once for every i below `count`, on at most `workers` threads, and returns when all are done.
// What the work throws, out of memory for one, ends it: the caller gets the first exception when all threads are done,
// and not every i has had its call then. Where the system gives fewer threads, fewer do the work.
template <class Work> void in_parallel(std::size_t workers, std::size_t count, const Work &work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex mutex;
    const auto loop = [&](std::size_t worker) noexcept {
        try {
            for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
                work(worker, i);
            }
        } catch (...) {
            next.store(count); // nobody begins another one
            const std::scoped_lock lock(mutex);
            if (!failure) {
                failure = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        others.reserve(std::min(workers, count));
        try {
            for (std::size_t worker = 1; worker < std::min(workers, count); ++worker) {
                others.emplace_back(loop, worker);
            }
        } catch (const std::system_error &) { // no more threads
        }
        loop(0);
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

} // namespace arcwise
