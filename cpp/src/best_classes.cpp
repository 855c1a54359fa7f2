#include "arcwise/best_classes.hpp"

#include "arcwise/parallel.hpp"

#include "small_graph.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <queue>
#include <span>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

namespace arcwise {
namespace {

using Subset = std::uint16_t; // bit v: variable v is a member

[[nodiscard]] constexpr Subset bit(Variable v) noexcept { return static_cast<Subset>(1U << v); }
[[nodiscard]] constexpr Subset without(Subset set, Variable v) noexcept { return static_cast<Subset>(set & ~bit(v)); }

template <class Use> void for_each_member(Subset set, Use &&use) {
    for (unsigned rest = set; rest != 0; rest &= rest - 1) {
        use(static_cast<Variable>(std::countr_zero(rest)));
    }
}

using Graph = SmallGraph<Subset>;
static_assert(Graph::most == max_class_variables);

// The parent sets of one variable, best first.
class Families {
  public:
    explicit Families(const SetList &list) : scores_(list.scores) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            Subset set = 0;
            for (const Member member : list.set(i)) {
                set = static_cast<Subset>(set | bit(member));
            }
            sets_.push_back(set);
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return sets_.size(); }
    [[nodiscard]] Subset set(std::size_t i) const noexcept { return sets_[i]; }
    [[nodiscard]] double score(std::size_t i) const noexcept { return scores_[i]; }

    // The first set from `i` on that lies within the predecessors; size() if there is none.
    [[nodiscard]] std::size_t next_within(Subset predecessors, std::size_t i) const noexcept {
        while (i < sets_.size() && (sets_[i] & ~predecessors) != 0) {
            ++i;
        }
        return i;
    }

  private:
    std::span<const double> scores_;
    std::vector<Subset> sets_;
};

using Graphs = std::vector<Graph>; // of different classes, best first

class ClassProgramming {
  public:
    ClassProgramming(const SetTable &table, std::size_t k, std::size_t workers, Budget &budget)
        : n_(table.n_variables()), k_(k), workers_(workers), budget_(budget),
          families_(table.lists().begin(), table.lists().end()), best_(std::size_t{1} << n_) {}

    [[nodiscard]] BestClasses solve() {
        std::vector<std::vector<Subset>> levels(n_ + 1); // subsets by size
        for (std::size_t set = 0; set < best_.size(); ++set) {
            levels[static_cast<std::size_t>(std::popcount(set))].push_back(static_cast<Subset>(set));
        }
        best_[0].emplace_back();
        for (std::size_t size = 1; size <= n_; ++size) {
            in_parallel(workers_, levels[size].size(), [&](std::size_t, std::size_t i) { fill(levels[size][i]); });
            if (const StopReason reason = budget_.reason(); reason != StopReason::none) {
                return {{}, reason};
            }
            for (const Subset done : levels[size - 1]) {
                best_[done] = {};
            }
        }
        return {scored(best_.back()), StopReason::none};
    }

  private:
    // A graph of the smaller set, and a set of the new sink.
    struct Extension {
        double score;
        Variable sink;
        std::size_t graph;
        std::size_t set;

        // The best comes first; ties are settled, so that the answer does not depend on the heap.
        friend bool operator<(const Extension &a, const Extension &b) noexcept {
            return a.score != b.score ? a.score < b.score
                                      : std::tie(a.sink, a.graph, a.set) > std::tie(b.sink, b.graph, b.set);
        }
    };

    void fill(Subset set) {
        if (!budget_.exhausted()) {
            best_[set] = best_over(set);
        }
    }

    [[nodiscard]] Graphs best_over(Subset set) const {
        std::priority_queue<Extension> extensions;
        const auto offer = [&](Variable sink, std::size_t graph, std::size_t at) {
            const Graphs &smaller = best_[without(set, sink)];
            if (graph < smaller.size() && at < families_[sink].size()) {
                extensions.push({smaller[graph].score() + families_[sink].score(at), sink, graph, at});
            }
        };
        for_each_member(set, [&](Variable v) { offer(v, 0, families_[v].next_within(without(set, v), 0)); });
        Graphs found;
        std::unordered_multimap<std::uint64_t, std::size_t> with_hash;
        for (std::size_t tried = 0; !extensions.empty() && found.size() < k_; ++tried) {
            if (tried % 1024 == 1023 && budget_.exhausted()) {
                return {}; // nobody looks at it
            }
            const auto [score, sink, graph, at] = extensions.top();
            extensions.pop();
            const Families &families = families_[sink];
            const Subset smaller = without(set, sink);
            Graph next = best_[smaller][graph].with_sink(sink, families.set(at), families.score(at));
            const auto [first, last] = with_hash.equal_range(next.class_hash());
            if (std::none_of(first, last, [&](const auto &entry) { return next.is_equivalent(found[entry.second]); })) {
                with_hash.emplace(next.class_hash(), found.size());
                found.push_back(next);
            }
            offer(sink, graph + 1, at);
            if (graph == 0) { // every choice is offered once
                offer(sink, 0, families.next_within(smaller, at + 1));
            }
        }
        return found;
    }

    [[nodiscard]] std::vector<ScoredGraph> scored(const Graphs &graphs) const {
        std::vector<ScoredGraph> all;
        for (const Graph &graph : graphs) {
            ScoredGraph &next = all.emplace_back();
            next.score = graph.score();
            next.parents.resize(n_);
            for (Variable v = 0; v < n_; ++v) {
                for_each_member(graph.parents(v), [&](Variable parent) { next.parents[v].push_back(parent); });
            }
        }
        return all;
    }

    std::size_t n_;
    std::size_t k_;
    std::size_t workers_;
    Budget &budget_;
    std::vector<Families> families_;
    std::vector<Graphs> best_; // over each set of variables, of two sizes at a time
};

} // namespace

BestClasses best_classes(const SetTable &table, std::size_t k, std::size_t workers, Budget &budget) {
    if (table.n_variables() > max_class_variables) {
        throw std::invalid_argument("too many variables to look at all subsets");
    }
    if (workers == 0) {
        throw std::invalid_argument("nobody to do the work");
    }
    return ClassProgramming(table, k, workers, budget).solve();
}

double best_classes_bytes(const SetTable &table, std::size_t k) {
    const auto n = static_cast<double>(table.n_variables());
    const auto n_sets = static_cast<double>(table.n_sets());
    double subsets = 1.0; // with half of the variables: there are no more of any other size
    for (std::size_t i = 1; i <= table.n_variables() / 2; ++i) {
        subsets *= (n - static_cast<double>(i) + 1.0) / static_cast<double>(i);
    }
    // Vectors grow by doubling.
    return 2.0 * subsets * 2.0 * static_cast<double>(k) * sizeof(Graph) + std::exp2(n) * sizeof(Graphs) +
           n_sets * sizeof(Subset);
}

} // namespace arcwise
