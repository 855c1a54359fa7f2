// The loops as a compiler without vectors gets them, and all instructions, give the same bits.
#define ARCWISE_PLAIN_LANES
#include "../src/clique_loops.hpp"
#include "../src/gaussian_lanes.hpp"
#include "../src/product_loops.hpp"

#include "arcwise/gaussian_engine.hpp"
#include "arcwise/product_kernels.hpp"
#include "arcwise/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <vector>

using namespace arcwise;

namespace {

using Numbers = std::vector<double, BlockAllocator<double>>;

const CliqueKernels cliques_of_arrays{Instructions::plain, lane_kernels<1>, lane_kernels<clique_lanes>};
const GaussianKernels gaussian_of_arrays{Instructions::plain, &add_columns, &multiply_subtract};
const ProductKernels products_of_arrays{gather, add_products};

std::vector<const char *> names_here() {
    std::vector<const char *> found;
    for (const char *name : {"plain", "neon", "avx2", "avx512"}) {
        try {
            (void)bit_kernels(name);
            found.push_back(name);
        } catch (const std::invalid_argument &) { // this machine does not have them
        }
    }
    return found;
}

template <class Some, class Others> bool same_bits(const Some &some, const Others &others) {
    return std::ranges::equal(
        some, others, {}, [](double x) { return std::bit_cast<std::uint64_t>(x); },
        [](double x) { return std::bit_cast<std::uint64_t>(x); });
}

Numbers random_numbers(std::size_t n, Random &random) {
    Numbers numbers(n);
    std::ranges::generate(numbers, [&] { return random.fraction() - 0.25; });
    return numbers;
}

void check_cliques(const LaneKernels &mine, const LaneKernels &other, Random &random) {
    constexpr std::size_t n_outer = 5;
    constexpr std::size_t n_inner = 6;
    const std::vector<std::uint32_t> outer{0, 1, 0, 1, 0};
    const std::vector<std::uint32_t> inner{0, 2, 4, 6, 8, 10};
    const std::vector<std::uint32_t> zeros(n_inner, 0);
    Numbers fixed = random_numbers(12, random);
    fixed[4] = 0.0;
    for (const std::size_t n_in : {0U, 1U, 2U, 3U, 4U, 6U}) {
        for (const std::size_t n_out : {0U, 1U, 2U, 3U, 5U}) {
            std::vector<LaneTable> in;
            std::vector<LaneTable> out;
            std::size_t cells = 0;
            for (std::size_t k = 0; k < n_in + 1; ++k, cells += 12) {
                in.push_back({cells, outer.data(), k < n_in ? inner.data() : zeros.data()});
            }
            for (std::size_t k = 0; k < n_out + 1; ++k, cells += 12) {
                out.push_back({cells, outer.data(), k < n_out ? inner.data() : zeros.data()});
            }
            const CliquePass pass{
                n_outer, n_inner, fixed.data(), outer.data(), inner.data(), in.data(), n_in, 1, out.data(), n_out, 1};
            Numbers first = random_numbers(cells * mine.n_lanes, random);
            Numbers second = first;
            for (const bool adds : {true, false}) {
                (adds ? mine.add : mine.keep_largest)(pass, 0, n_outer, first.data());
                (adds ? other.add : other.keep_largest)(pass, 0, n_outer, second.data());
                CHECK(same_bits(first, second));
            }
            std::array<double, clique_lanes> exponents{};
            std::array<double, clique_lanes> others{};
            mine.rescale(first.data(), 12, exponents.data());
            other.rescale(second.data(), 12, others.data());
            CHECK(same_bits(exponents, others));
            mine.divide(first.data(), first.data() + 12 * mine.n_lanes, 1);
            other.divide(second.data(), second.data() + 12 * mine.n_lanes, 1);
            CHECK(same_bits(first, second));
        }
    }
}

} // namespace

TEST_CASE("products of tables have the same bits in arrays and all instructions") {
    Random random(3);
    for (const char *name : names_here()) {
        const CliqueKernels &kernels = clique_kernels(name);
        check_cliques(cliques_of_arrays.single, kernels.single, random);
        check_cliques(cliques_of_arrays.together, kernels.together, random);
    }
}

TEST_CASE("continuous scores have the same bits in arrays and all instructions") {
    constexpr std::size_t n = 45;
    constexpr std::size_t n_rows = 60;
    Random random(4);
    Numbers columns = random_numbers(n * n_rows, random);
    const auto column = [&](std::size_t i) { return columns.begin() + static_cast<std::ptrdiff_t>(i * n_rows); };
    for (std::size_t row = 0; row < n_rows; ++row) { // one says nothing beside two others, one nothing at all
        columns[9 * n_rows + row] = columns[3 * n_rows + row] + columns[20 * n_rows + row];
        columns[7 * n_rows + row] = 0.0;
    }
    std::vector<double> gram(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            gram[i * n + j] = gram[j * n + i] = std::inner_product(column(i), column(i + 1), column(j), 0.0);
        }
    }
    const GaussianData data{gram, std::vector<std::uint32_t>(n, 1), std::vector<double>(n, 0.0), n_rows};
    const GaussianEngine penalised(data, PenalisedGaussian{0.5}, gaussian_of_arrays);
    for (const char *name : names_here()) {
        const GaussianEngine other(data, PenalisedGaussian{0.5}, gaussian_kernels(name));
        for (const std::vector<Variable> &parents : std::vector<std::vector<Variable>>{
                 {}, {3}, {3, 20}, {1, 12, 44}, {2, 7, 9, 13, 21}, {4, 5, 6, 8, 10, 30, 31, 40}}) {
            std::vector<Variable> candidates;
            for (Variable v = 0; v < n; ++v) {
                if (v != 11 && std::ranges::find(parents, v) == parents.end()) {
                    candidates.push_back(v);
                }
            }
            for (const std::size_t left_out : {0U, 1U, 5U}) { // whole vectors, some of one, and gaps between candidates
                candidates.erase(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(left_out));
                std::vector<double> a(candidates.size());
                std::vector<double> b(candidates.size());
                CHECK(penalised.additions({11, parents}, candidates, a, nullptr, nullptr));
                CHECK(other.additions({11, parents}, candidates, b, nullptr, nullptr));
                CHECK(same_bits(a, b));
            }
        }
    }
}

TEST_CASE("sums of products have the same bits in arrays and all instructions") {
    constexpr std::size_t n = 200;
    Random random(5);
    const Numbers column = random_numbers(2 * n, random);
    const Numbers roots = random_numbers(n, random);
    std::vector<std::uint32_t> rows(n);
    std::iota(rows.begin(), rows.end(), 7U);
    for (const char *name : names_here()) {
        const ProductKernels &kernels = product_kernels(bit_kernels(name).instructions);
        for (const std::size_t n_chosen : {0U, 1U, 8U, 13U, 200U}) {
            const std::size_t n_padded = (n_chosen + product_parts - 1) / product_parts * product_parts;
            for (const bool has_gaps : {false, true}) {
                std::vector<std::uint32_t> chosen(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(n_chosen));
                if (has_gaps && n_chosen > 0) {
                    chosen.back() += 3;
                }
                Numbers a(n_padded);
                Numbers b(n_padded);
                products_of_arrays.gather(column.data(), column[7], chosen.data(), n_chosen, roots.data(), a.data());
                kernels.gather(column.data(), column[7], chosen.data(), n_chosen, roots.data(), b.data());
                CHECK(same_bits(a, b));
                for (std::size_t n_others = 0; n_others < 18; ++n_others) {
                    std::vector<Numbers> others(n_others);
                    std::vector<const double *> pointers;
                    for (Numbers &one : others) {
                        one = random_numbers(n_padded, random);
                        pointers.push_back(one.data());
                    }
                    Numbers mine(n_others * product_parts);
                    Numbers theirs(n_others * product_parts);
                    for (const bool is_first : {true, false}) {
                        products_of_arrays.add_products(a.data(), pointers.data(), n_others, n_padded, is_first,
                                                        mine.data());
                        kernels.add_products(a.data(), pointers.data(), n_others, n_padded, is_first, theirs.data());
                        CHECK(same_bits(mine, theirs));
                    }
                }
            }
        }
    }
}
