#include "arcwise/bit_planes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace arcwise {
namespace {

constexpr std::size_t max_plane_arity = 64;
// Planes and row words are refused beyond this much memory; histograms then do all the work.
constexpr std::size_t max_bytes = std::size_t{4} << 30;
constexpr std::size_t block_columns = 64;

// The bits of a byte as eight bytes of 0 or 1, the lowest first.
std::array<std::uint64_t, 256> spread_bytes() {
    std::array<std::uint64_t, 256> spread{};
    for (std::size_t byte = 0; byte < spread.size(); ++byte) {
        std::array<std::uint8_t, 8> bits{};
        for (std::size_t bit = 0; bit < bits.size(); ++bit) {
            bits[bit] = static_cast<std::uint8_t>(byte >> bit & 1);
        }
        spread[byte] = std::bit_cast<std::uint64_t>(bits);
    }
    return spread;
}

} // namespace

BitPlanes::BitPlanes(const TableView &table, const BitKernels &kernels)
    : kernels_(kernels), arities_(table.arities), n_rows_(table.n_rows), words_(padded_words(table.n_rows)),
      offset_(table.n_variables(), absent) {
    fill_planes(table);
    fill_weight_planes(table);
    place_columns(table);
}

void BitPlanes::fill_planes(const TableView &table) {
    std::size_t n_planes = 1;
    for (const std::uint32_t arity : arities_) {
        n_planes += arity <= max_plane_arity ? arity : 0;
    }
    if (2 * n_planes * words_ * sizeof(std::uint64_t) > max_bytes) {
        return;
    }
    planes_.assign(n_planes * words_, 0);
    for (std::size_t row = 0; row < n_rows_; row += 64) {
        const std::size_t rest = n_rows_ - row;
        planes_[row / 64] = rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
    }
    std::vector<std::uint8_t> narrow;
    std::size_t offset = words_;
    for (Variable v = 0; v < table.n_variables(); ++v) {
        if (arities_[v] > max_plane_arity) {
            continue;
        }
        offset_[v] = offset;
        table.with_column(v, [&](const auto *codes) {
            const std::uint8_t *bytes = nullptr;
            if constexpr (sizeof(*codes) == 1) {
                bytes = codes;
            } else {
                narrow.resize(n_rows_);
                std::transform(codes, codes + n_rows_, narrow.begin(),
                               [](auto code) { return static_cast<std::uint8_t>(code); });
                bytes = narrow.data();
            }
            kernels_.fill_planes(bytes, n_rows_, arities_[v], planes_.data() + offset, words_);
        });
        if (const auto *known = table.masks == nullptr ? nullptr : table.masks->observed(v); known != nullptr) {
            for (std::size_t word = 0; word < arities_[v] * words_; ++word) {
                planes_[offset + word] &= known[word % words_];
            }
        }
        offset += arities_[v] * words_;
    }
    rows_in_plane_.resize(n_planes);
    const std::uint64_t *all = planes_.data();
    for (std::size_t i = 0; i < n_planes; ++i) {
        const std::uint64_t *plane = planes_.data() + i * words_;
        kernels_.and_popcounts(all, 1, &plane, 1, words_, &rows_in_plane_[i]);
    }
}

void BitPlanes::fill_weight_planes(const TableView &table) {
    if (table.weights.empty()) {
        return;
    }
    const std::uint32_t largest = *std::max_element(table.weights.begin(), table.weights.end());
    weight_bits_ = static_cast<std::size_t>(std::bit_width(largest));
    weight_planes_.assign(weight_bits_ * words_, 0);
    for (std::size_t row = 0; row < n_rows_; ++row) {
        for (std::size_t bit = 0; bit < weight_bits_; ++bit) {
            weight_planes_[bit * words_ + row / 64] |= std::uint64_t{(table.weights[row] >> bit) & 1} << (row % 64);
        }
    }
}

void BitPlanes::codes(Variable variable, std::vector<std::uint8_t> &out) const {
    static const std::array<std::uint64_t, 256> spread = spread_bytes();
    out.assign(words_ * 64, 0);
    for (std::size_t word = 0; word < words_; ++word) {
        std::array<std::uint64_t, 8> codes{}; // of 64 rows; at most 63 in a byte, so that nothing is carried
        for (std::size_t state = 1; state < arities_[variable]; ++state) {
            const std::uint64_t bits = plane(variable, state)[word];
            for (std::size_t eight = 0; eight < codes.size(); ++eight) {
                codes[eight] += spread[bits >> (8 * eight) & 0xff] * state;
            }
        }
        std::memcpy(out.data() + 64 * word, codes.data(), sizeof(codes));
    }
    out.resize(n_rows_);
}

void BitPlanes::place_columns(const TableView &table) {
    std::size_t next = 0;
    for (Variable v = 0; v < table.n_variables(); ++v) {
        const std::size_t wanted = has(v) ? arities_[v] - 1 : 0;
        if (next % block_columns + wanted > block_columns) {
            next = (next / block_columns + 1) * block_columns;
        }
        columns_.push_back({next / block_columns, next % block_columns});
        next += wanted;
    }
    n_blocks_ = (next + block_columns - 1) / block_columns;
}

const std::uint64_t *BitPlanes::row_words(std::size_t block) const {
    std::call_once(row_words_once_, [this] { fill_row_words(); });
    return row_words_.data() + block * n_rows_;
}

void BitPlanes::fill_row_words() const {
    row_words_.assign(n_blocks_ * n_rows_, 0);
    for (Variable v = 0; v < arities_.size(); ++v) {
        if (!has(v)) {
            continue;
        }
        std::uint64_t *row_words = row_words_.data() + columns_[v].block * n_rows_;
        for (std::size_t state = 0; state + 1 < arities_[v]; ++state) {
            const std::uint64_t *bits = plane(v, state);
            const std::size_t column = columns_[v].first + state;
            for (std::size_t row = 0; row < n_rows_; ++row) {
                row_words[row] |= (bits[row / 64] >> (row % 64) & 1) << column;
            }
        }
    }
}

void BitPlanes::refine(const Masks &coarse, Variable variable, bool keep_empty, Masks &fine) const {
    const std::size_t states = arities_[variable];
    fine.bits.resize(coarse.code.size() * states * words_);
    fine.code.clear();
    for (std::size_t m = 0; m < coarse.code.size(); ++m) {
        for (std::size_t state = 0; state < states; ++state) {
            const std::uint64_t rows = kernels_.intersect(coarse.bits.data() + m * words_, plane(variable, state),
                                                          fine.bits.data() + fine.code.size() * words_, words_);
            if (rows > 0 || keep_empty) {
                fine.code.push_back(coarse.code[m] * states + state);
            }
        }
    }
}

void BitPlanes::family_masks(Variable child, std::span<const Variable> parents, const std::uint64_t *rows,
                             Masks &masks) const {
    thread_local Masks coarse;
    const std::uint64_t *first = rows == nullptr ? planes_.data() : rows;
    masks.bits.assign(first, first + words_);
    masks.code.assign(1, 0);
    for (const Variable parent : parents) {
        std::swap(masks, coarse);
        refine(coarse, parent, false, masks);
    }
    std::swap(masks, coarse);
    refine(coarse, child, true, masks);
}

void BitPlanes::count(const Masks &masks, std::vector<std::uint32_t> &counts) const {
    const std::size_t n_masks = masks.code.size();
    counts.assign(n_masks, 0);
    std::vector<std::uint32_t> of_layer(n_masks);
    for (std::size_t layer = 0; layer < layers(); ++layer) {
        const std::uint64_t *rows = weight_bits_ == 0 ? planes_.data() : weight_planes_.data() + layer * words_;
        kernels_.and_popcounts(masks.bits.data(), n_masks, &rows, 1, words_, of_layer.data());
        for (std::size_t m = 0; m < n_masks; ++m) {
            counts[m] += of_layer[m] << layer;
        }
    }
}

const std::uint64_t *BitPlanes::layered(const Masks &masks, BitBlocks &buffer) const {
    if (weight_bits_ == 0) {
        return masks.bits.data();
    }
    const std::size_t n_masks = masks.code.size();
    buffer.resize(weight_bits_ * n_masks * words_);
    for (std::size_t layer = 0; layer < weight_bits_; ++layer) {
        for (std::size_t m = 0; m < n_masks; ++m) {
            kernels_.intersect(masks.bits.data() + m * words_, weight_planes_.data() + layer * words_,
                               buffer.data() + (layer * n_masks + m) * words_, words_);
        }
    }
    return buffer.data();
}

} // namespace arcwise
