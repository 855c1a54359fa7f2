#include "arcwise/counter.hpp"

#include "arcwise/check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace arcwise {
namespace {

// Beyond this arity a variable's planes cost more than its histogram, whatever the other side.
constexpr std::size_t max_plane_arity = 64;
// Planes are refused beyond this much memory; histograms then do all the work.
constexpr std::size_t max_plane_bytes = std::size_t{4} << 30;
// One call of the bit kernel does about this many word operations, a fraction of a millisecond, between two looks at
// the budget.
constexpr std::size_t words_per_call = std::size_t{1} << 20;
// Nanoseconds per row: to add one variable to the configuration of every row; to count one candidate. Measured on a
// Zen 4 core; only their ratio to the speed of the bit kernels matters.
constexpr double refine_ns_per_row = 0.5;
constexpr double histogram_ns_per_row = 0.9;
constexpr double ns_per_mask_and_plane = 1.0;

} // namespace

// Buffers that a thread keeps between calls.
struct Counter::Workspace {
    Masks masks;
    Masks coarse;
    BitBlocks weighted;
    Configurations configurations;
    std::vector<std::uint32_t> cell_of_row;
    std::vector<std::uint32_t> rank;
    std::vector<std::uint32_t> totals;
    std::vector<std::uint32_t> raw;
    std::vector<std::uint32_t> blocks;
    std::vector<const std::uint64_t *> planes;
};

Counter::Workspace &Counter::workspace() {
    thread_local Workspace mine;
    return mine;
}

Counter::Counter(TableView table, const BitKernels &kernels)
    : table_(std::move(table)), kernels_(kernels), words_(padded_words(table_.n_rows)),
      plane_offset_(table_.n_variables(), no_planes) {
    fill_planes();
    fill_weight_planes();
}

void Counter::fill_planes() {
    std::size_t n_planes = 1;
    for (Variable v = 0; v < table_.n_variables(); ++v) {
        if (arity(v) <= max_plane_arity) {
            n_planes += arity(v);
        }
    }
    if (n_planes * words_ * sizeof(std::uint64_t) > max_plane_bytes) {
        return;
    }
    planes_.assign(n_planes * words_, 0);
    for (std::size_t row = 0; row < table_.n_rows; row += 64) {
        const std::size_t rest = table_.n_rows - row;
        planes_[row / 64] = rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
    }
    std::vector<std::uint8_t> narrow;
    std::size_t offset = words_;
    for (Variable v = 0; v < table_.n_variables(); ++v) {
        if (arity(v) > max_plane_arity) {
            continue;
        }
        plane_offset_[v] = offset;
        table_.with_column(v, [&](const auto *codes) {
            const std::uint8_t *bytes = nullptr;
            if constexpr (sizeof(*codes) == 1) {
                bytes = codes;
            } else {
                narrow.resize(table_.n_rows);
                std::transform(codes, codes + table_.n_rows, narrow.begin(),
                               [](auto code) { return static_cast<std::uint8_t>(code); });
                bytes = narrow.data();
            }
            kernels_.fill_planes(bytes, table_.n_rows, arity(v), planes_.data() + offset, words_);
        });
        offset += arity(v) * words_;
    }
}

void Counter::fill_weight_planes() {
    if (table_.weights.empty()) {
        return;
    }
    const std::uint32_t largest = *std::max_element(table_.weights.begin(), table_.weights.end());
    weight_bits_ = static_cast<std::size_t>(std::bit_width(largest));
    weight_planes_.assign(weight_bits_ * words_, 0);
    for (std::size_t row = 0; row < table_.n_rows; ++row) {
        for (std::size_t bit = 0; bit < weight_bits_; ++bit) {
            weight_planes_[bit * words_ + row / 64] |= std::uint64_t{(table_.weights[row] >> bit) & 1} << (row % 64);
        }
    }
}

double Counter::mask_bound(Variable child, std::span<const Variable> parents) const noexcept {
    double configurations = 1.0;
    bool possible = has_planes(child);
    for (const Variable parent : parents) {
        configurations *= static_cast<double>(arity(parent));
        possible = possible && has_planes(parent);
    }
    return possible ? std::min(configurations, static_cast<double>(table_.n_rows)) * static_cast<double>(arity(child))
                    : std::numeric_limits<double>::infinity();
}

double Counter::planes_cost(double masks, double n_planes) const noexcept {
    const double per_pair = static_cast<double>(words_) / kernels_.words_per_ns + ns_per_mask_and_plane;
    // Building the masks takes about three passes, on the side of memory.
    return masks * static_cast<double>(std::max<std::size_t>(weight_bits_, 1)) * (n_planes + 3.0) * per_pair;
}

double Counter::histogram_cost(std::size_t n_parents, double n_columns) const noexcept {
    const auto rows = static_cast<double>(table_.n_rows);
    return rows * (static_cast<double>(n_parents + 1) * refine_ns_per_row + n_columns * histogram_ns_per_row);
}

void Counter::refine(const Masks &coarse, Variable variable, bool keep_empty, Masks &fine) const {
    const std::size_t states = arity(variable);
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

// Masks of (parents, child), the child's states fastest; parent configurations that do not occur are left out.
void Counter::family_masks(Variable child, std::span<const Variable> parents, Masks &masks) const {
    Masks &coarse = workspace().coarse;
    masks.bits.assign(all_rows(), all_rows() + words_);
    masks.code.assign(1, 0);
    for (const Variable parent : parents) {
        std::swap(masks, coarse);
        refine(coarse, parent, false, masks);
    }
    std::swap(masks, coarse);
    refine(coarse, child, true, masks);
}

void Counter::weigh(const Masks &masks, std::vector<std::uint32_t> &counts) const {
    const std::size_t n_masks = masks.code.size();
    const std::uint64_t *all = all_rows();
    counts.assign(n_masks, 0);
    if (weight_bits_ == 0) {
        kernels_.and_popcounts(masks.bits.data(), n_masks, &all, 1, words_, counts.data());
        return;
    }
    std::vector<std::uint32_t> of_bit(n_masks);
    for (std::size_t bit = 0; bit < weight_bits_; ++bit) {
        const std::uint64_t *plane = weight_planes_.data() + bit * words_;
        kernels_.and_popcounts(masks.bits.data(), n_masks, &plane, 1, words_, of_bit.data());
        for (std::size_t m = 0; m < n_masks; ++m) {
            counts[m] += of_bit[m] << bit;
        }
    }
}

// Ids in mixed radix while they stay below max_size; from there on only configurations that occur get a number.
void Counter::configurations(std::span<const Variable> parents, std::size_t max_size, Configurations &out) const {
    const std::size_t n_rows = table_.n_rows;
    out.id.assign(n_rows, 0);
    out.size = 1;
    out.is_complete = true;
    std::vector<std::uint32_t> &rank = workspace().rank;
    constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
    for (const Variable parent : parents) {
        const std::size_t states = arity(parent);
        const std::size_t size = out.size * states; // at most 2^32 rows × 2^16 states
        table_.with_column(parent, [&](const auto *codes) {
            if (size <= max_size) {
                for (std::size_t row = 0; row < n_rows; ++row) {
                    out.id[row] = static_cast<std::uint32_t>(out.id[row] * states + codes[row]);
                }
                out.size = size;
                return;
            }
            out.is_complete = false;
            std::uint32_t next = 0;
            if (size <= 64 * n_rows + 4096) {
                rank.assign(size, unseen);
                for (std::size_t row = 0; row < n_rows; ++row) {
                    std::uint32_t &number = rank[out.id[row] * states + codes[row]];
                    if (number == unseen) {
                        number = next++;
                    }
                    out.id[row] = number;
                }
            } else {
                std::vector<std::uint64_t> wide(n_rows);
                for (std::size_t row = 0; row < n_rows; ++row) {
                    wide[row] = out.id[row] * std::uint64_t{states} + codes[row];
                }
                std::vector<std::uint64_t> seen = wide;
                std::sort(seen.begin(), seen.end());
                seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
                for (std::size_t row = 0; row < n_rows; ++row) {
                    out.id[row] = static_cast<std::uint32_t>(std::lower_bound(seen.begin(), seen.end(), wide[row]) -
                                                             seen.begin());
                }
                next = static_cast<std::uint32_t>(seen.size());
            }
            out.size = next;
        });
    }
}

bool Counter::tabulate(Variable child, std::span<const Variable> parents, FamilyTable &out) const {
    const std::size_t r = arity(child);
    Workspace &work = workspace();
    double all_cells = static_cast<double>(r);
    for (const Variable parent : parents) {
        all_cells *= static_cast<double>(arity(parent));
    }
    out.r = r;
    const double masks = mask_bound(child, parents);
    if (all_cells <= static_cast<double>(max_cells()) &&
        planes_cost(masks, 1.0) < histogram_cost(parents.size(), 1.0)) {
        family_masks(child, parents, work.masks);
        weigh(work.masks, work.totals);
        out.counts.assign(static_cast<std::size_t>(all_cells), 0);
        for (std::size_t m = 0; m < work.masks.code.size(); ++m) {
            out.counts[work.masks.code[m]] = work.totals[m];
        }
        out.is_complete = true;
        return true;
    }
    Configurations &rows = work.configurations;
    configurations(parents, max_cells() / r, rows);
    if (rows.size * r > max_cells()) {
        return false;
    }
    out.counts.assign(rows.size * r, 0);
    out.is_complete = rows.is_complete;
    table_.with_column(child, [&](const auto *codes) {
        for (std::size_t row = 0; row < table_.n_rows; ++row) {
            out.counts[rows.id[row] * r + codes[row]] += table_.weights.empty() ? 1 : table_.weights[row];
        }
    });
    return true;
}

void Counter::visit_cells(Variable child, std::span<const Variable> parents,
                          const std::function<void(std::uint32_t)> &cell,
                          const std::function<void(std::uint32_t)> &row) const {
    Configurations &rows = workspace().configurations;
    configurations(parents, max_cells(), rows);
    const std::uint64_t r = arity(child);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> cells(table_.n_rows); // cell and weight of every row
    table_.with_column(child, [&](const auto *codes) {
        for (std::size_t i = 0; i < table_.n_rows; ++i) {
            cells[i] = {rows.id[i] * r + codes[i], table_.weights.empty() ? 1 : table_.weights[i]};
        }
    });
    std::sort(cells.begin(), cells.end());
    std::uint32_t n_j = 0;
    for (std::size_t i = 0; i < cells.size();) {
        const std::uint64_t here = cells[i].first;
        std::uint32_t n_jk = 0;
        for (; i < cells.size() && cells[i].first == here; ++i) {
            n_jk += cells[i].second;
        }
        cell(n_jk);
        n_j += n_jk;
        if (i == cells.size() || cells[i].first / r != here / r) {
            row(n_j);
            n_j = 0;
        }
    }
}

bool Counter::count_additions(Variable child, std::span<const Variable> parents, std::span<const Variable> candidates,
                              const UseBlocks &use, const Misfit &misfit, const Budget *budget) const {
    std::vector<std::size_t> by_planes;
    std::vector<std::size_t> by_histogram;
    double n_planes = 0.0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (has_planes(candidates[i])) {
            by_planes.push_back(i);
            n_planes += static_cast<double>(arity(candidates[i]) - 1);
        } else {
            by_histogram.push_back(i);
        }
    }
    const double masks = mask_bound(child, parents);
    if (planes_cost(masks, n_planes) >= histogram_cost(parents.size(), static_cast<double>(by_planes.size()))) {
        by_planes.clear();
        by_histogram.resize(candidates.size());
        std::iota(by_histogram.begin(), by_histogram.end(), std::size_t{0});
    }
    return count_by_planes(child, parents, candidates, by_planes, use, budget) &&
           count_by_histogram(child, parents, candidates, by_histogram, use, misfit, budget);
}

bool Counter::count_by_planes(Variable child, std::span<const Variable> parents, std::span<const Variable> candidates,
                              std::span<const std::size_t> chosen, const UseBlocks &use, const Budget *budget) const {
    if (chosen.empty()) {
        return true;
    }
    Workspace &work = workspace();
    family_masks(child, parents, work.masks);
    weigh(work.masks, work.totals);
    const std::size_t n_masks = work.masks.code.size();
    const std::uint64_t *masks = work.masks.bits.data();
    const std::size_t layers = std::max<std::size_t>(weight_bits_, 1);
    if (weight_bits_ > 0) { // one layer of masks per bit of the weights
        work.weighted.resize(weight_bits_ * n_masks * words_);
        for (std::size_t bit = 0; bit < weight_bits_; ++bit) {
            for (std::size_t m = 0; m < n_masks; ++m) {
                kernels_.intersect(masks + m * words_, weight_planes_.data() + bit * words_,
                                   work.weighted.data() + (bit * n_masks + m) * words_, words_);
            }
        }
        masks = work.weighted.data();
    }
    const std::size_t planes_per_call = std::max<std::size_t>(4, words_per_call / (layers * n_masks * words_));
    for (std::size_t begin = 0; begin < chosen.size();) {
        if (budget != nullptr && budget->exhausted()) {
            return false;
        }
        work.planes.clear();
        std::size_t end = begin;
        for (; end < chosen.size() && (end == begin || work.planes.size() < planes_per_call); ++end) {
            const Variable candidate = candidates[chosen[end]];
            for (std::size_t state = 0; state + 1 < arity(candidate); ++state) {
                work.planes.push_back(plane(candidate, state));
            }
        }
        work.raw.resize(work.planes.size() * layers * n_masks);
        kernels_.and_popcounts(masks, layers * n_masks, work.planes.data(), work.planes.size(), words_,
                               work.raw.data());
        const std::uint32_t *raw = work.raw.data();
        for (; begin < end; ++begin) {
            // The last state is what the others leave over.
            const std::size_t states = arity(candidates[chosen[begin]]);
            work.blocks.assign(states * n_masks, 0);
            std::uint32_t *last = work.blocks.data() + (states - 1) * n_masks;
            std::copy(work.totals.begin(), work.totals.end(), last);
            for (std::size_t state = 0; state + 1 < states; ++state) {
                std::uint32_t *block = work.blocks.data() + state * n_masks;
                for (std::size_t bit = 0; bit < layers; ++bit, raw += n_masks) {
                    for (std::size_t m = 0; m < n_masks; ++m) {
                        block[m] += raw[m] << bit;
                    }
                }
                for (std::size_t m = 0; m < n_masks; ++m) {
                    ARCWISE_ASSERT(last[m] >= block[m]);
                    last[m] -= block[m];
                }
            }
            use(chosen[begin], work.blocks);
        }
    }
    return true;
}

bool Counter::count_by_histogram(Variable child, std::span<const Variable> parents,
                                 std::span<const Variable> candidates, std::span<const std::size_t> chosen,
                                 const UseBlocks &use, const Misfit &misfit, const Budget *budget) const {
    if (chosen.empty()) {
        return true;
    }
    Workspace &work = workspace();
    const std::size_t r = arity(child);
    const std::size_t n_rows = table_.n_rows;
    // Tables are cleared and read for each candidate: numbering only what occurs pays as soon as they outgrow the rows.
    configurations(parents, std::max<std::size_t>(64, n_rows / r), work.configurations);
    const std::size_t n_cells = work.configurations.size * r;
    if (n_cells > max_cells()) {
        std::for_each(chosen.begin(), chosen.end(), misfit);
        return true;
    }
    std::vector<std::uint32_t> &cell = work.cell_of_row;
    cell.resize(n_rows);
    table_.with_column(child, [&](const auto *codes) {
        for (std::size_t row = 0; row < n_rows; ++row) {
            cell[row] = static_cast<std::uint32_t>(work.configurations.id[row] * r + codes[row]);
        }
    });
    for (const std::size_t i : chosen) {
        if (budget != nullptr && budget->exhausted()) {
            return false;
        }
        const std::size_t states = arity(candidates[i]);
        if (states * n_cells > max_cells()) {
            misfit(i);
            continue;
        }
        work.blocks.assign(states * n_cells, 0);
        table_.with_column(candidates[i], [&](const auto *codes) {
            std::uint32_t *counts = work.blocks.data();
            if (table_.weights.empty()) {
                for (std::size_t row = 0; row < n_rows; ++row) {
                    ++counts[codes[row] * n_cells + cell[row]];
                }
            } else {
                for (std::size_t row = 0; row < n_rows; ++row) {
                    counts[codes[row] * n_cells + cell[row]] += table_.weights[row];
                }
            }
        });
        use(i, work.blocks);
    }
    return true;
}

} // namespace arcwise
