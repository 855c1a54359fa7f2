#include "arcwise/team.hpp"
#include "processor.hpp"

#include <chrono>
#include <cmath>
#include <system_error>
#include <utility>

namespace arcwise {
namespace {

// Longer than most of what a kernel does between two batches.
constexpr std::chrono::microseconds time_awake{100};

} // namespace

Team::~Team() {
    {
        const std::scoped_lock lock(mutex_);
        is_over_.store(true);
    }
    is_opened_.notify_all();
    for (std::thread &other : others_) {
        other.join();
    }
}

bool Team::is_shared(std::size_t count, double cost_of_one) noexcept {
    const double cost = static_cast<double>(count) * cost_of_one;
    if (n_workers_ == 1 || count < 2 || !(cost >= worth_sharing) || is_sharing_) {
        return false;
    }
    worth_so_far_ += cost;
    return worth_so_far_ >= worth_starting;
}

std::size_t Team::size_of_part(std::size_t count, double cost_of_one, std::size_t grain) const noexcept {
    const double cost = static_cast<double>(count) * cost_of_one;
    const double most = static_cast<double>(parts_per_worker * n_workers_);
    const double parts = is_sharing_ || n_workers_ == 1 ? 1.0 : std::clamp(std::floor(cost / worth_a_part), 1.0, most);
    const auto size = static_cast<std::size_t>(std::ceil(static_cast<double>(count) / parts));
    return std::max<std::size_t>(1, (size + grain - 1) / grain * grain);
}

std::size_t Team::worker_here() const noexcept {
    const auto here =
        std::ranges::find(others_, std::this_thread::get_id(), [](const std::thread &other) { return other.get_id(); });
    return here == others_.end() ? 0 : static_cast<std::size_t>(here - others_.begin()) + 1;
}

void Team::share(std::size_t count, const Call &call) {
    start(std::min(n_workers_, count) - 1);
    stock(count);
    call_ = call;
    is_sharing_ = true;
    open_gate();
    take_part(0);
    close_gate();
    is_sharing_ = false;
    if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) {
        std::rethrow_exception(failure);
    }
}

// So that there are so many others, if the system gives them.
void Team::start(std::size_t n_others) {
    if (!stocks_) {
        others_.reserve(n_workers_ - 1); // workers look for themselves there, and it must not move
        stocks_ = std::make_unique<Stock[]>(n_workers_);
    }
    try {
        while (others_.size() < n_others) {
            others_.emplace_back(&Team::serve, this, others_.size() + 1);
        }
    } catch (const std::system_error &) {
        n_workers_ = others_.size() + 1;
    }
}

void Team::stock(std::size_t count) noexcept {
    n_stocks_ = others_.size() + 1;
    for (std::size_t worker = 0; worker < n_stocks_; ++worker) {
        stocks_[worker].next.store(worker * count / n_stocks_, std::memory_order_relaxed);
        stocks_[worker].end = (worker + 1) * count / n_stocks_;
    }
}

void Team::take_part(std::size_t worker) noexcept {
    try {
        for (std::size_t k = 0; k < n_stocks_; ++k) {
            Stock &stock = stocks_[(worker + k) % n_stocks_];
            for (std::size_t i = stock.next.fetch_add(1, std::memory_order_relaxed); i < stock.end;
                 i = stock.next.fetch_add(1, std::memory_order_relaxed)) {
                call_.piece(call_.work, worker, i);
            }
        }
    } catch (...) {
        for (std::size_t k = 0; k < n_stocks_; ++k) {
            stocks_[k].next.store(stocks_[k].end, std::memory_order_relaxed); // nobody begins another one
        }
        const std::scoped_lock lock(mutex_);
        if (!failure_) {
            failure_ = std::current_exception();
        }
    }
}

// Either somebody who falls asleep sees the gate open, or the caller sees that somebody is asleep.
void Team::open_gate() {
    gate_.store((gate_.load() & ~inside) + next_batch + is_open);
    if (n_asleep_.load() > 0) {
        {
            const std::scoped_lock lock(mutex_);
        }
        is_opened_.notify_all();
    }
}

void Team::close_gate() {
    gate_.fetch_and(~is_open);
    const auto all_left = [&] { return (gate_.load() & inside) == 0; };
    if (!comes_soon(all_left)) {
        std::unique_lock lock(mutex_);
        is_left_.wait(lock, all_left);
    }
}

void Team::serve(std::size_t worker) noexcept {
    std::uint64_t last = 0; // the number of the batch that it took part in
    while (true) {
        std::uint64_t gate = next_gate(last);
        if (is_over_.load()) {
            return;
        }
        while ((gate & is_open) != 0 && gate / next_batch != last) {
            if (gate_.compare_exchange_weak(gate, gate + 1)) {
                last = gate / next_batch;
                take_part(worker);
                if ((gate_.fetch_sub(1) & (is_open | inside)) == 1) { // closed, and nobody else is inside
                    {
                        const std::scoped_lock lock(mutex_);
                    }
                    is_left_.notify_one();
                }
                break;
            }
        }
    }
}

// Waits for a batch after the last one, or for the end.
std::uint64_t Team::next_gate(std::uint64_t last) noexcept {
    const auto is_next = [&] {
        const std::uint64_t gate = gate_.load();
        return is_over_.load() || ((gate & is_open) != 0 && gate / next_batch != last);
    };
    if (!comes_soon(is_next)) {
        std::unique_lock lock(mutex_);
        ++n_asleep_;
        is_opened_.wait(lock, is_next);
        --n_asleep_;
    }
    return gate_.load();
}

// Whether it happens while one looks.
template <class Happened> bool Team::comes_soon(const Happened &happened) noexcept {
    using Clock = std::chrono::steady_clock;
    constexpr int looks_between_times = 16;
    const auto end = Clock::now() + time_awake;
    do {
        for (int look = 0; look < looks_between_times; ++look) {
            if (happened()) {
                return true;
            }
            pause_briefly();
        }
    } while (Clock::now() < end);
    return false;
}

} // namespace arcwise
