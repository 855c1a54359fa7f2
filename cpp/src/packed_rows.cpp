#include "arcwise/packed_rows.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace arcwise {
namespace {

// A pair costs (r − 1)(s − 1) AND + popcounts of all rows, or one pass over them at about 0.75 ns per row.
std::size_t most_columns(const BitKernels &kernels) {
    constexpr double histogram_ns_per_row = 0.75;
    const double words_for_a_pass = 64.0 * histogram_ns_per_row * kernels.words_per_ns;
    return std::min(PackedRows::block_columns, static_cast<std::size_t>(std::sqrt(words_for_a_pass)));
}

} // namespace

PackedRows::PackedRows(const TableView &table, const BitKernels &kernels, std::size_t max_bytes)
    : table_(table), kernels_(kernels), max_bytes_(max_bytes), first_(table.n_variables(), absent) {
    place_columns();
    const double bytes = static_cast<double>(n_blocks()) * static_cast<double>(table_.n_rows) * sizeof(std::uint64_t);
    if (bytes > static_cast<double>(max_bytes)) {
        throw std::length_error("the packed table would take " + std::to_string(static_cast<std::uint64_t>(bytes)) +
                                " bytes; at most " + std::to_string(max_bytes) + " are allowed");
    }
    fill_words();
}

void PackedRows::place_columns() {
    const std::size_t most = most_columns(kernels_);
    for (Variable v = 0; v < table_.n_variables(); ++v) {
        const std::size_t wanted = n_columns(v);
        if (wanted == 0) {
            continue;
        }
        if (wanted > most) {
            not_packed_.push_back(v);
            continue;
        }
        if (members_.empty() || used_.back() + wanted > block_columns) {
            members_.emplace_back();
            used_.push_back(0);
        }
        first_[v] = (n_blocks() - 1) * block_columns + used_.back();
        members_.back().push_back(v);
        used_.back() += wanted;
    }
}

void PackedRows::fill_words() {
    words_.assign(n_blocks() * table_.n_rows, 0);
    for (std::size_t block = 0; block < n_blocks(); ++block) {
        std::uint64_t *words = words_.data() + block * table_.n_rows;
        for (const Variable v : members_[block]) {
            for (std::size_t state = 0; state < n_columns(v); ++state) {
                const std::size_t column = (first_[v] + state) % block_columns;
                table_.with_column(v, [&](const auto *codes) {
                    for (std::size_t row = 0; row < table_.n_rows; ++row) {
                        words[row] |= std::uint64_t{codes[row] == state} << column;
                    }
                });
            }
        }
    }
}

} // namespace arcwise
