#include "arcwise/merged_rows.hpp"

#include <limits>

namespace arcwise {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

// The rows of a table in groups: those that are the same in all variables by which they were split.
class Groups {
  public:
    explicit Groups(const TableView &table) : table_(table), group_(table.n_rows, 0) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    void split(Variable variable) {
        const std::size_t states = table_.arities[variable];
        number_.assign(size_ * states, none);
        std::uint32_t next = 0;
        table_.with_column(variable, [&](const auto *codes) {
            for (std::size_t row = 0; row < table_.n_rows; ++row) {
                std::uint32_t &number = number_[group_[row] * states + codes[row]];
                next += number == none ? 1 : 0;
                number = number == none ? next - 1 : number;
                group_[row] = number;
            }
        });
        size_ = next;
    }

    // How often each was seen, and a row of each.
    void sum_up(std::vector<std::uint32_t> &weights, std::vector<std::size_t> &rows) const {
        weights.assign(size_, 0);
        rows.resize(size_);
        for (std::size_t row = 0; row < table_.n_rows; ++row) {
            weights[group_[row]] += table_.weights.empty() ? 1 : table_.weights[row];
            rows[group_[row]] = row;
        }
    }

  private:
    const TableView &table_;
    std::size_t size_ = 1;
    std::vector<std::uint32_t> group_;  // of each row
    std::vector<std::uint32_t> number_; // new numbers of groups, by old number and code
};

} // namespace

std::optional<MergedRows> merge_rows(const TableView &table, std::span<const Variable> variables,
                                     std::size_t most_rows) {
    if (table.masks != nullptr) {
        return std::nullopt;
    }
    Groups groups(table);
    for (const Variable variable : variables) {
        groups.split(variable);
        if (groups.size() > most_rows) {
            return std::nullopt;
        }
    }
    MergedRows merged;
    std::vector<std::size_t> rows;
    groups.sum_up(merged.weights, rows);
    std::vector<std::uint32_t> arities(table.n_variables(), 1);
    std::visit(
        [&]<class Code>(const Code *first) {
            std::vector<Code> codes(rows.size() * table.n_variables(), 0);
            for (const Variable variable : variables) {
                arities[variable] = table.arities[variable];
                const Code *const from = first + variable * table.n_rows;
                Code *const to = codes.data() + variable * rows.size();
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    to[i] = from[rows[i]];
                }
            }
            merged.view.codes = codes.data();
            merged.codes = std::move(codes);
        },
        table.codes);
    merged.view.n_rows = rows.size();
    merged.view.arities = std::move(arities);
    merged.view.weights = merged.weights;
    return merged;
}

} // namespace arcwise
