// Enough of CUDA to run the kernels of a card on a processor, for tests: the threads of a block take turns, and wait for
// each other where the kernels say so. Blocks run one after the other.
#pragma once

#include <ucontext.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#define __global__
#define __device__

struct uint3 {
    unsigned x, y, z;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

namespace cuda_threads {

struct Thread {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    bool is_done = false;
    int waits_for_block = -1; // the number of the barrier
    int waits_for_warp = -1;
    int block_barriers = 0;
    int warp_barriers = 0;
};

inline std::vector<Thread> threads;
inline std::size_t current = 0;
inline ucontext_t scheduler;
inline const std::function<void()> *work = nullptr;
inline std::vector<std::uint64_t> slots; // what lanes show each other, for two barriers in turn
inline constexpr std::size_t stack_bytes = 1 << 16;

inline void yield() { swapcontext(&threads[current].context, &scheduler); }
inline void entry() {
    (*work)();
    threads[current].is_done = true;
    yield();
}
// All threads of the range that are not done have come to this barrier.
inline bool have_all(std::size_t begin, std::size_t end, int Thread::*waits, int Thread::*passed, int barrier) {
    for (std::size_t i = begin; i < end; ++i) {
        if (!threads[i].is_done && threads[i].*waits != barrier && threads[i].*passed <= barrier) return false;
    }
    return true;
}
inline bool may_go(std::size_t i) {
    const Thread &its = threads[i];
    if (its.is_done) return false;
    if (its.waits_for_block >= 0) {
        return have_all(0, threads.size(), &Thread::waits_for_block, &Thread::block_barriers, its.waits_for_block);
    }
    if (its.waits_for_warp >= 0) {
        const std::size_t first = i / 32 * 32;
        return have_all(first, first + 32, &Thread::waits_for_warp, &Thread::warp_barriers, its.waits_for_warp);
    }
    return true;
}
inline void wait_for_block() {
    Thread &its = threads[current];
    its.waits_for_block = its.block_barriers;
    yield();
    Thread &again = threads[current];
    again.waits_for_block = -1;
    ++again.block_barriers;
}
inline void wait_for_warp() {
    Thread &its = threads[current];
    its.waits_for_warp = its.warp_barriers;
    yield();
    Thread &again = threads[current];
    again.waits_for_warp = -1;
    ++again.warp_barriers;
}
inline void run_block(unsigned n_threads, const std::function<void()> &its_work) {
    work = &its_work;
    threads.resize(n_threads);
    slots.assign(2 * n_threads, 0);
    for (std::size_t i = 0; i < n_threads; ++i) {
        Thread &its = threads[i];
        if (!its.stack) its.stack = std::make_unique<char[]>(stack_bytes);
        its.is_done = false;
        its.waits_for_block = its.waits_for_warp = -1;
        its.block_barriers = its.warp_barriers = 0;
        getcontext(&its.context);
        its.context.uc_stack.ss_sp = its.stack.get();
        its.context.uc_stack.ss_size = stack_bytes;
        its.context.uc_link = &scheduler;
        makecontext(&its.context, entry, 0);
    }
    for (std::size_t left = n_threads; left > 0;) {
        bool has_moved = false;
        left = 0;
        for (current = 0; current < n_threads; ++current) {
            if (may_go(current)) {
                has_moved = true;
                swapcontext(&scheduler, &threads[current].context);
            }
            left += !threads[current].is_done;
        }
        if (left > 0 && !has_moved) {
            std::fputs("the threads of a block wait for each other forever\n", stderr);
            std::abort();
        }
    }
}

} // namespace cuda_threads

inline uint3 blockIdx, blockDim, gridDim;
struct ThreadIndex {
    struct X {
        operator unsigned() const { return static_cast<unsigned>(cuda_threads::current); }
    } x;
};
inline ThreadIndex threadIdx;

inline void __syncthreads() { cuda_threads::wait_for_block(); }
inline void __syncwarp() { cuda_threads::wait_for_warp(); }
inline void __threadfence() {}
template <class T> T __ldcg(const T *at) { return *at; }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
template <class T> T __shfl_xor_sync(unsigned, T value, int step) {
    using namespace cuda_threads;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    const std::size_t turn = threads[current].warp_barriers % 2 * threads.size();
    slots[turn + current] = bits;
    wait_for_warp();
    T other;
    std::memcpy(&other, &slots[turn + (current ^ static_cast<std::size_t>(step))], sizeof(T));
    return other;
}
template <class T, class U> T atomicAdd(T *at, U more) {
    const T before = *at;
    *at += static_cast<T>(more);
    return before;
}
template <class T, class U> auto min(T a, U b) { return a < b ? a : b; }
template <class T> T max(T a, T b) { return a > b ? a : b; }

inline int shared[1 << 16]; // what a launch asks for

namespace cuda_threads {

using Launch = std::function<void(void **)>;

template <class... A, std::size_t... i>
Launch launch_of(void (*kernel)(A...), std::index_sequence<i...>) {
    return [kernel](void **arguments) { kernel(*reinterpret_cast<std::remove_const_t<A> *>(arguments[i])...); };
}
template <class... A> Launch launch_of(void (*kernel)(A...)) {
    return launch_of(kernel, std::index_sequence_for<A...>{});
}

inline void run(const Launch &launch, unsigned grid_x, unsigned grid_y, unsigned n_threads, void **arguments) {
    gridDim = {grid_x, grid_y, 1};
    blockDim = {n_threads, 1, 1};
    for (unsigned y = 0; y < grid_y; ++y) {
        for (unsigned x = 0; x < grid_x; ++x) {
            blockIdx = {x, y, 0};
            run_block(n_threads, [&] { launch(arguments); });
        }
    }
}

} // namespace cuda_threads
