// Rows of the linear program over parent sets: clusters of variables, and which sets keep them.
#pragma once

#include "arcwise/set_list.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// In a graph without cycles, at least `first` of the nodes have fewer than `first` parents among them; a set with so
// few members in the cluster keeps its row.
struct Cluster {
    std::vector<Variable> nodes;
    std::uint32_t first = 1;
};

// The scores of all sets of the table, each with the prices of the rows that it keeps added to it. The prices are
// summed before they are added: where their sums are exact, there is one rounding for each set.
[[nodiscard]] std::vector<double> priced_scores(const SetTable &table, std::span<const Cluster> clusters,
                                                std::span<const double> prices, std::size_t workers);

// Which of some sets keep each row.
struct KeptRows {
    std::vector<std::int64_t> begin; // row i has the places begin[i] to begin[i + 1]
    std::vector<std::int64_t> places;
};

// Sets are counted through the table, and ascend; places are those among them.
[[nodiscard]] KeptRows kept_rows(const SetTable &table, std::span<const Cluster> clusters,
                                 std::span<const std::int64_t> sets);

// A cluster as the sets of one variable see it: bits over their universe.
class ClusterView {
  public:
    explicit ClusterView(const SetMasks &masks) : masks_(&masks), bits_(masks.words()) {}

    // `inside` has 1 for every member of the cluster.
    void show(std::span<const char> inside) noexcept;
    [[nodiscard]] std::span<const std::uint64_t> bits() const noexcept { return bits_; }

    [[nodiscard]] bool meets(std::size_t set) const noexcept {
        const std::uint64_t *mask = masks_->mask(set);
        std::uint64_t common = 0;
        for (std::size_t w = 0; w < bits_.size(); ++w) {
            common |= mask[w] & bits_[w];
        }
        return common != 0;
    }
    [[nodiscard]] std::uint32_t common(std::size_t set) const noexcept;

  private:
    const SetMasks *masks_;
    std::vector<std::uint64_t> bits_;
};

} // namespace arcwise
