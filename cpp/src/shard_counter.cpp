#include "arcwise/shard_counter.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace arcwise {
namespace {

bool is_member(const Family &family, Variable candidate) {
    return candidate == family.child || std::ranges::find(family.parents, candidate) != family.parents.end();
}

std::size_t checked(double cells) {
    if (cells > static_cast<double>(ShardCounter::max_cells)) {
        throw std::length_error("a table of counts has too many cells");
    }
    return static_cast<std::size_t>(cells);
}

// The places of tables of these sizes, one behind the other.
std::vector<std::span<std::uint32_t>> places(std::span<std::uint32_t> counts, std::span<const std::size_t> sizes) {
    std::vector<std::span<std::uint32_t>> found;
    for (const std::size_t size : sizes) {
        if (counts.size() < size) {
            throw std::invalid_argument("there is less room than there are cells");
        }
        found.push_back(counts.first(size));
        counts = counts.subspan(size);
    }
    return found;
}

// Row by row: for tables that have more cells than the ways of counting are made for.
void add_by_rows(const Counter &counter, const Family &family, const Variable *candidate,
                 std::span<std::uint32_t> counts) {
    const TableView &table = counter.table();
    thread_local std::vector<std::uint32_t> cell;
    cell.assign(table.n_rows, 0);
    const auto append = [&](Variable variable) {
        counter.with_column(variable, [&](const auto *codes) {
            const auto states = static_cast<std::uint32_t>(counter.arity(variable));
            for (std::size_t row = 0; row < table.n_rows; ++row) {
                cell[row] = cell[row] * states + codes[row];
            }
        });
    };
    if (candidate != nullptr) {
        append(*candidate);
    }
    std::ranges::for_each(family.parents, append);
    append(family.child);
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        counts[cell[row]] += table.weights.empty() ? 1 : table.weights[row];
    }
}

void add_family(const Counter &counter, const Family &family, std::span<std::uint32_t> counts) {
    thread_local FamilyTable table;
    // A table of its own would have more cells than there are rows to add.
    if (counts.size() > counter.table().n_rows || !counter.tabulate(family.child, family.parents, table) ||
        !table.is_complete) {
        add_by_rows(counter, family, nullptr, counts);
        return;
    }
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
        counts[cell] += table.counts[cell];
    }
}

// Candidates that are not in a family, the cells of the family without them, and where the cells of each begin.
struct Others {
    std::vector<Variable> variables;
    std::vector<std::size_t> begin;
    std::size_t n_cells;
};

void add_with_others(const Counter &counter, const Family &family, const Others &others,
                     std::span<std::uint32_t> counts) {
    std::vector<std::uint64_t> cell;
    const auto use = [&](std::size_t i, std::span<const std::uint32_t> found, std::uint32_t /*largest*/) {
        for (std::size_t state = 0; state < counter.arity(others.variables[i]); ++state) {
            std::uint32_t *block = counts.data() + others.begin[i] + state * others.n_cells;
            const std::uint32_t *its = found.data() + state * cell.size();
            for (std::size_t c = 0; c < cell.size(); ++c) {
                block[cell[c]] += its[c];
            }
        }
    };
    const auto misfit = [&](std::size_t i) {
        const Variable candidate = others.variables[i];
        add_by_rows(counter, family, &candidate,
                    counts.subspan(others.begin[i], others.n_cells * counter.arity(candidate)));
    };
    (void)counter.count({family.child, family.parents, others.variables, use, misfit, nullptr, &cell});
}

} // namespace

void ShardCounter::append(TableView rows) {
    if (rows.arities != arities_ || rows.masks != nullptr) {
        throw std::invalid_argument("rows of other variables, or with gaps");
    }
    const auto counts = [](std::uint32_t weight) { return weight > 0; };
    if (rows.n_rows == 0 || (!rows.weights.empty() && std::ranges::none_of(rows.weights, counts))) {
        return;
    }
    std::vector<std::uint32_t> weights(rows.weights.begin(), rows.weights.end());
    rows.weights = weights;
    // Moving a vector leaves its elements where they are.
    auto block = std::make_unique<Block>(std::move(weights), std::move(rows), kernels_);
    block->counter.forget_codes();
    blocks_.push_back(std::move(block));
}

std::size_t ShardCounter::bytes() const noexcept {
    std::size_t sum = 0;
    for (const auto &block : blocks_) {
        sum += block->counter.bytes() + sizeof(std::uint32_t) * block->weights.size();
    }
    return sum;
}

std::size_t ShardCounter::cells(const Family &family) const {
    return checked(configurations(arities_, family.parents) * static_cast<double>(arities_[family.child]));
}

std::size_t ShardCounter::cells_of_additions(const Family &family, std::span<const Variable> candidates) const {
    const auto of_family = static_cast<double>(cells(family));
    double total = 0.0;
    for (const Variable candidate : candidates) {
        total += is_member(family, candidate) ? 0.0 : of_family * static_cast<double>(arities_[candidate]);
    }
    return checked(total);
}

void ShardCounter::add_counts(std::span<const Family> families, std::span<std::uint32_t> counts) const {
    std::vector<std::size_t> sizes;
    for (const Family &family : families) {
        sizes.push_back(cells(family));
    }
    const auto tables = places(counts, sizes);
    for (const auto &block : blocks_) {
        for (std::size_t i = 0; i < families.size(); ++i) {
            add_family(block->counter, families[i], tables[i]);
        }
    }
}

void ShardCounter::add_additions(std::span<const Family> families, std::span<const Variable> candidates,
                                 std::span<std::uint32_t> counts) const {
    std::vector<std::size_t> sizes;
    std::vector<Others> others;
    for (const Family &family : families) {
        sizes.push_back(cells_of_additions(family, candidates));
        Others &its = others.emplace_back(Others{{}, {}, cells(family)});
        std::size_t next = 0;
        for (const Variable candidate : candidates) {
            if (!is_member(family, candidate)) {
                its.variables.push_back(candidate);
                its.begin.push_back(next);
                next += its.n_cells * arities_[candidate];
            }
        }
    }
    const auto tables = places(counts, sizes);
    for (const auto &block : blocks_) {
        for (std::size_t i = 0; i < families.size(); ++i) {
            add_with_others(block->counter, families[i], others[i], tables[i]);
        }
    }
}

} // namespace arcwise
