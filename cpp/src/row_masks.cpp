#include "arcwise/row_masks.hpp"

#include <algorithm>
#include <stdexcept>

namespace arcwise {

RowMasks::RowMasks(std::size_t n_rows, std::size_t n_variables)
    : n_rows_(n_rows), words_(padded_words(n_rows)), forced_(n_variables, absent), gaps_(n_variables, absent) {}

void RowMasks::fill(std::vector<std::size_t> &offsets, std::uint32_t variable, std::span<const std::uint8_t> left_out) {
    if (variable >= offsets.size() || left_out.size() != n_rows_) {
        throw std::invalid_argument("a mask of rows does not belong to the table");
    }
    if (offsets[variable] == absent) {
        offsets[variable] = bits_.size();
        bits_.resize(bits_.size() + words_);
    }
    std::uint64_t *bits = bits_.data() + offsets[variable];
    for (std::size_t row = 0; row < n_rows_; ++row) {
        const std::uint64_t bit = std::uint64_t{1} << (row % 64);
        bits[row / 64] = left_out[row] != 0 ? bits[row / 64] & ~bit : bits[row / 64] | bit;
    }
}

const std::uint64_t *RowMasks::rows_of_family(std::uint32_t child, std::span<const std::uint32_t> parents,
                                              BitBlocks &buffer) const {
    const std::uint64_t *rows = unforced(child);
    const auto leave_out = [&](const std::uint64_t *observed) {
        if (rows == nullptr || observed == nullptr) {
            rows = rows == nullptr ? observed : rows;
            return;
        }
        buffer.resize(words_);
        for (std::size_t word = 0; word < words_; ++word) {
            buffer[word] = rows[word] & observed[word];
        }
        rows = buffer.data();
    };
    leave_out(observed(child));
    for (const std::uint32_t parent : parents) {
        leave_out(observed(parent));
    }
    return rows;
}

bool RowMasks::has_gaps() const noexcept {
    return std::ranges::any_of(gaps_, [](std::size_t offset) { return offset != absent; });
}

} // namespace arcwise
