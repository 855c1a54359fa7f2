#include "arcwise/elimination.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

namespace arcwise {
namespace {

using Neighbours = std::vector<Scope>; // ascending

enum class Rule { fill, weighted_fill, weight };

void unite(Scope &members, const Scope &others, Scope &spare) {
    spare.clear();
    std::set_union(members.begin(), members.end(), others.begin(), others.end(), std::back_inserter(spare));
    members.swap(spare);
}

Neighbours connected(std::size_t n, const std::vector<Scope> &scopes) {
    Neighbours neighbours(n);
    for (const Scope &scope : scopes) {
        for (const std::uint32_t a : scope) {
            for (const std::uint32_t b : scope) {
                if (a != b) {
                    neighbours[a].push_back(b);
                }
            }
        }
    }
    for (Scope &row : neighbours) {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    return neighbours;
}

// Eliminates node after node by one rule.
class Greedy {
  public:
    Greedy(std::span<const std::uint32_t> arities, Neighbours neighbours, const std::vector<char> &takes_part,
           Rule rule)
        : arities_(arities), neighbours_(std::move(neighbours)), rule_(rule), stamps_(neighbours_.size(), 0),
          seen_(neighbours_.size(), 0), counts_(neighbours_.size(), 0), is_left_(takes_part) {}

    // The cells of all tables; ends early where there are as many as may be.
    [[nodiscard]] double run(double most_cells) {
        for (std::uint32_t node = 0; node < neighbours_.size(); ++node) {
            if (is_left_[node]) {
                offer(node);
            }
        }
        const auto n_left = static_cast<std::size_t>(std::count(is_left_.begin(), is_left_.end(), true));
        double cells = 0.0;
        while (order.size() < n_left && cells < most_cells) {
            const Offer best = offers_.top();
            offers_.pop();
            if (is_left_[best.node] && best.stamp == stamps_[best.node]) {
                cells += weight_of(best.node);
                eliminate(best.node);
            }
        }
        return order.size() == n_left ? cells : most_cells;
    }

    std::vector<std::uint32_t> order;

  private:
    struct Offer {
        double first;
        double second;
        std::uint32_t node;
        std::uint32_t stamp;

        bool operator<(const Offer &other) const noexcept { // the best is the greatest
            return std::tie(first, second, node) > std::tie(other.first, other.second, other.node);
        }
    };

    [[nodiscard]] double weight_of(std::uint32_t node) const {
        double weight = arities_[node];
        for (const std::uint32_t other : neighbours_[node]) {
            weight *= arities_[other];
        }
        return weight;
    }

    // Of the edges between neighbours that are not there.
    [[nodiscard]] double fill_of(std::uint32_t node) {
        const Scope &around = neighbours_[node];
        ++look_;
        for (const std::uint32_t a : around) {
            seen_[a] = look_;
        }
        double all = 0.0;
        double squares = 0.0;
        double there = 0.0;
        for (const std::uint32_t a : around) {
            const double mine = rule_ == Rule::fill ? 1.0 : arities_[a];
            all += mine;
            squares += mine * mine;
            for (const std::uint32_t b : neighbours_[a]) {
                if (seen_[b] == look_) {
                    there += rule_ == Rule::fill ? 1.0 : mine * arities_[b];
                }
            }
        }
        return 0.5 * (all * all - squares - there);
    }

    void offer(std::uint32_t node) {
        const double weight = weight_of(node);
        const double first = rule_ == Rule::weight ? weight : fill_of(node);
        offers_.push({first, weight, node, ++stamps_[node]});
    }

    void eliminate(std::uint32_t node) {
        order.push_back(node);
        is_left_[node] = false;
        const Scope around = std::move(neighbours_[node]);
        neighbours_[node].clear();
        bool is_filled = false;
        for (const std::uint32_t a : around) {
            Scope &mine = neighbours_[a];
            const std::size_t before = mine.size();
            mine.erase(std::lower_bound(mine.begin(), mine.end(), node));
            unite(mine, around, spare_);
            mine.erase(std::lower_bound(mine.begin(), mine.end(), a));
            is_filled |= mine.size() >= before;
        }
        for (const std::uint32_t a : around) {
            offer(a);
        }
        if (is_filled && rule_ != Rule::weight) {
            offer_outside(around);
        }
    }

    // Whoever is next to two of these may have less to fill in.
    void offer_outside(const Scope &around) {
        ++look_;
        for (const std::uint32_t a : around) {
            seen_[a] = look_;
        }
        Scope touched;
        for (const std::uint32_t a : around) {
            for (const std::uint32_t b : neighbours_[a]) {
                if (seen_[b] != look_ && counts_[b]++ == 0) {
                    touched.push_back(b);
                }
            }
        }
        std::sort(touched.begin(), touched.end());
        for (const std::uint32_t b : touched) {
            if (std::exchange(counts_[b], 0) >= 2) {
                offer(b);
            }
        }
    }

    std::span<const std::uint32_t> arities_;
    Neighbours neighbours_;
    Rule rule_;
    std::vector<std::uint32_t> stamps_;
    std::vector<std::uint32_t> seen_;
    std::vector<std::uint32_t> counts_;
    std::vector<char> is_left_;
    std::uint32_t look_ = 0;
    Scope spare_;
    std::priority_queue<Offer> offers_;
};

double product(std::span<const std::uint32_t> arities, const Scope &scope) {
    double cells = 1.0;
    for (const std::uint32_t node : scope) {
        cells *= arities[node];
    }
    return cells;
}

// Cliques as sets, joined by edges, while it is not yet known which of them are roots.
struct Bucket {
    Scope members; // by rank, the first one of which it eliminates
    std::uint32_t parent = Clique::no_parent;
    std::uint32_t stands_for = Clique::no_parent; // the clique that has absorbed it
};

class ForestMaker {
  public:
    ForestMaker(std::span<const std::uint32_t> arities, const std::vector<Scope> &scopes,
                std::span<const std::uint32_t> rank)
        : arities_(arities), scopes_(scopes), rank_(rank) {}

    [[nodiscard]] CliqueForest made(std::size_t root_scope) {
        if (!eliminate()) {
            return std::move(forest_);
        }
        absorb();
        connect();
        root_at(root_scope);
        place_scopes();
        return std::move(forest_);
    }

  private:
    // One bucket for each node, in the order of elimination; what a scope says goes to its first node. Returns whether
    // there is hope.
    [[nodiscard]] bool eliminate() {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> nodes; // rank, node
        for (const Scope &scope : scopes_) {
            for (const std::uint32_t node : scope) {
                nodes.emplace_back(rank_[node], node);
            }
        }
        std::sort(nodes.begin(), nodes.end());
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        place_.assign(arities_.size(), Clique::no_parent);
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            place_[nodes[k].second] = static_cast<std::uint32_t>(k);
        }
        buckets_.resize(nodes.size());
        // Members are places here, whose order is that of elimination.
        for (const Scope &scope : scopes_) {
            if (!scope.empty()) {
                Scope places(scope.size());
                std::transform(scope.begin(), scope.end(), places.begin(), [&](auto node) { return place_[node]; });
                std::sort(places.begin(), places.end());
                unite(buckets_[places.front()].members, places, spare_);
            }
        }
        node_at_.resize(nodes.size());
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            node_at_[k] = nodes[k].second;
        }
        double all_cells = 0.0;
        for (std::uint32_t k = 0; k < buckets_.size(); ++k) {
            Bucket &bucket = buckets_[k];
            const double cells = cells_of(k);
            all_cells += cells;
            if (all_cells >= hopeless_cells) {
                forest_.cells = all_cells;
                forest_.largest_cells = cells;
                forest_.largest_nodes = bucket.members.size();
                return false;
            }
            if (bucket.members.size() > 1) {
                const Scope rest(bucket.members.begin() + 1, bucket.members.end());
                bucket.parent = rest.front();
                unite(buckets_[rest.front()].members, rest, spare_);
            }
        }
        return true;
    }

    // A clique that is contained in one that hangs from it gives its place to that.
    void absorb() {
        for (std::uint32_t k = 0; k < buckets_.size(); ++k) {
            const std::uint32_t parent = buckets_[k].parent;
            if (parent != Clique::no_parent && buckets_[parent].members.size() + 1 == buckets_[k].members.size() &&
                buckets_[parent].stands_for == Clique::no_parent) {
                buckets_[parent].stands_for = k;
            }
        }
    }

    [[nodiscard]] std::uint32_t standing(std::uint32_t bucket) {
        std::uint32_t last = bucket;
        while (buckets_[last].stands_for != Clique::no_parent) {
            last = buckets_[last].stands_for;
        }
        while (buckets_[bucket].stands_for != Clique::no_parent) {
            bucket = std::exchange(buckets_[bucket].stands_for, last);
        }
        return last;
    }

    void connect() {
        edges_.resize(buckets_.size());
        for (std::uint32_t k = 0; k < buckets_.size(); ++k) {
            if (buckets_[k].parent == Clique::no_parent) {
                continue;
            }
            const std::uint32_t here = standing(k);
            const std::uint32_t there = standing(buckets_[k].parent);
            if (here != there) {
                edges_[here].push_back(there);
                edges_[there].push_back(here);
            }
        }
    }

    [[nodiscard]] double cells_of(std::uint32_t bucket) const {
        double cells = 1.0;
        for (const std::uint32_t place : buckets_[bucket].members) {
            cells *= arities_[node_at_[place]];
        }
        return cells;
    }

    void root_at(std::size_t root_scope) {
        std::uint32_t wanted = Clique::no_parent;
        if (root_scope < scopes_.size() && !scopes_[root_scope].empty()) {
            wanted = standing(bucket_of(scopes_[root_scope]));
        }
        made_of_.assign(buckets_.size(), Clique::no_parent);
        std::vector<std::uint32_t> part;
        std::vector<char> is_seen(buckets_.size(), false);
        for (std::uint32_t k = 0; k < buckets_.size(); ++k) {
            if (buckets_[k].stands_for == Clique::no_parent && !is_seen[k]) {
                part.assign(1, k);
                is_seen[k] = true;
                std::uint32_t root = k;
                double most = 0.0;
                for (std::size_t next = 0; next < part.size(); ++next) {
                    const std::uint32_t here = part[next];
                    const double cells = here == wanted ? std::numeric_limits<double>::infinity() : cells_of(here);
                    if (cells > most) {
                        most = cells;
                        root = here;
                    }
                    for (const std::uint32_t there : edges_[here]) {
                        if (!is_seen[there]) {
                            is_seen[there] = true;
                            part.push_back(there);
                        }
                    }
                }
                hang(root);
            }
        }
    }

    // Cliques from a root on, one after the other down the tree, each with its nodes in the order of the one above.
    void hang(std::uint32_t root) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> open{{root, Clique::no_parent}}; // bucket, parent clique
        while (!open.empty()) {
            const auto [bucket, parent] = open.back();
            open.pop_back();
            const auto here = static_cast<std::uint32_t>(forest_.cliques.size());
            made_of_[bucket] = here;
            add(bucket, parent);
            for (const std::uint32_t there : edges_[bucket]) {
                if (made_of_[there] == Clique::no_parent) {
                    open.emplace_back(there, here);
                }
            }
        }
    }

    void add(std::uint32_t bucket, std::uint32_t parent) {
        Clique clique;
        clique.parent = parent;
        Scope members;
        for (const std::uint32_t place : buckets_[bucket].members) {
            members.push_back(node_at_[place]);
        }
        if (parent != Clique::no_parent) {
            const Clique &above = forest_.cliques[parent];
            Scope sorted = members;
            std::sort(sorted.begin(), sorted.end());
            for (const Scope *part : {&above.own, &above.shared}) {
                std::copy_if(part->begin(), part->end(), std::back_inserter(clique.shared), [&](std::uint32_t node) {
                    return std::binary_search(sorted.begin(), sorted.end(), node);
                });
            }
        }
        std::copy_if(members.begin(), members.end(), std::back_inserter(clique.own), [&](std::uint32_t node) {
            return std::find(clique.shared.begin(), clique.shared.end(), node) == clique.shared.end();
        });
        clique.shared_cells = product(arities_, clique.shared);
        clique.cells = clique.shared_cells * product(arities_, clique.own);
        forest_.cells += clique.cells;
        if (clique.cells > forest_.largest_cells) {
            forest_.largest_cells = clique.cells;
            forest_.largest_nodes = members.size();
        }
        forest_.cliques.push_back(std::move(clique));
    }

    [[nodiscard]] std::uint32_t bucket_of(const Scope &scope) const {
        std::uint32_t first = Clique::no_parent;
        for (const std::uint32_t node : scope) {
            first = std::min(first, place_[node]);
        }
        return first;
    }

    void place_scopes() {
        for (const Scope &scope : scopes_) {
            forest_.home.push_back(scope.empty() ? Clique::no_parent : made_of_[standing(bucket_of(scope))]);
        }
    }

    std::span<const std::uint32_t> arities_;
    const std::vector<Scope> &scopes_;
    std::span<const std::uint32_t> rank_;
    std::vector<std::uint32_t> place_;   // of each node in the order of elimination
    std::vector<std::uint32_t> node_at_; // the other way round
    std::vector<Bucket> buckets_;
    std::vector<std::vector<std::uint32_t>> edges_;
    std::vector<std::uint32_t> made_of_; // the clique of each bucket
    CliqueForest forest_;
    Scope spare_;
};

} // namespace

std::vector<std::uint32_t> elimination_order(std::span<const std::uint32_t> arities, const std::vector<Scope> &scopes) {
    std::vector<char> takes_part(arities.size(), false);
    for (const Scope &scope : scopes) {
        for (const std::uint32_t node : scope) {
            takes_part[node] = true;
        }
    }
    const Neighbours neighbours = connected(arities.size(), scopes);
    std::vector<std::uint32_t> best;
    double fewest = hopeless_cells;
    for (const Rule rule : {Rule::weight, Rule::fill, Rule::weighted_fill}) { // the quickest first
        Greedy greedy(arities, neighbours, takes_part, rule);
        const double cells = greedy.run(fewest);
        if (cells < fewest || best.empty()) {
            fewest = cells;
            best = std::move(greedy.order);
        }
        if (fewest >= hopeless_cells) {
            break;
        }
    }
    return best;
}

std::vector<std::uint32_t> elimination_ranks(std::span<const std::uint32_t> arities, const std::vector<Scope> &scopes) {
    const std::vector<std::uint32_t> order = elimination_order(arities, scopes);
    std::vector<std::uint32_t> ranks(arities.size(), static_cast<std::uint32_t>(order.size()));
    for (std::size_t k = 0; k < order.size(); ++k) {
        ranks[order[k]] = static_cast<std::uint32_t>(k);
    }
    return ranks;
}

CliqueForest clique_forest(std::span<const std::uint32_t> arities, const std::vector<Scope> &scopes,
                           std::span<const std::uint32_t> rank, std::size_t root_scope) {
    return ForestMaker(arities, scopes, rank).made(root_scope);
}

} // namespace arcwise
