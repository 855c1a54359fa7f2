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

template <class Code> void check_counts(const RandomTable<Code> &table) {
    const ShardCounter counter(table.view(), bit_kernels("auto"));
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
            counter.add_counts(family, counts);
            std::vector<std::uint32_t> expected = counted(table, all);
            for (std::uint32_t &count : expected) {
                count += 5;
            }
            CHECK(counts == expected);
            std::vector<std::uint32_t> additions(counter.cells_of_additions(family, candidates), 0);
            counter.add_additions(family, candidates, additions);
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
    check_counts(RandomTable<std::uint8_t>(1, {2, 3}, 1));
    check_counts(RandomTable<std::uint8_t>(300, {2, 3, 1, 4, 2, 3}, 2));
    check_counts(RandomTable<std::uint8_t>(300, {2, 3, 1, 4, 2, 3}, 3, 4));
    check_counts(RandomTable<std::uint16_t>(200, {2, 300, 3, 2}, 4)); // more states than there are planes
    check_counts(RandomTable<std::uint8_t>(20, {70, 9, 80, 3}, 5));   // more cells than rows are worth
}

TEST_CASE("shard counter: a table of too many cells is refused") {
    const RandomTable<std::uint8_t> table(10, {200, 200, 200, 200}, 6);
    const ShardCounter counter(table.view(), bit_kernels("plain"));
    const std::vector<Variable> parents{1, 2, 3};
    CHECK_THROWS_AS((void)counter.cells({0, parents}), std::length_error);
}
