#include "arcwise/counter.hpp"

#include "arcwise/check.hpp"
#include "arcwise/counting_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace arcwise {
namespace {

// One call of a bit kernel does about this many word operations, a fraction of a millisecond, between two looks at the
// budget.
constexpr std::size_t words_per_call = std::size_t{1} << 20;
// Row words need 64 counts for every cell; this many cells take 64 MiB.
constexpr double max_row_word_cells = 1 << 18;

// The largest sum over r neighbours.
std::uint32_t largest_row(std::span<const std::uint32_t> counts, std::size_t r) {
    std::uint32_t largest = 0;
    for (std::size_t row = 0; row < counts.size(); row += r) {
        const auto states = counts.subspan(row, r);
        largest = std::max(largest, std::accumulate(states.begin(), states.end(), std::uint32_t{0}));
    }
    return largest;
}

bool is_over(const Budget *budget) { return budget != nullptr && budget->exhausted(); }

} // namespace

// Buffers that a thread keeps between calls.
struct Counter::Workspace {
    Masks masks;
    BitBlocks layered;
    Configurations configurations;
    Groups groups;
    std::vector<std::uint32_t> cell_of_row;
    std::vector<std::uint16_t> narrow_cell_of_row;
    std::vector<std::uint32_t> rank;
    std::vector<std::uint32_t> totals;
    std::vector<std::uint32_t> raw;
    std::vector<std::uint32_t> blocks;
    std::vector<const std::uint64_t *> planes;
    std::vector<std::uint8_t> codes;
    BitBlocks rows_of_table;
    BitBlocks rows; // of a batch: what the batch calls back may tabulate meanwhile
    BitBlocks rows_with_candidate;
};

Counter::Workspace &Counter::workspace() {
    thread_local Workspace mine;
    return mine;
}

Counter::Counter(TableView table, const BitKernels &kernels)
    : table_(std::move(table)), n_observations_(table_.n_observations()),
      mean_arity_(std::accumulate(table_.arities.begin(), table_.arities.end(), 0.0) /
                  std::max(1.0, static_cast<double>(table_.n_variables()))),
      planes_(table_, kernels) {
    for (Variable v = 0; v < table_.n_variables(); ++v) {
        n_counted_planes_ += arity(v) - 1;
        has_all_planes_ = has_all_planes_ && planes_.has(v);
    }
}

const std::uint8_t *Counter::codes_from_planes(Variable variable) const {
    std::vector<std::uint8_t> &codes = workspace().codes;
    planes_.codes(variable, codes);
    return codes.data();
}

std::size_t Counter::bytes() const noexcept {
    std::size_t of_columns = 0;
    for (const auto &column : own_columns_) {
        of_columns += sizeof(std::uint16_t) * column.size();
    }
    return of_columns + (has_codes_ ? planes_.bytes() : planes_.bytes_of_planes());
}

void Counter::forget_codes() {
    own_columns_.resize(table_.n_variables());
    for (Variable v = 0; v < table_.n_variables(); ++v) {
        if (!planes_.has(v)) {
            table_.with_column(v, [&](const auto *codes) { own_columns_[v].assign(codes, codes + table_.n_rows); });
        }
    }
    has_codes_ = false;
    table_.codes = static_cast<const std::uint8_t *>(nullptr);
}

bool Counter::suits_planes(Variable child, std::span<const Variable> parents) const noexcept {
    if (!has_all_planes_ || !table_.weights.empty() || table_.masks != nullptr) {
        return false;
    }
    const double masks = mask_bound(child, parents);
    const CountingCost cost(table_, planes_);
    return cost.planes(masks, n_counted_planes_) <= std::min(cost.row_words(parents.size(), masks, planes_.n_blocks()),
                                                             cost.histogram(parents.size(), table_.n_variables()));
}

double Counter::mask_bound(Variable child, std::span<const Variable> parents) const noexcept {
    double configurations = 1.0;
    bool possible = planes_.has(child);
    for (const Variable parent : parents) {
        configurations *= static_cast<double>(arity(parent));
        possible = possible && planes_.has(parent);
    }
    return possible ? std::min(configurations, static_cast<double>(table_.n_rows)) * static_cast<double>(arity(child))
                    : std::numeric_limits<double>::infinity();
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
        with_column(parent, [&](const auto *codes) {
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

double Counter::all_cells(Variable child, std::span<const Variable> parents) const noexcept {
    double cells = static_cast<double>(arity(child));
    for (const Variable parent : parents) {
        cells *= static_cast<double>(arity(parent));
    }
    return cells;
}

// Numbering only what occurs pays as soon as tables outgrow the rows.
std::size_t Counter::most_numbered(const Additions &additions) const noexcept {
    return additions.cells != nullptr ? max_cells() : std::max<std::size_t>(64, table_.n_rows / arity(additions.child));
}

void Counter::cells_of_rows(Variable child, const Configurations &of_parents, std::vector<std::uint32_t> &cells) const {
    const std::size_t r = arity(child);
    cells.resize(table_.n_rows);
    with_column(child, [&](const auto *codes) {
        for (std::size_t row = 0; row < table_.n_rows; ++row) {
            cells[row] = static_cast<std::uint32_t>(of_parents.id[row] * r + codes[row]);
        }
    });
}

double Counter::seconds_per_addition(std::size_t n_parents) const noexcept {
    const double masks = std::min(std::pow(mean_arity_, static_cast<double>(n_parents) + 1.0), max_row_word_cells);
    const double by_planes = masks * (mean_arity_ - 1.0) * static_cast<double>(planes_.words() * planes_.layers()) /
                             planes_.kernels().words_per_ns;
    const double by_histogram = 0.75 * static_cast<double>(table_.n_rows);
    return 1e-9 * std::min(by_planes, by_histogram);
}

const std::uint64_t *Counter::rows_of_family(Variable child, std::span<const Variable> parents,
                                             BitBlocks &buffer) const {
    return table_.masks == nullptr ? nullptr : table_.masks->rows_of_family(child, parents, buffer);
}

bool Counter::tabulate(Variable child, std::span<const Variable> parents, std::size_t most_cells,
                       FamilyTable &out) const {
    const std::size_t r = arity(child);
    Workspace &work = workspace();
    const std::uint64_t *counted = rows_of_family(child, parents, work.rows_of_table);
    const double n_all = all_cells(child, parents);
    out.r = r;
    const CountingCost cost(table_, planes_);
    if (n_all <= static_cast<double>(max_cells()) &&
        cost.planes(mask_bound(child, parents), 0) < cost.histogram(parents.size(), 1)) {
        planes_.family_masks(child, parents, counted, work.masks);
        planes_.count(work.masks, work.totals);
        out.counts.assign(static_cast<std::size_t>(n_all), 0);
        for (std::size_t m = 0; m < work.masks.code.size(); ++m) {
            out.counts[work.masks.code[m]] = work.totals[m];
        }
        out.is_complete = true;
        return true;
    }
    Configurations &rows = work.configurations;
    configurations(parents, max_cells() / r, rows);
    if (rows.size * r > most_cells) {
        return false;
    }
    out.counts.assign(rows.size * r, 0);
    out.is_complete = rows.is_complete;
    with_column(child, [&](const auto *codes) {
        for_each_row(counted, table_.n_rows, [&](std::size_t row) {
            out.counts[rows.id[row] * r + codes[row]] += table_.weights.empty() ? 1 : table_.weights[row];
        });
    });
    return true;
}

void Counter::visit_cells(Variable child, std::span<const Variable> parents,
                          const std::function<void(std::uint32_t)> &cell,
                          const std::function<void(std::uint32_t)> &row) const {
    Configurations &rows = workspace().configurations;
    configurations(parents, max_cells(), rows);
    const std::uint64_t r = arity(child);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> cells; // cell and weight of every row
    cells.reserve(table_.n_rows);
    with_column(child, [&](const auto *codes) {
        for_each_row(rows_of_family(child, parents, workspace().rows_of_table), table_.n_rows, [&](std::size_t i) {
            cells.emplace_back(rows.id[i] * r + codes[i], table_.weights.empty() ? 1 : table_.weights[i]);
        });
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

bool Counter::count(const Additions &additions) const {
    std::vector<std::size_t> with_planes;
    std::vector<std::size_t> without;
    std::vector<std::size_t> with_gaps;
    for (std::size_t i = 0; i < additions.candidates.size(); ++i) {
        const Variable candidate = additions.candidates[i];
        (!planes_.has(candidate) ? without : has_gaps(candidate) ? with_gaps : with_planes).push_back(i);
    }
    Workspace &work = workspace();
    const std::uint64_t *rows = rows_of_family(additions.child, additions.parents, work.rows);
    return count_by_cheapest(additions, with_planes, rows) && count_by_histogram(additions, without, rows) &&
           count_by_cheapest(additions, with_gaps, rows);
}

bool Counter::count_by_cheapest(const Additions &additions, Chosen chosen, const std::uint64_t *rows) const {
    if (chosen.empty()) {
        return true;
    }
    const bool gaps = has_gaps(additions.candidates[chosen.front()]); // then all of them have gaps
    std::vector<bool> block_is_used(planes_.n_blocks(), false);
    std::size_t n_planes = 0;
    for (const std::size_t i : chosen) {
        const Variable candidate = additions.candidates[i];
        n_planes += arity(candidate) - (gaps ? 0 : 1);
        if (arity(candidate) > 1) {
            block_is_used[planes_.columns(candidate).block] = true;
        }
    }
    const auto n_blocks = static_cast<std::size_t>(std::count(block_is_used.begin(), block_is_used.end(), true));
    const std::size_t n_parents = additions.parents.size();
    const double masks = mask_bound(additions.child, additions.parents);
    const CountingCost cost(table_, planes_);
    const double by_planes = cost.planes(masks, n_planes);
    // All cells are numbered where that is wanted, as long as 16 bits suffice.
    const bool is_narrow = additions.cells == nullptr || all_cells(additions.child, additions.parents) <=
                                                             std::min(0x1p16, static_cast<double>(max_cells()));
    const double by_row_words = masks <= max_row_word_cells && !gaps && is_narrow && has_codes_
                                    ? cost.row_words(n_parents, masks, n_blocks)
                                    : std::numeric_limits<double>::infinity();
    const double by_histogram = cost.histogram(n_parents, chosen.size());
    if (by_planes <= std::min(by_row_words, by_histogram)) {
        return count_by_planes(additions, chosen, rows);
    }
    if (by_row_words <= by_histogram) {
        return count_by_row_words(additions, chosen, rows);
    }
    return count_by_histogram(additions, chosen, rows);
}

bool Counter::count_by_planes(const Additions &additions, Chosen chosen, const std::uint64_t *rows) const {
    if (chosen.empty()) {
        return true;
    }
    Workspace &work = workspace();
    planes_.family_masks(additions.child, additions.parents, rows, work.masks);
    if (additions.cells != nullptr) {
        *additions.cells = work.masks.code;
    }
    planes_.count(work.masks, work.totals);
    const std::uint32_t largest = largest_row(work.totals, arity(additions.child));
    const std::uint64_t *masks = planes_.layered(work.masks, work.layered);
    const std::size_t layers = planes_.layers();
    const std::size_t words = planes_.words();
    const std::size_t n_masks = work.masks.code.size();
    const std::size_t planes_per_call =
        std::max<std::size_t>(4, words_per_call / std::max<std::size_t>(1, layers * n_masks * words));
    for (std::size_t begin = 0; begin < chosen.size();) {
        if (is_over(additions.budget)) {
            return false;
        }
        work.planes.clear();
        std::size_t end = begin;
        for (; end < chosen.size() && (end == begin || work.planes.size() < planes_per_call); ++end) {
            const Variable candidate = additions.candidates[chosen[end]];
            const std::size_t n_counted = arity(candidate) - (has_gaps(candidate) ? 0 : 1);
            for (std::size_t state = 0; state < n_counted; ++state) {
                work.planes.push_back(planes_.plane(candidate, state));
            }
        }
        work.raw.resize(work.planes.size() * layers * n_masks);
        planes_.kernels().and_popcounts(masks, layers * n_masks, work.planes.data(), work.planes.size(), words,
                                        work.raw.data());
        const std::uint32_t *raw = work.raw.data();
        for (; begin < end; ++begin) {
            const Variable candidate = additions.candidates[chosen[begin]];
            const std::size_t states = arity(candidate);
            work.blocks.assign(states * n_masks, 0);
            std::uint32_t *last = nullptr; // what the other states leave over, where every row has a state
            if (!has_gaps(candidate)) {
                last = work.blocks.data() + (states - 1) * n_masks;
                std::copy(work.totals.begin(), work.totals.end(), last);
            }
            for (std::size_t state = 0; state + (last != nullptr ? 1 : 0) < states; ++state) {
                std::uint32_t *block = work.blocks.data() + state * n_masks;
                for (std::size_t layer = 0; layer < layers; ++layer, raw += n_masks) {
                    for (std::size_t m = 0; m < n_masks; ++m) {
                        block[m] += raw[m] << layer;
                    }
                }
                if (last != nullptr) {
                    for (std::size_t m = 0; m < n_masks; ++m) {
                        ARCWISE_ASSERT(last[m] >= block[m]);
                        last[m] -= block[m];
                    }
                }
            }
            additions.use(chosen[begin], work.blocks, largest);
        }
    }
    return true;
}

template <class Cell>
void Counter::group_by_cells(std::span<const Cell> cells, std::size_t n_cells, const std::uint64_t *rows,
                             Groups &out) const {
    out.begin.assign(n_cells + 1, 0);
    for_each_row(rows, cells.size(), [&](std::size_t row) { ++out.begin[cells[row] + std::size_t{1}]; });
    std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
    out.rows.resize(out.begin.back());
    std::vector<std::size_t> next(out.begin.begin(), out.begin.end() - 1);
    for_each_row(rows, cells.size(),
                 [&](std::size_t row) { out.rows[next[cells[row]]++] = static_cast<std::uint32_t>(row); });
}

bool Counter::narrow_cells(Variable child, std::span<const Variable> parents, std::vector<std::uint16_t> &cells,
                           std::size_t &n_cells) const {
    const auto *codes = has_codes_ ? std::get_if<const std::uint8_t *>(&table_.codes) : nullptr;
    n_cells = arity(child);
    for (const Variable parent : parents) {
        n_cells *= arity(parent);
        if (n_cells > (std::size_t{1} << 16)) {
            return false;
        }
    }
    if (codes == nullptr || n_cells > max_cells()) {
        return false;
    }
    cells.assign(table_.n_rows, 0);
    for (const Variable parent : parents) {
        planes_.kernels().append_digit(cells.data(), *codes + parent * table_.n_rows, arity(parent), table_.n_rows);
    }
    planes_.kernels().append_digit(cells.data(), *codes + child * table_.n_rows, arity(child), table_.n_rows);
    return true;
}

bool Counter::count_by_row_words(const Additions &additions, Chosen chosen, const std::uint64_t *rows) const {
    if (chosen.empty()) {
        return true;
    }
    Workspace &work = workspace();
    const std::size_t r = arity(additions.child);
    std::size_t n_cells = 0;
    if (narrow_cells(additions.child, additions.parents, work.narrow_cell_of_row, n_cells)) {
        group_by_cells<std::uint16_t>(work.narrow_cell_of_row, n_cells, rows, work.groups);
    } else {
        configurations(additions.parents, most_numbered(additions), work.configurations);
        cells_of_rows(additions.child, work.configurations, work.cell_of_row);
        n_cells = work.configurations.size * r;
        group_by_cells<std::uint32_t>(work.cell_of_row, n_cells, rows, work.groups);
    }
    if (additions.cells != nullptr) {
        additions.cells->resize(n_cells);
        std::iota(additions.cells->begin(), additions.cells->end(), std::uint64_t{0});
    }
    const Groups &groups = work.groups;
    const auto rows_of = [&](std::size_t cell) {
        return std::span(groups.rows).subspan(groups.begin[cell], groups.begin[cell + 1] - groups.begin[cell]);
    };
    work.totals.resize(n_cells);
    for (std::size_t cell = 0; cell < n_cells; ++cell) {
        const auto its = rows_of(cell);
        work.totals[cell] = static_cast<std::uint32_t>(its.size());
        if (!table_.weights.empty()) {
            work.totals[cell] = std::accumulate(its.begin(), its.end(), std::uint32_t{0},
                                                [&](auto sum, auto row) { return sum + table_.weights[row]; });
        }
    }
    const std::uint32_t *weights = table_.weights.empty() ? nullptr : table_.weights.data();
    const std::uint32_t largest = largest_row(work.totals, r);
    for (std::size_t begin = 0; begin < chosen.size();) {      // a block of columns at a time
        if (arity(additions.candidates[chosen[begin]]) == 1) { // no column at all
            additions.use(chosen[begin++], work.totals, largest);
            continue;
        }
        const std::size_t block = planes_.columns(additions.candidates[chosen[begin]]).block;
        work.raw.assign(n_cells * 64, 0);
        const std::uint64_t *words = planes_.row_words(block);
        for (std::size_t cell = 0; cell < n_cells; ++cell) {
            if (cell % 4096 == 0 && is_over(additions.budget)) {
                return false;
            }
            const auto its = rows_of(cell);
            planes_.kernels().count_columns(words, its.data(), its.size(), weights, work.raw.data() + cell * 64);
        }
        for (; begin < chosen.size(); ++begin) {
            const Variable candidate = additions.candidates[chosen[begin]];
            const BitPlanes::Columns columns = planes_.columns(candidate);
            const std::size_t states = arity(candidate);
            if (columns.block != block || states == 1) {
                break;
            }
            work.blocks.resize(states * n_cells);
            std::uint32_t *last = work.blocks.data() + (states - 1) * n_cells;
            std::copy(work.totals.begin(), work.totals.end(), last);
            for (std::size_t state = 0; state + 1 < states; ++state) {
                const std::uint32_t *column = work.raw.data() + columns.first + state;
                std::uint32_t *counts = work.blocks.data() + state * n_cells;
                for (std::size_t cell = 0; cell < n_cells; ++cell) {
                    counts[cell] = column[cell * 64];
                    last[cell] -= counts[cell];
                }
            }
            additions.use(chosen[begin], work.blocks, largest);
        }
    }
    return true;
}

bool Counter::count_by_histogram(const Additions &additions, Chosen chosen, const std::uint64_t *rows) const {
    if (chosen.empty()) {
        return true;
    }
    Workspace &work = workspace();
    const std::size_t r = arity(additions.child);
    const std::size_t n_rows = table_.n_rows;
    // Tables are cleared and read for each candidate.
    if (additions.cells != nullptr &&
        all_cells(additions.child, additions.parents) > static_cast<double>(max_cells())) {
        std::for_each(chosen.begin(), chosen.end(), additions.misfit);
        return true;
    }
    configurations(additions.parents, most_numbered(additions), work.configurations);
    const std::size_t n_cells = work.configurations.size * r;
    if (n_cells > max_cells()) {
        std::for_each(chosen.begin(), chosen.end(), additions.misfit);
        return true;
    }
    if (additions.cells != nullptr) {
        additions.cells->resize(n_cells);
        std::iota(additions.cells->begin(), additions.cells->end(), std::uint64_t{0});
    }
    std::vector<std::uint32_t> &cell = work.cell_of_row;
    cells_of_rows(additions.child, work.configurations, cell);
    std::uint32_t largest = 0;
    for (const std::size_t i : chosen) {
        if (is_over(additions.budget)) {
            return false;
        }
        const std::size_t states = arity(additions.candidates[i]);
        if (states * n_cells > max_cells()) {
            additions.misfit(i);
            continue;
        }
        work.blocks.assign(states * n_cells, 0);
        const bool gaps = has_gaps(additions.candidates[i]);
        const std::uint64_t *counted = rows;
        if (gaps) {
            counted = table_.masks->observed(additions.candidates[i]);
            if (rows != nullptr) {
                work.rows_with_candidate.resize(table_.masks->words());
                kernels().intersect(rows, counted, work.rows_with_candidate.data(), table_.masks->words());
                counted = work.rows_with_candidate.data();
            }
        }
        with_column(additions.candidates[i], [&](const auto *codes) {
            std::uint32_t *counts = work.blocks.data();
            if (table_.weights.empty()) {
                for_each_row(counted, n_rows, [&](std::size_t row) { ++counts[codes[row] * n_cells + cell[row]]; });
            } else {
                for_each_row(counted, n_rows,
                             [&](std::size_t row) { counts[codes[row] * n_cells + cell[row]] += table_.weights[row]; });
            }
        });
        std::uint32_t most = largest;
        if (largest == 0 || gaps) { // the same for every candidate without gaps
            work.totals.assign(work.blocks.begin(), work.blocks.begin() + static_cast<std::ptrdiff_t>(n_cells));
            for (std::size_t state = 1; state < states; ++state) {
                for (std::size_t c = 0; c < n_cells; ++c) {
                    work.totals[c] += work.blocks[state * n_cells + c];
                }
            }
            most = largest_row(work.totals, r);
            largest = gaps ? largest : most;
        }
        additions.use(i, work.blocks, most);
    }
    return true;
}

} // namespace arcwise
