#include "arcwise/shard_counter.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

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

} // namespace

std::size_t ShardCounter::cells(const Family &family) const {
    return checked(configurations(counter_.table().arities, family.parents) *
                   static_cast<double>(counter_.arity(family.child)));
}

std::size_t ShardCounter::cells_of_additions(const Family &family, std::span<const Variable> candidates) const {
    const auto of_family = static_cast<double>(cells(family));
    double total = 0.0;
    for (const Variable candidate : candidates) {
        total += is_member(family, candidate) ? 0.0 : of_family * static_cast<double>(counter_.arity(candidate));
    }
    return checked(total);
}

void ShardCounter::add_by_rows(const Family &family, const Variable *candidate, std::span<std::uint32_t> counts) const {
    const TableView &table = counter_.table();
    std::vector<std::uint32_t> cell(table.n_rows, 0);
    const auto append = [&](Variable variable) {
        table.with_column(variable, [&](const auto *codes) {
            const auto states = static_cast<std::uint32_t>(counter_.arity(variable));
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

void ShardCounter::add_counts(const Family &family, std::span<std::uint32_t> counts) const {
    thread_local FamilyTable table;
    if (!counter_.tabulate(family.child, family.parents, table) || !table.is_complete) {
        add_by_rows(family, nullptr, counts);
        return;
    }
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
        counts[cell] += table.counts[cell];
    }
}

void ShardCounter::add_additions(const Family &family, std::span<const Variable> candidates,
                                 std::span<std::uint32_t> counts) const {
    const std::size_t n_cells = cells(family);
    std::vector<Variable> others;
    std::vector<std::size_t> begin;
    std::size_t next = 0;
    for (const Variable candidate : candidates) {
        if (!is_member(family, candidate)) {
            others.push_back(candidate);
            begin.push_back(next);
            next += n_cells * counter_.arity(candidate);
        }
    }
    std::vector<std::uint64_t> cell;
    const auto use = [&](std::size_t i, std::span<const std::uint32_t> found, std::uint32_t /*largest*/) {
        for (std::size_t state = 0; state < counter_.arity(others[i]); ++state) {
            std::uint32_t *block = counts.data() + begin[i] + state * n_cells;
            const std::uint32_t *its = found.data() + state * cell.size();
            for (std::size_t c = 0; c < cell.size(); ++c) {
                block[cell[c]] += its[c];
            }
        }
    };
    const auto misfit = [&](std::size_t i) {
        add_by_rows(family, &others[i], counts.subspan(begin[i], n_cells * counter_.arity(others[i])));
    };
    (void)counter_.count({family.child, family.parents, others, use, misfit, nullptr, &cell});
}

} // namespace arcwise
