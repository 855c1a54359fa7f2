// A few threads that share the batches of one kernel.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace arcwise {

// Lives as long as one call of a kernel, which is worker 0. The others are started when there is first enough to do,
// and end with the team: no thread outlives the call, so that a process may fork between two of them. Between batches
// they wait, awake for a moment and then asleep. A worker that comes late is not waited for: whoever is there does the
// work. Where the system gives fewer threads, fewer do it.
//
// The pieces of a batch do not depend on each other, and each keeps what it finds in a place of its own: so the number
// of workers does not change what comes of it.
class Team {
  public:
    // For pieces that are known to be worth it.
    static constexpr double worth_any_thread = std::numeric_limits<double>::infinity();

    explicit Team(std::size_t workers) noexcept : n_workers_(std::clamp<std::size_t>(workers, 1, most_workers)) {}
    Team(const Team &) = delete;
    Team &operator=(const Team &) = delete;
    ~Team();

    // The workers have the numbers below this.
    [[nodiscard]] std::size_t n_workers() const noexcept { return n_workers_; }

    // Calls work(worker, i) once for every i below `count` and returns when all are done. A piece costs about so many
    // nanoseconds; what is less than a batch is worth is done by the caller alone, and so is a batch within a batch.
    // What the work throws, out of memory for one, ends it: the caller gets the first exception when all workers are
    // done, and not every i has had its call then.
    template <class Work> void run(std::size_t count, double cost_of_one, const Work &work) {
        if (is_shared(count, cost_of_one)) {
            share(count, {&work, [](const void *of_all, std::size_t worker, std::size_t i) {
                              (*static_cast<const Work *>(of_all))(worker, i);
                          }});
            return;
        }
        const std::size_t here = is_sharing_ ? worker_here() : 0;
        for (std::size_t i = 0; i < count; ++i) {
            work(here, i);
        }
    }

    // The same for pieces that may share out parts of themselves: where there are too few of them to keep all workers
    // busy to the end, the caller takes one after the other.
    template <class Work> void spread(std::size_t count, double cost_of_one, const Work &work) {
        run(count, count >= pieces_per_worker * n_workers_ ? cost_of_one : 0.0, work);
    }

    // Calls work(begin, end) for parts of `count` items that cost about so much each: as many as make a good batch. A
    // part begins at a multiple of `grain`.
    template <class Work> void split(std::size_t count, double cost_of_one, std::size_t grain, const Work &work) {
        const std::size_t size = size_of_part(count, cost_of_one, grain);
        run((count + size - 1) / size, static_cast<double>(size) * cost_of_one,
            [&](std::size_t, std::size_t i) { work(i * size, std::min(count, (i + 1) * size)); });
    }

  private:
    // The pieces that a worker takes first, so that batch after batch it meets what its core has in its cache; then it
    // takes others'.
    struct alignas(64) Stock {
        std::atomic<std::size_t> next{0};
        std::size_t end = 0;
    };

    struct Call {
        const void *work;
        void (*piece)(const void *work, std::size_t worker, std::size_t i);
    };

    // In nanoseconds. To wake a worker takes a few thousand, to start and end one a hundred thousand.
    static constexpr double worth_sharing = 5e4;
    static constexpr double worth_starting = 1e6;
    static constexpr double worth_a_part = 2e4;
    static constexpr std::size_t most_workers = 1024;
    static constexpr std::size_t pieces_per_worker = 4;
    static constexpr std::size_t parts_per_worker = 4; // somebody may come late

    // Who takes part in the batch: its number, whether it is open to those who come, and how many of these are inside.
    static constexpr std::uint64_t is_open = std::uint64_t{1} << 16;
    static constexpr std::uint64_t next_batch = std::uint64_t{1} << 17;
    static constexpr std::uint64_t inside = is_open - 1;

    [[nodiscard]] bool is_shared(std::size_t count, double cost_of_one) noexcept;
    [[nodiscard]] std::size_t size_of_part(std::size_t count, double cost_of_one, std::size_t grain) const noexcept;
    [[nodiscard]] std::size_t worker_here() const noexcept;
    void share(std::size_t count, const Call &call);
    void start(std::size_t n_others);
    void stock(std::size_t count) noexcept;
    void take_part(std::size_t worker) noexcept;
    void open_gate();
    void close_gate();
    void serve(std::size_t worker) noexcept;
    [[nodiscard]] std::uint64_t next_gate(std::uint64_t last) noexcept;
    template <class Happened> [[nodiscard]] static bool comes_soon(const Happened &happened) noexcept;

    std::size_t n_workers_;
    double worth_so_far_ = 0.0; // of batches, until there are workers
    std::vector<std::thread> others_;

    // The batch; written by the caller while nobody is inside.
    bool is_sharing_ = false;
    Call call_{};
    std::unique_ptr<Stock[]> stocks_; // of all workers that there may be
    std::size_t n_stocks_ = 0;        // of those that are there

    std::atomic<std::uint64_t> gate_{0};
    std::atomic<std::size_t> n_asleep_{0};
    std::atomic<bool> is_over_{false};
    std::mutex mutex_;
    std::exception_ptr failure_; // under the mutex
    std::condition_variable is_opened_;
    std::condition_variable is_left_;
};

} // namespace arcwise
