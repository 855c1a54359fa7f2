#include "arcwise/cluster_rows.hpp"

#include "arcwise/parallel.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace arcwise {

void ClusterView::show(std::span<const char> inside) noexcept {
    std::ranges::fill(bits_, 0);
    const std::span<const Member> universe = masks_->universe();
    for (std::size_t i = 0; i < universe.size(); ++i) {
        bits_[i / 64] |= std::uint64_t{inside[universe[i]] != 0} << (i % 64);
    }
}

std::uint32_t ClusterView::common(std::size_t set) const noexcept {
    const std::uint64_t *mask = masks_->mask(set);
    std::uint32_t count = 0;
    for (std::size_t w = 0; w < bits_.size(); ++w) {
        count += static_cast<std::uint32_t>(std::popcount(mask[w] & bits_[w]));
    }
    return count;
}

namespace {

// The rows that have a variable among their nodes.
std::vector<std::vector<std::uint32_t>> rows_of_variables(std::size_t n, std::span<const Cluster> clusters) {
    std::vector<std::vector<std::uint32_t>> rows(n);
    for (std::uint32_t row = 0; row < clusters.size(); ++row) {
        for (const Variable v : clusters[row].nodes) {
            rows[v].push_back(row);
        }
    }
    return rows;
}

std::vector<char> membership(std::size_t n, const Cluster &cluster) {
    std::vector<char> inside(n, 0);
    for (const Variable v : cluster.nodes) {
        inside[v] = 1;
    }
    return inside;
}

// Adds the price where a set has fewer members in the cluster than `First`: for few words without a branch, which is
// almost all of the work.
template <std::size_t Words, std::size_t First>
void add_where_kept(const std::uint64_t *masks, const std::uint64_t *bits, double price, std::span<double> sums) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
        std::array<std::uint64_t, Words> common;
        for (std::size_t w = 0; w < Words; ++w) {
            common[w] = masks[i * Words + w] & bits[w];
        }
        for (std::size_t taken = 1; taken < First; ++taken) { // takes one member away
            std::uint64_t take = 1;
            for (std::uint64_t &word : common) {
                const std::uint64_t some = word != 0 ? take : 0;
                word &= word - some;
                take -= some;
            }
        }
        std::uint64_t rest = 0;
        for (const std::uint64_t word : common) {
            rest |= word;
        }
        sums[i] += rest == 0 ? price : 0.0;
    }
}

template <std::size_t Words>
void add_where_kept(const std::uint64_t *masks, const std::uint64_t *bits, std::uint32_t first, double price,
                    std::span<double> sums) {
    switch (first) {
    case 1:
        return add_where_kept<Words, 1>(masks, bits, price, sums);
    case 2:
        return add_where_kept<Words, 2>(masks, bits, price, sums);
    default:
        return add_where_kept<Words, 3>(masks, bits, price, sums);
    }
}

void add_where_kept(const SetMasks &masks, const ClusterView &view, std::size_t begin, std::uint32_t first,
                    double price, std::span<double> sums) {
    if (first <= 3) {
        switch (masks.words()) {
        case 1:
            return add_where_kept<1>(masks.mask(begin), view.bits().data(), first, price, sums);
        case 2:
            return add_where_kept<2>(masks.mask(begin), view.bits().data(), first, price, sums);
        case 3:
            return add_where_kept<3>(masks.mask(begin), view.bits().data(), first, price, sums);
        default:
            break;
        }
    }
    for (std::size_t s = 0; s < sums.size(); ++s) {
        sums[s] += view.common(begin + s) < first ? price : 0.0;
    }
}

constexpr std::size_t block = 2048; // sums that stay in the cache while rows go by

} // namespace

std::vector<double> priced_scores(const SetTable &table, std::span<const Cluster> clusters,
                                  std::span<const double> prices, std::size_t workers) {
    const std::size_t n = table.n_variables();
    const std::vector<SetList> &lists = table.lists();
    std::vector<std::size_t> first(n + 1, 0);
    for (std::size_t v = 0; v < n; ++v) {
        first[v + 1] = first[v] + lists[v].size();
    }
    const std::vector<std::vector<std::uint32_t>> rows = rows_of_variables(n, clusters);
    std::vector<std::vector<char>> inside;
    for (const Cluster &cluster : clusters) {
        inside.push_back(membership(n, cluster));
    }
    std::vector<std::vector<ClusterView>> views(n); // made here, because workers must not throw
    for (std::size_t v = 0; v < n; ++v) {
        views[v].assign(rows[v].size(), ClusterView(*lists[v].masks));
    }
    std::vector<double> values(first[n], 0.0);
    in_parallel(workers, n, [&](std::size_t, std::size_t v) noexcept {
        const SetList &list = lists[v];
        for (std::size_t i = 0; i < rows[v].size(); ++i) {
            views[v][i].show(inside[rows[v][i]]);
        }
        for (std::size_t begin = 0; begin < list.size(); begin += block) {
            const std::size_t size = std::min(block, list.size() - begin);
            const auto sums = std::span(values).subspan(first[v] + begin, size);
            for (std::size_t i = 0; i < rows[v].size(); ++i) {
                const Cluster &cluster = clusters[rows[v][i]];
                const double price = prices[rows[v][i]];
                if (price != 0) {
                    add_where_kept(*list.masks, views[v][i], begin, cluster.first, price, sums);
                }
            }
            for (std::size_t s = 0; s < size; ++s) {
                sums[s] += list.scores[begin + s];
            }
        }
    });
    return values;
}

KeptRows kept_rows(const SetTable &table, std::span<const Cluster> clusters, std::span<const std::int64_t> sets) {
    const std::size_t n = table.n_variables();
    const std::vector<SetList> &lists = table.lists();
    std::vector<std::int64_t> first(n + 1, 0);
    std::vector<std::size_t> place(n + 1, 0); // of the variable's first among the candidate parent sets
    for (std::size_t v = 0; v < n; ++v) {
        first[v + 1] = first[v] + static_cast<std::int64_t>(lists[v].size());
        place[v + 1] = static_cast<std::size_t>(std::ranges::lower_bound(sets, first[v + 1]) - sets.begin());
    }
    KeptRows kept;
    kept.begin.push_back(0);
    for (const Cluster &cluster : clusters) {
        const std::vector<char> inside = membership(n, cluster);
        for (const Variable v : cluster.nodes) {
            ClusterView view(*lists[v].masks);
            view.show(inside);
            for (std::size_t at = place[v]; at < place[v + 1]; ++at) {
                if (view.common(static_cast<std::size_t>(sets[at] - first[v])) < cluster.first) {
                    kept.places.push_back(static_cast<std::int64_t>(at));
                }
            }
        }
        kept.begin.push_back(static_cast<std::int64_t>(kept.places.size()));
    }
    return kept;
}

} // namespace arcwise
