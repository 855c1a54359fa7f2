#include "arcwise/tail_rows.hpp"

#include <algorithm>
#include <limits>

namespace arcwise {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

} // namespace

void TailRows::begin(const Counter &counter, Variable child, std::span<const Variable> parents) {
    const TableView &table = counter.table();
    counter_ = &counter;
    child_ = child;
    rows_.clear();
    counts_.assign(counter.arity(child), 0);
    BitBlocks buffer;
    table.with_column(child, [&](const auto *codes) {
        for_each_row(counter.rows_of_family(child, parents, buffer), table.n_rows, [&](std::size_t row) {
            const std::uint32_t weight = table.weights.empty() ? 1 : table.weights[row];
            const auto state = static_cast<std::uint16_t>(codes[row]);
            rows_.push_back({static_cast<std::uint32_t>(row), 0, 0, weight, state, 0});
            counts_[state] += weight;
        });
    });
    number_mixed();
    for (const Variable parent : parents) {
        split(parent);
    }
    n_configurations_ = mixed_.size();
    for (Row &row : rows_) {
        row.parents = row.group;
    }
}

void TailRows::split(Variable variable) {
    const std::size_t states = counter_->arity(variable);
    const std::size_t r = counter_->arity(child_);
    number_.assign(n_groups_ * states, none);
    counts_.clear();
    std::uint32_t next = 0;
    counter_->table().with_column(variable, [&](const auto *codes) {
        std::size_t stay = 0;
        for (Row row : rows_) {
            const std::uint32_t group = mixed_[row.group];
            if (group == none) {
                continue;
            }
            row.code = static_cast<std::uint16_t>(codes[row.place]);
            std::uint32_t &number = number_[group * states + row.code];
            if (number == none) {
                number = next++;
                counts_.resize(next * r, 0);
            }
            row.group = number;
            counts_[number * r + row.state] += row.weight;
            rows_[stay++] = row;
        }
        rows_.resize(stay);
    });
    n_states_ = states;
    number_mixed();
}

void TailRows::number_mixed() {
    const std::size_t r = counter_->arity(child_);
    mixed_.resize(counts_.size() / r);
    std::uint32_t next = 0;
    for (std::size_t group = 0; group < mixed_.size(); ++group) {
        const auto states = std::span(counts_).subspan(group * r, r);
        const bool is_mixed = std::ranges::count_if(states, [](std::uint32_t n) { return n > 0; }) > 1;
        mixed_[group] = is_mixed ? next : none;
        if (is_mixed) {
            std::ranges::copy(states, counts_.begin() + static_cast<std::ptrdiff_t>(next++ * r));
        }
    }
    counts_.resize(next * r);
    n_groups_ = next;
}

std::int64_t TailRows::likelihood(const ScoreTable &entropy) const {
    const std::size_t r = counter_->arity(child_);
    const ScoreTable::Values term = entropy.up_to(static_cast<std::uint32_t>(counter_->n_observations()));
    std::int64_t sum = 0;
    for (std::size_t group = 0; group < n_groups_; ++group) {
        std::uint32_t n = 0;
        for (const std::uint32_t n_k : std::span(counts_).subspan(group * r, r)) {
            sum += term(n_k);
            n += n_k;
        }
        sum -= term(n);
    }
    return sum;
}

std::size_t TailRows::n_mixed() {
    seen_.assign(n_configurations_ * n_states_, 0);
    std::size_t mixed = 0;
    for (const Row &row : rows_) {
        if (mixed_[row.group] != none) {
            std::uint8_t &seen = seen_[row.parents * n_states_ + row.code];
            mixed += seen == 0 ? 1 : 0;
            seen = 1;
        }
    }
    return mixed;
}

} // namespace arcwise
