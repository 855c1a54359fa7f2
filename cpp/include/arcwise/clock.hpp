// What tells budgets the time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <limits>
#include <mutex>
#include <thread>

namespace arcwise {

// The machine's time, which does not follow changes of the calendar's.
class Clock {
  public:
    Clock() = default;
    Clock(const Clock &) = delete;
    Clock &operator=(const Clock &) = delete;
    virtual ~Clock() = default;

    // Seconds since some moment.
    [[nodiscard]] virtual double now() const noexcept {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

    // Work looks whether it must end.
    virtual void look() noexcept {}

    [[nodiscard]] static Clock &of_the_machine() noexcept {
        static Clock clock;
        return clock;
    }
};

// What the processor has done for this process, all threads together: experiments on a busy machine are given the same
// time as on an idle one. (On Windows, std::clock counts seconds like any other clock.) To ask the system takes a
// microsecond, and kernels look more often than that: so it is asked a few thousand times a second.
class ProcessorClock final : public Clock {
  public:
    [[nodiscard]] double now() const noexcept override {
        const double machine = Clock::now();
        if (machine >= next_.load(std::memory_order_relaxed)) {
            next_.store(machine + 2e-4, std::memory_order_relaxed);
            last_.store(static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC),
                        std::memory_order_relaxed);
        }
        return last_.load(std::memory_order_relaxed);
    }

  private:
    mutable std::atomic<double> next_{-std::numeric_limits<double>::infinity()}; // when to ask again
    mutable std::atomic<double> last_{0.0};
};

// Time that passes by looks, for tests: what a limit leaves of a search does not depend on how fast the machine is.
// Work can be held: those who look when all looks that are allowed were taken wait for more. The thread that has made
// the clock is never held, so that it can allow them.
class SteppedClock final : public Clock {
  public:
    static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

    explicit SteppedClock(double seconds_per_look = 0.0, std::uint64_t allowed = no_limit) noexcept
        : seconds_per_look_(seconds_per_look), allowed_(allowed) {}

    [[nodiscard]] double now() const noexcept override { return seconds_per_look_ * static_cast<double>(looks()); }

    void look() noexcept override {
        std::unique_lock lock(mutex_);
        ++looks_;
        if (std::this_thread::get_id() != owner_) {
            changed_.wait(lock, [&] { return looks_ <= allowed_; });
        }
    }

    // How often was looked, those who wait included.
    [[nodiscard]] std::uint64_t looks() const noexcept {
        const std::scoped_lock lock(mutex_);
        return looks_;
    }

    // So many looks more than were taken.
    void allow(std::uint64_t more) noexcept {
        const std::scoped_lock lock(mutex_);
        allowed_ = more > no_limit - looks_ ? no_limit : looks_ + more;
        changed_.notify_all();
    }

  private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    double seconds_per_look_;
    std::uint64_t allowed_;
    std::uint64_t looks_ = 0;
    std::thread::id owner_ = std::this_thread::get_id();
};

} // namespace arcwise
