#include "arcwise/shard_counter.hpp"
#include "random_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

using namespace arcwise;
using testing::RandomTable;

namespace {

// Row by row: the cells of (candidate, parents, child) in mixed radix, the child fastest.
template <class Code>
std::vector<std::uint32_t> counted(const RandomTable<Code> &table, const std::vector<Variable> &variables) {
    std::size_t n_cells = 1;
    for (const Variable v : variables) {
        n_cells *= table.arities[v];
    }
    std::vector<std::uint32_t> counts(n_cells, 0);
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        std::size_t cell = 0;
        for (const Variable v : variables) {
            cell = cell * table.arities[v] + table.codes[v * table.n_rows + row];
        }
        counts[cell] += table.weights.empty() ? 1 : table.weights[row];
    }
    return counts;
}

// Some of the rows.
template <class Code> RandomTable<Code> part(const RandomTable<Code> &table, std::size_t begin, std::size_t end) {
    RandomTable<Code> found(end - begin, table.arities, 0);
    for (std::size_t v = 0; v < table.arities.size(); ++v) {
        for (std::size_t row = begin; row < end; ++row) {
            found.codes[v * found.n_rows + row - begin] = table.codes[v * table.n_rows + row];
        }
    }
    if (!table.weights.empty()) {
        found.weights.assign(table.weights.begin() + static_cast<std::ptrdiff_t>(begin),
                             table.weights.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return found;
}

// In blocks of so many rows.
template <class Code> ShardCounter in_blocks(const RandomTable<Code> &table, std::size_t rows) {
    ShardCounter counter(table.arities, bit_kernels("auto"));
    for (std::size_t begin = 0; begin < table.n_rows; begin += rows) {
        counter.append(part(table, begin, std::min(begin + rows, table.n_rows)).view()); // which ends here
    }
    return counter;
}

template <class Code> void check_counts(const RandomTable<Code> &table, std::size_t rows) {
    const ShardCounter counter = in_blocks(table, rows);
    CHECK(counter.n_blocks() == (table.n_rows + rows - 1) / rows);
    const auto n = static_cast<Variable>(table.arities.size());
    std::vector<Variable> candidates;
    for (Variable v = 0; v < n; ++v) {
        candidates.push_back(v);
    }
    for (Variable child = 0; child < n; ++child) {
        std::vector<Variable> parents;
        for (Variable parent = 0; parent < n; ++parent) {
            const Family family{child, parents};
            std::vector<Variable> all = parents;
            all.push_back(child);
            std::vector<std::uint32_t> counts(counter.cells(family), 5); // they are added to what is there
            counter.add_counts(std::span(&family, 1), counts);
            std::vector<std::uint32_t> expected = counted(table, all);
            for (std::uint32_t &count : expected) {
                count += 5;
            }
            CHECK(counts == expected);
            std::vector<std::uint32_t> additions(counter.cells_of_additions(family, candidates), 0);
            counter.add_additions(std::span(&family, 1), candidates, additions);
            std::vector<std::uint32_t> of_all;
            for (const Variable candidate : candidates) {
                if (std::find(all.begin(), all.end(), candidate) == all.end()) {
                    std::vector<Variable> more{candidate};
                    more.insert(more.end(), all.begin(), all.end());
                    const std::vector<std::uint32_t> own = counted(table, more);
                    of_all.insert(of_all.end(), own.begin(), own.end());
                }
            }
            CHECK(additions == of_all);
            if (parent != child) {
                parents.push_back(parent);
            }
        }
    }
}

} // namespace

TEST_CASE("shard counter: all cells of families and of their additions are counted") {
    check_counts(RandomTable<std::uint8_t>(1, {2, 3}, 1), 10);
    for (const std::size_t rows : {300, 100, 65, 64}) {
        check_counts(RandomTable<std::uint8_t>(300, {2, 3, 1, 4, 2, 3}, 2), rows);
        check_counts(RandomTable<std::uint8_t>(300, {2, 3, 1, 4, 2, 3}, 3, 4), rows);
    }
    check_counts(RandomTable<std::uint16_t>(200, {2, 300, 3, 2}, 4), 70); // more states than there are planes
    check_counts(RandomTable<std::uint8_t>(20, {70, 9, 80, 3}, 5), 20);   // more cells than rows are worth
    check_counts(RandomTable<std::uint8_t>(20, {64, 9, 60, 3}, 5), 20);
}

TEST_CASE("shard counter: a batch is counted as its families are") {
    const RandomTable<std::uint8_t> table(300, {2, 3, 1, 4, 2, 3}, 7, 3);
    const ShardCounter counter = in_blocks(table, 128);
    const std::vector<Variable> two{1, 4};
    const std::vector<Family> families{{0, two}, {5, {}}, {3, std::span(two).first(1)}};
    std::vector<std::uint32_t> counts(2 * 3 * 2 + 3 + 4 * 3, 0);
    counter.add_counts(families, counts);
    std::vector<std::uint32_t> expected = counted(table, {1, 4, 0});
    for (const std::vector<Variable> &family : {std::vector<Variable>{5}, std::vector<Variable>{1, 3}}) {
        const std::vector<std::uint32_t> own = counted(table, family);
        expected.insert(expected.end(), own.begin(), own.end());
    }
    CHECK(counts == expected);
    counts.pop_back();
    CHECK_THROWS_AS(counter.add_counts(families, counts), std::invalid_argument);
}

TEST_CASE("shard counter: rows that do not count, and rows of other variables") {
    RandomTable<std::uint8_t> table(10, {2, 3}, 8, 1);
    std::ranges::fill(table.weights, 0);
    ShardCounter counter(table.arities, bit_kernels("plain"));
    counter.append(table.view());
    CHECK(counter.n_blocks() == 0);
    CHECK(counter.bytes() == 0);
    const RandomTable<std::uint8_t> other(10, {2, 2}, 9);
    CHECK_THROWS_AS(counter.append(other.view()), std::invalid_argument);
}

TEST_CASE("shard counter: codes are those that the planes were made of") {
    const RandomTable<std::uint16_t> table(1000, {2, 300, 64, 1, 65}, 10);
    const ShardCounter counter = in_blocks(table, 1000);
    for (Variable v = 0; v < table.arities.size(); ++v) {
        counter.block(0).with_column(v, [&](const auto *codes) {
            CHECK(std::equal(codes, codes + table.n_rows,
                             table.codes.begin() + static_cast<std::ptrdiff_t>(v * table.n_rows)));
        });
    }
}

TEST_CASE("shard counter: a table of too many cells is refused") {
    const ShardCounter counter({200, 200, 200, 200}, bit_kernels("plain"));
    const std::vector<Variable> parents{1, 2, 3};
    CHECK_THROWS_AS((void)counter.cells({0, parents}), std::length_error);
}
