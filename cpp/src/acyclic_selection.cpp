#include "arcwise/acyclic_selection.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace arcwise {
namespace {

// For every variable the variables that can be reached from it, itself included.
class Descendants {
  public:
    explicit Descendants(std::size_t n) : n_(n), words_((n + 63) / 64), bits_(n * words_, 0) {
        for (std::size_t v = 0; v < n; ++v) {
            bits_[v * words_ + v / 64] |= std::uint64_t{1} << (v % 64);
        }
    }

    [[nodiscard]] bool reaches(std::size_t from, std::size_t to) const noexcept {
        return bits_[from * words_ + to / 64] >> (to % 64) & 1;
    }

    void add_parents(std::size_t child, std::span<const Member> parents) noexcept {
        for (std::size_t v = 0; v < n_; ++v) {
            if (std::ranges::any_of(parents, [&](Member parent) { return reaches(v, parent); })) {
                for (std::size_t w = 0; w < words_; ++w) {
                    bits_[v * words_ + w] |= bits_[child * words_ + w];
                }
            }
        }
    }

  private:
    std::size_t n_;
    std::size_t words_;
    std::vector<std::uint64_t> bits_;
};

// An order with parents first; of the variables that may come next, the one that was first before.
std::vector<Variable> sorted_by_parents(const std::vector<std::vector<Variable>> &parents,
                                        const std::vector<Variable> &order) {
    const std::size_t n = order.size();
    std::vector<std::size_t> position(n);
    std::vector<std::size_t> waiting(n);
    std::vector<std::vector<Variable>> children(n);
    for (std::size_t i = 0; i < n; ++i) {
        position[order[i]] = i;
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (Variable v = 0; v < n; ++v) {
        waiting[v] = parents[v].size();
        for (const Variable parent : parents[v]) {
            children[parent].push_back(v);
        }
        if (parents[v].empty()) {
            ready.push(position[v]);
        }
    }
    std::vector<Variable> sorted;
    while (!ready.empty()) {
        const Variable v = order[ready.top()];
        ready.pop();
        sorted.push_back(v);
        for (const Variable child : children[v]) {
            if (--waiting[child] == 0) {
                ready.push(position[child]);
            }
        }
    }
    return sorted;
}

} // namespace

OrderClimbResult select_acyclic(const SetTable &table, std::vector<Variable> order) {
    const std::size_t n = table.n_variables();
    OrderClimbResult result;
    result.start_score = OrderState(table.lists(), order).score();
    result.parents.resize(n);
    Descendants descendants(n);
    for (std::size_t i = n; i-- > 0;) {
        const Variable v = order[i];
        const SetList &list = table.lists()[v];
        std::size_t best = 0;
        while (best < list.size() &&
               std::ranges::any_of(list.set(best), [&](Member parent) { return descendants.reaches(v, parent); })) {
            ++best;
        }
        if (best < list.size()) {
            result.parents[v].assign(list.set(best).begin(), list.set(best).end());
            descendants.add_parents(v, list.set(best));
        }
    }
    read_result(OrderState(table.lists(), sorted_by_parents(result.parents, order)), result);
    return result;
}

} // namespace arcwise
