#include "arcwise/price_ascent.hpp"

#include "arcwise/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace arcwise {

namespace {

constexpr double no_value = -std::numeric_limits<double>::infinity();
constexpr double least_share = 1e-9; // of the first threshold: smaller ones are not worth the time
constexpr double rounding = 4 * std::numeric_limits<double>::epsilon(); // below this, raising would change nothing

// The sets of one variable with their values.
class PricedList {
  public:
    explicit PricedList(const SetList &list)
        : values_(list.scores.begin(), list.scores.end()), view_(*list.masks), best_(values_.front()) {}

    [[nodiscard]] double spread() const noexcept { return best_ - std::ranges::min(values_); }
    [[nodiscard]] double magnitude() const noexcept {
        return std::max(std::abs(best_), std::abs(std::ranges::min(values_)));
    }

    void find_near(double threshold) {
        near_.clear();
        for (std::size_t set = 0; set < values_.size(); ++set) {
            if (values_[set] > best_ - threshold) {
                near_.push_back(static_cast<std::uint32_t>(set));
            }
        }
    }

    // Whether a set near the best has no member inside.
    [[nodiscard]] bool can_leave(std::span<const char> inside) noexcept {
        view_.show(inside);
        return std::ranges::any_of(near_, [&](std::uint32_t set) { return !view_.meets(set); });
    }

    // How much worse than the best all sets without a member inside are; infinite if there is none.
    [[nodiscard]] double room(std::span<const char> inside) noexcept {
        view_.show(inside);
        double apart = no_value;
        for (std::size_t set = 0; set < values_.size(); ++set) {
            if (values_[set] > apart && !view_.meets(set)) {
                apart = values_[set];
            }
        }
        return best_ - apart;
    }

    // Raises the sets without a member inside.
    void raise(std::span<const char> inside, double by) noexcept {
        view_.show(inside);
        for (std::size_t set = 0; set < values_.size(); ++set) {
            values_[set] += view_.meets(set) ? 0.0 : by;
        }
        best_ = std::max(best_, std::ranges::max(values_)); // rounding only
    }

  private:
    std::vector<double> values_;
    ClusterView view_;
    double best_;
    std::vector<std::uint32_t> near_;
};

class Ascent {
  public:
    Ascent(const SetTable &table, std::uint64_t seed, Budget &budget)
        : lists_(table.lists().begin(), table.lists().end()), inside_(lists_.size(), 0), random_(seed),
          budget_(budget) {}

    PricedClusters climb() {
        double threshold = 0;
        double magnitude = 0;
        for (const PricedList &list : lists_) {
            threshold = std::max(threshold, list.spread());
            magnitude = std::max(magnitude, list.magnitude());
        }
        const double last = std::max(least_share * threshold, rounding * magnitude);
        while (threshold > last && going()) {
            climb(threshold);
            threshold /= 2;
        }
        PricedClusters found;
        for (auto &[nodes, price] : prices_) {
            found.clusters.push_back({nodes, 1});
            found.prices.push_back(price);
        }
        found.stopped_by = budget_.reason();
        return found;
    }

  private:
    using Nodes = std::vector<Variable>;

    [[nodiscard]] bool going() const noexcept { return !budget_.exhausted(); }

    // Raises clusters until the threshold leaves none. Sets come near the best meanwhile, and none goes away:
    // what could leave once can leave again, so the search for a cluster starts where the last one ended.
    void climb(double threshold) {
        for (PricedList &list : lists_) {
            list.find_near(threshold);
        }
        Nodes rest(lists_.size());
        std::iota(rest.begin(), rest.end(), Variable{0});
        while (going()) {
            rest = stuck(std::move(rest));
            if (rest.empty()) {
                return;
            }
            const Nodes cluster = smallest(rest);
            enter(cluster);
            double by = std::numeric_limits<double>::infinity();
            for (const Variable v : cluster) {
                by = std::min(by, lists_[v].room(inside_));
            }
            if (!std::isfinite(by)) { // no graph has sets for all of them: nothing to bound
                leave(cluster);
                return;
            }
            for (const Variable v : cluster) {
                lists_[v].raise(inside_, by);
                lists_[v].find_near(threshold);
            }
            leave(cluster);
            prices_[cluster] += by;
        }
    }

    // Those of the nodes that remain when all have left that can, one after the other.
    Nodes stuck(Nodes nodes) {
        enter(nodes);
        for (std::size_t before = nodes.size() + 1; nodes.size() < before;) {
            before = nodes.size();
            std::size_t stay = 0;
            for (const Variable v : nodes) {
                if (lists_[v].can_leave(inside_)) {
                    inside_[v] = 0;
                } else {
                    nodes[stay++] = v;
                }
            }
            nodes.resize(stay);
        }
        leave(nodes);
        return nodes;
    }

    // A cluster within a stuck one that is no longer stuck without any of its nodes. Half of the nodes are left out at
    // first, then a quarter, and so on to single ones.
    Nodes smallest(Nodes nodes) {
        for (std::size_t at_once = nodes.size() / 2; at_once > 0 && going();) {
            bool smaller = false;
            random_.shuffle(nodes);
            for (std::size_t begin = 0; begin < nodes.size() && nodes.size() > 2;) {
                Nodes fewer(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(begin));
                const std::size_t end = std::min(nodes.size(), begin + at_once);
                fewer.insert(fewer.end(), nodes.begin() + static_cast<std::ptrdiff_t>(end), nodes.end());
                fewer = stuck(std::move(fewer));
                if (fewer.empty()) {
                    begin = end;
                    continue;
                }
                nodes = std::move(fewer);
                smaller = true;
                begin = 0;
            }
            at_once = smaller ? std::min(at_once, nodes.size() / 2) : at_once / 2;
        }
        std::ranges::sort(nodes);
        return nodes;
    }

    void enter(const Nodes &nodes) noexcept {
        for (const Variable v : nodes) {
            inside_[v] = 1;
        }
    }
    void leave(const Nodes &nodes) noexcept {
        for (const Variable v : nodes) {
            inside_[v] = 0;
        }
    }

    std::vector<PricedList> lists_;
    std::vector<char> inside_;
    Random random_;
    Budget &budget_;
    std::map<Nodes, double> prices_;
};

} // namespace

PricedClusters raise_prices(const SetTable &table, std::uint64_t seed, Budget &budget) {
    return Ascent(table, seed, budget).climb();
}

} // namespace arcwise
