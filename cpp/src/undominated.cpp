#include "arcwise/parent_search.hpp"

namespace arcwise {
namespace {

// A trie of sets with ascending members, in one hash table of its edges.
class SetTrie {
  public:
    void insert(std::span<const std::uint16_t> set) {
        std::uint32_t node = root;
        for (const std::uint16_t member : set) {
            const std::uint32_t next = child(node, member);
            node = next != none ? next : add(node, member);
        }
        if (is_end_.size() <= node) {
            is_end_.resize(node + 1, false);
        }
        is_end_[node] = true;
    }

    [[nodiscard]] bool has_subset_of(std::span<const std::uint16_t> set) const { return has_subset_of(set, root); }

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
        std::size_t at = (edge * 0x9e3779b97f4a7c15U >> 20) & mask;
        while (edges_[at].from_and_member != 0 && edges_[at].from_and_member != edge) {
            at = (at + 1) & mask;
        }
        return at;
    }
    [[nodiscard]] std::uint32_t child(std::uint32_t node, std::uint16_t member) const noexcept {
        return edges_[slot(name(node, member))].to;
    }
    std::uint32_t add(std::uint32_t node, std::uint16_t member) {
        if (2 * (n_nodes_ + 1) > edges_.size()) {
            std::vector<Edge> old(2 * edges_.size());
            old.swap(edges_);
            for (const Edge &edge : old) {
                if (edge.from_and_member != 0) {
                    edges_[slot(edge.from_and_member)] = edge;
                }
            }
        }
        const std::uint64_t edge = name(node, member);
        edges_[slot(edge)] = {edge, static_cast<std::uint32_t>(n_nodes_)};
        return static_cast<std::uint32_t>(n_nodes_++);
    }

    [[nodiscard]] bool has_subset_of(std::span<const std::uint16_t> set, std::uint32_t node) const {
        if (node < is_end_.size() && is_end_[node]) {
            return true;
        }
        for (std::size_t i = 0; i < set.size(); ++i) {
            const std::uint32_t next = child(node, set[i]);
            if (next != none && has_subset_of(set.subspan(i + 1), next)) {
                return true;
            }
        }
        return false;
    }

    std::vector<Edge> edges_ = std::vector<Edge>(64);
    std::vector<bool> is_end_;
    std::size_t n_nodes_ = 1;
};

} // namespace

// A dominated set has a subset that is itself not dominated and stands before it, so the trie holds only those.
std::vector<bool> undominated(const ParentSetList &sets) {
    SetTrie better;
    std::vector<bool> keep(sets.size());
    for (std::size_t i = 0; i < sets.size(); ++i) {
        keep[i] = !better.has_subset_of(sets.set(i));
        if (keep[i]) {
            better.insert(sets.set(i));
        }
    }
    return keep;
}

} // namespace arcwise
