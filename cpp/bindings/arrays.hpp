// Numbers that go to Python as numpy arrays, and indices that come from there.
#pragma once

#include "arcwise/table_view.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace arcwise::bindings {

template <class T> using Array = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

// A numpy array that owns the values; char stands for bool, because std::vector<bool> has no array.
template <class T> auto to_numpy(std::vector<T> values) {
    using Item = std::conditional_t<std::is_same_v<T, char>, bool, T>;
    auto *kept = new std::vector<T>(std::move(values));
    const nanobind::capsule owner(kept, [](void *pointer) noexcept { delete static_cast<std::vector<T> *>(pointer); });
    return Array<Item>(reinterpret_cast<Item *>(kept->data()), {kept->size()}, owner);
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
