#include "arcwise/bits.hpp"

#include "bindings.hpp"
#include "bound_score.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {
namespace {

std::string instructions(const std::string &wanted) {
    switch (bit_kernels(wanted).instructions) {
    case Instructions::avx512:
        return "avx512";
    case Instructions::avx2:
        return "avx2";
    case Instructions::plain:
        break;
    }
    return "plain";
}

// Words per second of AND + popcount in a bare loop over every pair of `n_masks` and `n_planes` bit vectors.
double and_popcount_rate(std::size_t n_rows, std::size_t n_masks, std::size_t n_planes, double seconds) {
    const nb::gil_scoped_release release;
    const BitKernels &kernels = bit_kernels();
    const std::size_t words = padded_words(n_rows);
    BitBlocks masks(n_masks * words, 0x5555'5555'5555'5555U);
    BitBlocks planes(n_planes * words, 0x3333'3333'3333'3333U);
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    double elapsed = 0.0;
    std::uint64_t done = 0;
    std::uint64_t sink = 0;
    while (elapsed < seconds) {
        for (std::size_t p = 0; p < n_planes; ++p) {
            for (std::size_t m = 0; m < n_masks; ++m) {
                sink += kernels.dot(masks.data() + m * words, planes.data() + p * words, words, 1);
            }
        }
        done += n_planes * n_masks * words;
        elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    }
    return sink > 0 ? static_cast<double>(done) / elapsed : 0.0;
}

// Counts all additions to a family and makes nothing of them; returns how many cells there were.
std::size_t count_additions(const BoundScore &self, Variable child, const std::vector<Variable> &parents) {
    check_distinct(self.score.n_variables(), child, parents);
    const nb::gil_scoped_release release;
    std::vector<Variable> candidates;
    for (Variable v = 0; v < self.score.n_variables(); ++v) {
        if (v != child && std::ranges::find(parents, v) == parents.end()) {
            candidates.push_back(v);
        }
    }
    std::size_t n_cells = 0;
    const auto use = [&](std::size_t, std::span<const std::uint32_t> counts, std::uint32_t) {
        n_cells += counts.size();
    };
    (void)self.score.counter().count({child, parents, candidates, use, [](std::size_t) {}, nullptr});
    return n_cells;
}

} // namespace

void bind_machine(nb::module_ &module) {
    module.def(
        "instructions", &instructions, "wanted"_a = "auto",
        "The instructions of a name, avx512, avx2 or plain; by default the widest that this machine has. Refuses "
        "those that it does not have.");
    module.def("and_popcount_rate", &and_popcount_rate, "n_rows"_a, "n_masks"_a, "n_planes"_a, "seconds"_a,
               "Words per second of AND + popcount in a bare loop: what counting by bit planes is measured against.");
    module.def(
        "count_additions", &count_additions, "score"_a, "child"_a, "parents"_a,
        "Count all additions without scoring them, and return the number of cells: what scoring them is measured "
        "against.");
}

} // namespace arcwise::bindings
