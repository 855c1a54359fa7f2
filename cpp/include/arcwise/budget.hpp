// What a search may use: time, evaluations, threads, and the user's patience. Shared by Python and every kernel.
#pragma once

#include "arcwise/best_so_far.hpp"
#include "arcwise/clock.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace arcwise {

enum class StopReason { none, time, evaluations, interrupt };

class Budget {
  public:
    static constexpr double no_time_limit = std::numeric_limits<double>::infinity();
    static constexpr std::uint64_t no_evaluation_limit = std::numeric_limits<std::uint64_t>::max();

    // A budget within another one ends with it, and charges it too; the other one must live longer. What is shown of
    // its work is shown there, unless that is about something else (`apart`). The clock of work that is resumed starts
    // at the seconds that it has used before. A kernel may use so many threads. The clock of a budget within another
    // one is that one's.
    explicit Budget(double seconds = no_time_limit, std::uint64_t evaluations = no_evaluation_limit,
                    Budget *whole = nullptr, double used = 0.0, bool apart = false, std::size_t threads = 1,
                    Clock &clock = Clock::of_the_machine()) noexcept
        : clock_(whole == nullptr ? clock : whole->clock_), start_(clock_.now()), used_(used), seconds_(seconds),
          evaluation_limit_(evaluations), whole_(whole), shown_by_(apart ? nullptr : whole), threads_(threads) {}

    [[nodiscard]] double elapsed() const noexcept { return used_ + (clock_.now() - start_); }

    // Why work must stop now; none while it may continue.
    [[nodiscard]] StopReason reason() const noexcept {
        clock_.look();
        return why();
    }

    [[nodiscard]] bool exhausted() const noexcept { return reason() != StopReason::none; }

    void interrupt() noexcept { interrupted_.store(true, std::memory_order_relaxed); }
    void charge(std::uint64_t evaluations) noexcept {
        evaluations_.fetch_add(evaluations, std::memory_order_relaxed);
        if (whole_ != nullptr) {
            whole_->charge(evaluations);
        }
    }

    // Shows the graph that a search has, if it is better than all before; see BestSoFar::offer.
    template <class Parents> void show(double score, double tolerance, bool at_rest, Parents &&parents) {
        if (shown_by_ != nullptr) {
            shown_by_->show(score, tolerance, at_rest, std::forward<Parents>(parents));
        } else {
            best_.offer({elapsed(), evaluations(), score}, tolerance, at_rest, std::forward<Parents>(parents));
        }
    }
    [[nodiscard]] BestSoFar &best() noexcept { return shown_by_ == nullptr ? best_ : shown_by_->best(); }

    [[nodiscard]] std::uint64_t evaluations() const noexcept { return evaluations_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t evaluation_limit() const noexcept { return evaluation_limit_; }
    [[nodiscard]] double seconds() const noexcept { return seconds_; }
    // One where evaluations are limited: by how many a batch exceeds the limit would else depend on who is first.
    [[nodiscard]] std::size_t threads() const noexcept { return limits_evaluations() ? 1 : threads_; }
    [[nodiscard]] bool limits_evaluations() const noexcept {
        return evaluation_limit_ != no_evaluation_limit || (whole_ != nullptr && whole_->limits_evaluations());
    }

  private:
    [[nodiscard]] StopReason why() const noexcept {
        if (interrupted_.load(std::memory_order_relaxed)) {
            return StopReason::interrupt;
        }
        if (evaluations() >= evaluation_limit_) {
            return StopReason::evaluations;
        }
        if (seconds_ != no_time_limit && elapsed() >= seconds_) {
            return StopReason::time;
        }
        return whole_ == nullptr ? StopReason::none : whole_->why();
    }

    Clock &clock_;
    double start_;
    double used_;
    double seconds_;
    std::uint64_t evaluation_limit_;
    Budget *whole_;
    Budget *shown_by_;
    std::size_t threads_;
    BestSoFar best_;
    std::atomic<std::uint64_t> evaluations_{0};
    std::atomic<bool> interrupted_{false};
};

} // namespace arcwise
