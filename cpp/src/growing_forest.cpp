#include "arcwise/growing_forest.hpp"

#include <limits>
#include <numeric>

namespace arcwise {
namespace {

constexpr double none = -std::numeric_limits<double>::infinity();

class Components {
  public:
    explicit Components(std::size_t n) : up_(n), size_(n, 1) { std::iota(up_.begin(), up_.end(), 0); }

    [[nodiscard]] Variable find(Variable v) noexcept {
        while (up_[v] != v) {
            v = up_[v] = up_[up_[v]];
        }
        return v;
    }
    // Whether they were two.
    bool join(Variable a, Variable b) noexcept {
        a = find(a);
        b = find(b);
        if (a == b) {
            return false;
        }
        if (size_[a] < size_[b]) {
            std::swap(a, b);
        }
        up_[b] = a;
        size_[a] += size_[b];
        return true;
    }
    [[nodiscard]] std::size_t size(Variable v) noexcept { return size_[find(v)]; }

  private:
    std::vector<Variable> up_;
    std::vector<std::size_t> size_;
};

// The edges at each variable: those of v from begin[v] to begin[v + 1].
struct Incidence {
    std::vector<std::size_t> begin;
    std::vector<std::size_t> edges;

    Incidence(std::size_t n_variables, const std::vector<Edge> &all)
        : begin(n_variables + 1, 0), edges(2 * all.size()) {
        for (const Edge &edge : all) {
            ++begin[edge.a + std::size_t{1}];
            ++begin[edge.b + std::size_t{1}];
        }
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
        for (std::size_t e = 0; e < all.size(); ++e) {
            edges[next[all[e].a]++] = e;
            edges[next[all[e].b]++] = e;
        }
    }
};

// Calls visit(from, to, edge) for all edges of the tree of `root`, away from it.
template <class Visit>
void traverse(Variable root, const std::vector<Edge> &edges, const Incidence &incidence, Visit &&visit) {
    struct Step {
        Variable at;
        std::size_t by; // the edge that led here
    };
    std::vector<Step> open{{root, edges.size()}};
    while (!open.empty()) {
        const Step step = open.back();
        open.pop_back();
        for (std::size_t k = incidence.begin[step.at]; k < incidence.begin[step.at + std::size_t{1}]; ++k) {
            const std::size_t e = incidence.edges[k];
            if (e != step.by) {
                const Variable to = edges[e].a == step.at ? edges[e].b : edges[e].a;
                visit(step.at, to, edges[e]);
                open.push_back({to, e});
            }
        }
    }
}

} // namespace

GrowingForest::GrowingForest(std::size_t n_variables, double least)
    : n_variables_(n_variables), least_(least), capacity_(std::max<std::size_t>(4096, 8 * n_variables)),
      weakest_(n_variables, none) {}

const std::vector<Edge> &GrowingForest::settle() {
    if (edges_.size() == n_settled_) {
        return edges_;
    }
    const auto better = [](const Edge &one, const Edge &other) { return one.gain > other.gain; };
    const auto settled_end = edges_.begin() + static_cast<std::ptrdiff_t>(n_settled_);
    std::stable_sort(settled_end, edges_.end(), better);
    std::inplace_merge(edges_.begin(), settled_end, edges_.end(), better);
    Components components(n_variables_);
    n_settled_ = 0;
    for (const Edge &edge : edges_) { // the best first
        if (components.join(edge.a, edge.b)) {
            edges_[n_settled_++] = edge;
        }
    }
    edges_.resize(n_settled_);
    capacity_ = std::max(capacity_, n_settled_ + 4096);
    find_weakest();
    return edges_;
}

void GrowingForest::find_weakest() {
    Components components(n_variables_);
    for (const Edge &edge : edges_) {
        components.join(edge.a, edge.b);
    }
    // The tree's best edge makes a good root: few ways lead over a weak one.
    const auto largest = std::max_element(edges_.begin(), edges_.end(), [&](const Edge &one, const Edge &other) {
        return components.size(one.a) < components.size(other.a);
    });
    std::fill(weakest_.begin(), weakest_.end(), none);
    weakest_[largest->a] = std::numeric_limits<double>::infinity();
    traverse(largest->a, edges_, Incidence(n_variables_, edges_),
             [&](Variable from, Variable to, const Edge &edge) { weakest_[to] = std::min(weakest_[from], edge.gain); });
}

RootedForest rooted(std::size_t n_variables, const std::vector<Edge> &edges) {
    RootedForest forest{std::vector<std::int32_t>(n_variables, -1), std::vector<double>(n_variables, 0.0)};
    const Incidence incidence(n_variables, edges);
    std::vector<bool> reached(n_variables, false);
    for (Variable root = 0; root < n_variables; ++root) {
        if (reached[root]) {
            continue;
        }
        traverse(root, edges, incidence, [&](Variable from, Variable to, const Edge &edge) {
            reached[to] = true;
            forest.parents[to] = static_cast<std::int32_t>(from);
            forest.gains[to] = edge.gain;
        });
    }
    return forest;
}

} // namespace arcwise
