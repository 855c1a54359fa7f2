// A LocalScore with the arrays it borrows.
#pragma once

#include "arcwise/addition_rows.hpp"
#include "arcwise/leading_rows.hpp"
#include "arcwise/local_score.hpp"

#include "arrays.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace arcwise::bindings {

template <class Code>
using Codes = nanobind::ndarray<const Code, nanobind::ndim<2>, nanobind::f_contig, nanobind::device::cpu>;
using Weights = Flat<std::uint32_t>;

// Codes reach the kernels unchecked: here is where wrong ones stop. There is a column for each arity.
template <class Code> void check_codes(const Codes<Code> &codes, const std::vector<std::uint32_t> &arities) {
    const std::size_t n_rows = codes.shape(0);
    for (std::size_t v = 0; v < arities.size(); ++v) {
        const Code *column = codes.data() + v * n_rows;
        if (n_rows > 0 && *std::max_element(column, column + n_rows) >= arities[v]) {
            throw std::invalid_argument("column " + std::to_string(v) + " has a code outside its arity");
        }
    }
}

struct BoundScore {
    nanobind::object codes; // keep the borrowed memory alive
    nanobind::object weights;
    nanobind::object function; // of a score in Python; null where the score is counted
    LocalScore score;
    std::size_t row_bytes;
    mutable AdditionRows rows{score, row_bytes / 2};   // searches over classes and orders
    mutable LeadingRows leading{score, row_bytes / 2}; // over graphs
};

// All variables but a child and its parents.
inline std::vector<Variable> all_others(const LocalScore &score, Variable child, const std::vector<Variable> &parents) {
    std::vector<Variable> others;
    for (Variable v = 0; v < score.n_variables(); ++v) {
        if (v != child && std::find(parents.begin(), parents.end(), v) == parents.end()) {
            others.push_back(v);
        }
    }
    return others;
}

} // namespace arcwise::bindings
