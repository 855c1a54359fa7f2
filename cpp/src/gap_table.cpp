#include "arcwise/gap_table.hpp"

#include <limits>
#include <stdexcept>

namespace arcwise {

namespace {

constexpr std::size_t most_places = std::numeric_limits<std::uint32_t>::max();

} // namespace

GapTable::GapTable(const TableView &table)
    : n_rows_(table.n_rows), n_observations_(table.n_observations()), arities_(table.arities), weights_(table.weights),
      codes_(table.n_rows * table.n_variables()), begin_(table.n_rows + 1, 0), places_(table.n_variables()) {
    if (n_rows_ > most_places) {
        throw std::length_error("a table with gaps cannot have so many rows");
    }
    const auto n = static_cast<Variable>(arities_.size());
    const auto for_each_gap = [&](const auto &use) {
        for (Variable v = 0; v < n; ++v) {
            for (std::size_t row = 0; row < n_rows_; ++row) {
                if (codes_[v * n_rows_ + row] == arities_[v]) {
                    use(v, row);
                }
            }
        }
    };
    for (Variable v = 0; v < n; ++v) {
        table.with_column(v, [&](const auto *codes) {
            for (std::size_t row = 0; row < n_rows_; ++row) {
                codes_[v * n_rows_ + row] = static_cast<std::uint16_t>(codes[row]);
            }
        });
    }
    for_each_gap([&](Variable, std::size_t row) { ++begin_[row + 1]; });
    for (std::size_t row = 0; row < n_rows_; ++row) {
        begin_[row + 1] += begin_[row];
    }
    if (begin_.back() > most_places) {
        throw std::length_error("a table cannot have so many gaps");
    }
    variables_.resize(begin_.back());
    ranks_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for_each_gap([&](Variable v, std::size_t row) {
        ranks_[next[row]] = static_cast<std::uint32_t>(places_[v].size());
        places_[v].push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(next[row])});
        variables_[next[row]++] = v;
    });
}

std::size_t GapTable::bytes() const noexcept {
    return codes_.size() * sizeof(std::uint16_t) + begin_.size() * sizeof(std::size_t) +
           variables_.size() * (sizeof(Variable) + sizeof(std::uint32_t) + sizeof(GapPlace));
}

} // namespace arcwise
