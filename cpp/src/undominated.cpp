#include "arcwise/parent_search.hpp"

#include "arcwise/random.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace arcwise {
namespace {

// A trie of scored sets with ascending members, in one hash table of its edges.
class SetTrie {
  public:
    void insert(std::span<const std::uint16_t> set, double score) {
        std::uint32_t node = root;
        best_below_[root] = std::max(best_below_[root], score);
        for (const std::uint16_t member : set) {
            const std::uint32_t next = child(node, member);
            node = next != none ? next : add(node, member);
            best_below_[node] = std::max(best_below_[node], score);
        }
        score_[node] = score;
    }

    // Whether it holds a subset of the set with at least this score.
    [[nodiscard]] bool has_subset_of(std::span<const std::uint16_t> set, double score) const {
        return has_subset_of(set, score, root);
    }

  private:
    struct Edge {
        std::uint64_t from_and_member = 0; // the node above 16 bits of member, plus 1; 0 is an empty slot
        std::uint32_t to = 0;
    };
    static constexpr std::uint32_t root = 0;
    static constexpr std::uint32_t none = 0; // no edge leads to the root

    [[nodiscard]] static std::uint64_t name(std::uint32_t node, std::uint16_t member) noexcept {
        return ((std::uint64_t{node} << 16) | member) + 1;
    }
    [[nodiscard]] std::size_t slot(std::uint64_t edge) const noexcept {
        const std::size_t mask = edges_.size() - 1;
        std::size_t at = (edge * golden_step >> 20) & mask;
        while (edges_[at].from_and_member != 0 && edges_[at].from_and_member != edge) {
            at = (at + 1) & mask;
        }
        return at;
    }
    [[nodiscard]] std::uint32_t child(std::uint32_t node, std::uint16_t member) const noexcept {
        return edges_[slot(name(node, member))].to;
    }
    std::uint32_t add(std::uint32_t node, std::uint16_t member) {
        if (2 * (score_.size() + 1) > edges_.size()) {
            std::vector<Edge> old(2 * edges_.size());
            old.swap(edges_);
            for (const Edge &edge : old) {
                if (edge.from_and_member != 0) {
                    edges_[slot(edge.from_and_member)] = edge;
                }
            }
        }
        const std::uint64_t edge = name(node, member);
        const auto added = static_cast<std::uint32_t>(score_.size());
        edges_[slot(edge)] = {edge, added};
        score_.push_back(minus_infinity);
        best_below_.push_back(minus_infinity);
        return added;
    }

    [[nodiscard]] bool has_subset_of(std::span<const std::uint16_t> set, double score, std::uint32_t node) const {
        if (best_below_[node] < score) {
            return false;
        }
        if (score_[node] >= score) {
            return true;
        }
        for (std::size_t i = 0; i < set.size(); ++i) {
            const std::uint32_t next = child(node, set[i]);
            if (next != none && has_subset_of(set.subspan(i + 1), score, next)) {
                return true;
            }
        }
        return false;
    }

    static constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

    std::vector<Edge> edges_ = std::vector<Edge>(64);
    std::vector<double> score_{minus_infinity};      // of the set that ends at a node
    std::vector<double> best_below_{minus_infinity}; // among the sets that pass it
};

} // namespace

// Smaller sets first, so that all subsets of a set have been there before it. A dominated set has a subset that beats
// it and is not dominated itself, so the trie holds only those.
std::vector<bool> undominated(const ParentSetList &sets, double rounding) {
    std::vector<std::size_t> by_size(sets.size());
    std::iota(by_size.begin(), by_size.end(), std::size_t{0});
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](std::size_t a, std::size_t b) { return sets.set(a).size() < sets.set(b).size(); });
    SetTrie better;
    std::vector<bool> keep(sets.size());
    for (const std::size_t i : by_size) {
        keep[i] = !better.has_subset_of(sets.set(i), sets.scores[i] - rounding);
        if (keep[i]) {
            better.insert(sets.set(i), sets.scores[i]);
        }
    }
    return keep;
}

} // namespace arcwise
