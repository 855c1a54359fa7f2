// Orders in which the nodes of a graph can be eliminated, and the trees of cliques that come of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

using Scope = std::vector<std::uint32_t>; // some nodes, each once

// No machine has room for tables of so many cells: who finds that many looks no further.
inline constexpr double hopeless_cells = 1e18;

// The order that a greedy rule gives on the graph in which the nodes of each scope are connected to each other: the
// best of three rules, which take next the node whose elimination adds the fewest edges (min-fill), the lightest edges,
// or the smallest table (min-weight); see Kjærulff (1990). Ties go to the smaller table and then to the first node.
// What is compared is the number of cells in all tables. Nodes without a scope are left out. Where min-weight, the
// quickest, comes to a hopeless number of cells, the order ends there.
[[nodiscard]] std::vector<std::uint32_t> elimination_order(std::span<const std::uint32_t> arities,
                                                           const std::vector<Scope> &scopes);

// The place of each node in this order; those that are not in it come last.
[[nodiscard]] std::vector<std::uint32_t> elimination_ranks(std::span<const std::uint32_t> arities,
                                                           const std::vector<Scope> &scopes);

// A clique, and what it shares with the next one on the way to the root.
struct Clique {
    static constexpr std::uint32_t no_parent = UINT32_MAX;

    Scope own;    // not in the parent
    Scope shared; // in the parent too; empty in a root
    std::uint32_t parent = no_parent;
    double cells = 1.0;        // of both together
    double shared_cells = 1.0; // of what is shared
};

// Trees of maximal cliques, one for each connected part; a clique comes before those that hang from it.
struct CliqueForest {
    std::vector<Clique> cliques;
    std::vector<std::uint32_t> home; // for each scope a clique that contains it; for empty ones no_parent
    double cells = 0.0; // of all cliques; if that is hopeless, there are none, and these are some of the cells
    double largest_cells = 0.0;
    std::size_t largest_nodes = 0;
};

// What elimination in this order makes of the scopes: `rank` has the place of each node that is in a scope. In each
// tree the root is the clique of `root_scope` if that is in the tree, an index into the scopes, and else the largest.
[[nodiscard]] CliqueForest clique_forest(std::span<const std::uint32_t> arities, const std::vector<Scope> &scopes,
                                         std::span<const std::uint32_t> rank, std::size_t root_scope = SIZE_MAX);

} // namespace arcwise
