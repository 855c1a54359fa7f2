// Numbers that go to Python as numpy arrays and come from there.
#pragma once

#include "arcwise/table_view.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace arcwise::bindings {

// As they come.
template <class T>
using Flat = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <class T> std::span<const T> span_of(const Flat<T> &array) { return {array.data(), array.size()}; }

template <class T> using Array = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

// A numpy array that owns the values; char stands for bool, because std::vector<bool> has no array.
template <class T> auto to_numpy(std::vector<T> values) {
    using Item = std::conditional_t<std::is_same_v<T, char>, bool, T>;
    auto *kept = new std::vector<T>(std::move(values));
    const nanobind::capsule owner(kept, [](void *pointer) noexcept { delete static_cast<std::vector<T> *>(pointer); });
    return Array<Item>(reinterpret_cast<Item *>(kept->data()), {kept->size()}, owner);
}

inline Array<std::int64_t> order_to_numpy(const std::vector<Variable> &order) {
    return to_numpy(std::vector<std::int64_t>(order.begin(), order.end()));
}

// What work() returns, found without the lock of the interpreter.
template <class Work> auto unlocked(const Work &work) {
    const nanobind::gil_scoped_release release;
    return work();
}

// Indices reach the kernels unchecked: here is where wrong ones stop.
inline void check_distinct(std::size_t n_variables, Variable child, const std::vector<Variable> &parents,
                           const std::vector<Variable> &candidates = {}) {
    std::vector<bool> used(n_variables, false);
    const auto use = [&](Variable variable) {
        if (variable >= n_variables || used[variable]) {
            throw std::invalid_argument("variable " + std::to_string(variable) + " is unknown or named twice");
        }
        used[variable] = true;
    };
    use(child);
    std::for_each(parents.begin(), parents.end(), use);
    std::for_each(candidates.begin(), candidates.end(), use);
}

} // namespace arcwise::bindings
