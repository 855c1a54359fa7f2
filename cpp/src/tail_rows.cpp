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
    BitBlocks buffer;
    table.with_column(child, [&](const auto *codes) {
        for_each_row(counter.rows_of_family(child, parents, buffer), table.n_rows, [&](std::size_t row) {
            rows_.push_back({static_cast<std::uint32_t>(row), 0, 0, static_cast<std::uint16_t>(codes[row])});
        });
    });
    n_groups_ = 1;
    counts_.assign(counter.arity(child), 0);
    for (const Row &row : rows_) {
        counts_[row.state] += weight(row);
    }
    leave_pure();
    for (const Variable parent : parents) {
        split(parent);
    }
    n_configurations_ = n_groups_;
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
        for (Row &row : rows_) {
            std::uint32_t &number = number_[row.group * states + codes[row.place]];
            if (number == none) {
                number = next++;
                counts_.resize(next * r, 0);
            }
            row.group = number;
            counts_[number * r + row.state] += weight(row);
        }
    });
    n_groups_ = next;
    leave_pure();
}

void TailRows::leave_pure() {
    const std::size_t r = counter_->arity(child_);
    number_.resize(n_groups_);
    std::uint32_t next = 0;
    for (std::size_t group = 0; group < n_groups_; ++group) {
        const auto states = std::span(counts_).subspan(group * r, r);
        const bool is_mixed = std::ranges::count_if(states, [](std::uint32_t n) { return n > 0; }) > 1;
        number_[group] = is_mixed ? next : none;
        if (is_mixed) {
            std::ranges::copy(states, counts_.begin() + static_cast<std::ptrdiff_t>(next++ * r));
        }
    }
    counts_.resize(next * r);
    if (next == n_groups_) {
        return;
    }
    n_groups_ = next;
    std::size_t stay = 0;
    for (const Row &row : rows_) {
        if (number_[row.group] != none) {
            rows_[stay] = row;
            rows_[stay++].group = number_[row.group];
        }
    }
    rows_.resize(stay);
}

std::uint32_t TailRows::weight(const Row &row) const noexcept {
    const std::span<const std::uint32_t> weights = counter_->table().weights;
    return weights.empty() ? 1 : weights[row.place];
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

std::size_t TailRows::n_mixed(Variable one_more) {
    const std::size_t states = counter_->arity(one_more);
    seen_.assign(n_configurations_ * states, false);
    std::size_t mixed = 0;
    counter_->table().with_column(one_more, [&](const auto *codes) {
        for (const Row &row : rows_) {
            const std::size_t at = row.parents * states + codes[row.place];
            mixed += seen_[at] ? 0 : 1;
            seen_[at] = true;
        }
    });
    return mixed;
}

} // namespace arcwise
