#include "arcwise/pair_counter.hpp"

#include "arcwise/check.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace arcwise {
namespace {

// 4 × 4 planes of this length, a tile of the kernels, fit the first cache; a block of 64 the second.
constexpr std::size_t section_words = 512;
// What one more section costs, in blocks of words: its counters are summed up once more.
constexpr std::size_t section_cost = 3;

std::size_t cost(std::uint64_t rows) {
    return padded_words(static_cast<std::size_t>(rows)) / block_words + section_cost;
}

// Rows and columns of the upper right and lower left quarter, of every square of this size, change places.
template <unsigned Half> void swap_quarters(std::uint64_t *bits) {
    constexpr std::uint64_t low = ~std::uint64_t{0} / ((std::uint64_t{1} << Half) + 1);
    for (unsigned square = 0; square < 64; square += 2 * Half) {
        for (unsigned row = square; row < square + Half; ++row) {
            const std::uint64_t differing = ((bits[row] >> Half) ^ bits[row + Half]) & low;
            bits[row] ^= differing << Half;
            bits[row + Half] ^= differing;
        }
    }
}

// Bit c of word r becomes bit r of word c.
void transpose(std::uint64_t *bits) {
    swap_quarters<32>(bits);
    swap_quarters<16>(bits);
    swap_quarters<8>(bits);
    swap_quarters<4>(bits);
    swap_quarters<2>(bits);
    swap_quarters<1>(bits);
}

} // namespace

PairCounter::PairCounter(const PackedRows &rows, std::span<const std::uint32_t> weights, const Budget &budget)
    : rows_(rows), weights_(weights) {
    const std::vector<Part> all = parts();
    std::size_t words = 0;
    for (const Part &part : all) {
        words += padded_words(part.rows.size());
    }
    const std::size_t columns = rows_.n_blocks() * PackedRows::block_columns;
    if (words > 0 && columns > rows_.max_bytes() / sizeof(std::uint64_t) / words) {
        const double bytes = static_cast<double>(columns) * static_cast<double>(words) * sizeof(std::uint64_t);
        throw std::length_error("the bit planes would take " + std::to_string(static_cast<std::uint64_t>(bytes)) +
                                " bytes; at most " + std::to_string(rows_.max_bytes()) + " are allowed");
    }
    planes_.assign(columns * words, 0);
    constexpr std::size_t rows_per_section = section_words * 64;
    for (const Part &part : all) {
        for (std::size_t begin = 0; begin < part.rows.size(); begin += rows_per_section) {
            fill_planes(part, begin, std::min(begin + rows_per_section, part.rows.size()), budget);
        }
    }
    if (is_complete_) {
        count_margins();
    }
}

std::vector<PairCounter::Part> PairCounter::parts() const {
    const std::size_t n_rows = rows_.table().n_rows;
    std::vector<Part> result(1);
    if (weights_.empty()) {
        result[0].rows.resize(n_rows);
        std::iota(result[0].rows.begin(), result[0].rows.end(), 0);
        return result;
    }
    std::vector<std::uint64_t> with_bit(32, 0);
    std::uint64_t total = 0;
    for (const std::uint32_t weight : weights_) {
        total += weight;
        for (std::uint32_t rest = weight; rest != 0; rest &= rest - 1) {
            ++with_bit[static_cast<std::size_t>(std::countr_zero(rest))];
        }
    }
    std::size_t by_bits = 0;
    for (const std::uint64_t rows : with_bit) {
        by_bits += rows > 0 ? cost(rows) : 0;
    }
    if (cost(total) <= by_bits) {
        for (std::uint32_t row = 0; row < n_rows; ++row) {
            result[0].rows.insert(result[0].rows.end(), weights_[row], row);
        }
        return result;
    }
    result.clear();
    for (unsigned bit = 0; bit < 32; ++bit) {
        if (with_bit[bit] == 0) {
            continue;
        }
        result.push_back({{}, bit});
        for (std::uint32_t row = 0; row < n_rows; ++row) {
            if ((weights_[row] >> bit & 1) != 0) {
                result.back().rows.push_back(row);
            }
        }
    }
    return result;
}

void PairCounter::fill_planes(const Part &part, std::size_t begin, std::size_t end, const Budget &budget) {
    const std::size_t n_words = padded_words(end - begin);
    const std::size_t first =
        sections_.empty()
            ? 0
            : sections_.back().begin + sections_.back().n_words * PackedRows::block_columns * rows_.n_blocks();
    sections_.push_back({first, n_words, part.shift});
    for (std::size_t block = 0; block < rows_.n_blocks(); ++block) {
        if (!is_complete_ || budget.exhausted()) {
            is_complete_ = false;
            return;
        }
        const std::uint64_t *words = rows_.words(block);
        std::uint64_t *planes = planes_.data() + first + block * PackedRows::block_columns * n_words;
        for (std::size_t row = begin; row < end; row += 64) {
            alignas(block_bytes) std::uint64_t square[64] = {};
            const std::size_t n = std::min<std::size_t>(64, end - row);
            for (std::size_t k = 0; k < n; ++k) {
                square[k] = words[part.rows[row + k]];
            }
            transpose(square);
            std::uint64_t *plane = planes + (row - begin) / 64;
            for (std::size_t column = 0; column < rows_.columns_in(block); ++column) {
                plane[column * n_words] = square[column];
            }
        }
    }
}

void PairCounter::count_margins() {
    const TableView &table = rows_.table();
    n_observations_ = weights_.empty() ? static_cast<std::uint32_t>(table.n_rows)
                                       : std::accumulate(weights_.begin(), weights_.end(), std::uint32_t{0});
    for (const std::uint32_t arity : table.arities) {
        margin_begin_.push_back(margins_.size());
        margins_.resize(margins_.size() + arity, 0);
    }
    for (Variable v = 0; v < table.n_variables(); ++v) {
        std::uint32_t *margin = margins_.data() + margin_begin_[v];
        if (!rows_.is_packed(v)) {
            table.with_column(v, [&](const auto *codes) {
                for (std::size_t row = 0; row < table.n_rows; ++row) {
                    margin[codes[row]] += weights_.empty() ? 1 : weights_[row];
                }
            });
            continue;
        }
        const std::size_t n_columns = rows_.n_columns(v);
        margin[n_columns] = n_observations_;
        for (std::size_t state = 0; state < n_columns; ++state) {
            for (const Section &section : sections_) {
                const std::uint64_t *plane =
                    planes_.data() + section.begin + (rows_.first_column(v) + state) * section.n_words;
                std::uint32_t count = 0;
                rows_.kernels().and_popcounts(plane, 1, &plane, 1, section.n_words, &count);
                margin[state] += count << section.shift;
            }
            margin[n_columns] -= margin[state];
        }
    }
}

bool PairCounter::count_columns(std::size_t first, std::size_t n_masks, std::span<const std::uint32_t> columns,
                                std::vector<std::uint32_t> &counts, const Budget &budget) const {
    thread_local std::vector<const std::uint64_t *> planes;
    thread_local std::vector<std::uint32_t> of_section;
    counts.assign(n_masks * columns.size(), 0);
    of_section.resize(counts.size());
    planes.resize(columns.size());
    for (const Section &section : sections_) {
        if (budget.exhausted()) {
            return false;
        }
        const std::uint64_t *all = planes_.data() + section.begin;
        std::transform(columns.begin(), columns.end(), planes.begin(),
                       [&](std::uint32_t column) { return all + column * section.n_words; });
        rows_.kernels().and_popcounts(all + first * section.n_words, n_masks, planes.data(), planes.size(),
                                      section.n_words, of_section.data());
        for (std::size_t i = 0; i < counts.size(); ++i) {
            counts[i] += of_section[i] << section.shift;
        }
    }
    return true;
}

void PairCounter::complete(Variable i, Variable j, const std::uint32_t *counts, std::size_t stride,
                           std::vector<std::uint32_t> &table) const {
    const auto of_i = margin(i);
    const auto of_j = margin(j);
    const std::size_t last_i = of_i.size() - 1;
    const std::size_t last_j = of_j.size() - 1;
    table.resize(of_i.size() * of_j.size());
    std::uint32_t *last = table.data() + last_i * of_j.size();
    std::copy(of_j.begin(), of_j.end(), last);
    for (std::size_t s = 0; s < last_i; ++s) {
        std::uint32_t *row = table.data() + s * of_j.size();
        row[last_j] = of_i[s];
        for (std::size_t t = 0; t < last_j; ++t) {
            row[t] = counts[t * stride + s];
            ARCWISE_ASSERT(row[t] <= row[last_j]);
            row[last_j] -= row[t];
        }
        for (std::size_t t = 0; t <= last_j; ++t) {
            ARCWISE_ASSERT(row[t] <= last[t]);
            last[t] -= row[t];
        }
    }
}

template <class Use> void PairCounter::for_rows(Variable i, Variable j, Use &&use) const {
    const TableView &table = rows_.table();
    const std::uint64_t r = table.arities[j];
    table.with_column(i, [&](const auto *of_i) {
        table.with_column(j, [&](const auto *of_j) {
            for (std::size_t row = 0; row < table.n_rows; ++row) {
                use(of_i[row] * r + of_j[row], weights_.empty() ? 1 : weights_[row]);
            }
        });
    });
}

void PairCounter::tabulate(Variable i, Variable j, std::vector<std::uint32_t> &table) const {
    table.assign(margin(i).size() * margin(j).size(), 0);
    for_rows(i, j, [&](std::uint64_t cell, std::uint32_t weight) { table[cell] += weight; });
}

void PairCounter::count_cells(Variable i, Variable j, std::vector<std::uint32_t> &counts) const {
    if (margin(i).size() * margin(j).size() <= 16 * rows_.table().n_rows + 4096) {
        tabulate(i, j, counts);
        return;
    }
    std::vector<std::pair<std::uint64_t, std::uint32_t>> cells;
    for_rows(i, j, [&](std::uint64_t cell, std::uint32_t weight) { cells.emplace_back(cell, weight); });
    std::sort(cells.begin(), cells.end());
    counts.clear();
    for (std::size_t k = 0; k < cells.size(); ++k) {
        if (k == 0 || cells[k].first != cells[k - 1].first) {
            counts.push_back(0);
        }
        counts.back() += cells[k].second;
    }
}

} // namespace arcwise
