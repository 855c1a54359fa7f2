#include "arcwise/bits.hpp"
#include "arcwise/gaussian_kernels.hpp"

#include "bindings.hpp"
#include "bound_score.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <ctime>
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
    case Instructions::neon:
        return "neon";
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

// How much of what `work` returns is done per second of this process, in about so many of them: whoever else works on
// the machine does not count.
template <class Work> double rate_of(double seconds, const Work &work) {
    const std::clock_t start = std::clock();
    double elapsed = 0.0;
    double done = 0.0;
    while (elapsed < seconds) {
        done += work();
        elapsed = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    }
    return done / elapsed;
}

double multiply_subtract_rate(double seconds, const std::string &wanted) {
    const nb::gil_scoped_release release;
    const GaussianKernels &kernels = gaussian_kernels(wanted);
    return rate_of(seconds, [&] { return kernels.multiply_subtract(100'000); });
}

double addition_rate(const BoundScore &self, Variable child, const std::vector<Variable> &parents, double seconds) {
    check_distinct(self.score.n_variables(), child, parents);
    const nb::gil_scoped_release release;
    const std::vector<Variable> candidates = all_others(self.score, child, parents);
    std::vector<double> scores(candidates.size());
    return rate_of(seconds, [&] {
        (void)self.score.new_additions({child, parents}, candidates, scores, nullptr, nullptr);
        return static_cast<double>(scores.size());
    });
}

// Counts all additions to a family and makes nothing of them; returns how many cells there were.
std::size_t count_additions(const BoundScore &self, Variable child, const std::vector<Variable> &parents) {
    check_distinct(self.score.n_variables(), child, parents);
    const nb::gil_scoped_release release;
    const std::vector<Variable> candidates = all_others(self.score, child, parents);
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
        "multiply_subtract_rate", &multiply_subtract_rate, "seconds"_a, "instructions"_a = "auto",
        "Multiplications and subtractions per second in a bare loop: what scores of continuous data are measured "
        "against.");
    module.def("addition_rate", &addition_rate, "score"_a, "child"_a, "parents"_a, "seconds"_a,
               "Scores per second of all additions to a family, without the cache.");
    module.def(
        "count_additions", &count_additions, "score"_a, "child"_a, "parents"_a,
        "Count all additions without scoring them, and return the number of cells: what scoring them is measured "
        "against.");
}

} // namespace arcwise::bindings
