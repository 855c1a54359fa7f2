#include "arcwise/dag_state.hpp"
#include "arcwise/initial_orders.hpp"

#include "out_arcs.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace arcwise {
namespace {

// The first half of Algorithm 4: finds cycles one after the other by walking along arcs, and takes from each arc of a
// cycle the weight of the lightest one; what falls to 0 is cut. After a cut the walk continues from where it still
// stands, so that all walks together look at each arc a few times only and take up to n steps for each cycle.
class CycleCutter {
  public:
    CycleCutter(const RelaxedGraph &graph, const std::vector<Arc> &listed)
        : graph_(graph), out_(graph, listed), weights_(graph.weights.begin(), graph.weights.end()),
          is_cut_(listed.size(), 0), states_(graph.n_nodes(), State::unseen), depths_(graph.n_nodes()),
          next_(graph.n_nodes(), 0) {}

    // Walks from one node until no cycle goes through it any more.
    void walk_from(Variable start) {
        if (states_[start] == State::done) {
            return;
        }
        enter(start);
        for (Variable tip = start; states_[start] != State::done;) {
            if (next_[tip] == out_.of(tip).size()) {
                states_[tip] = State::done;
                tip = tip == start ? start : step_back(path_.size() - 1);
                continue;
            }
            const Arc arc = out_.of(tip)[next_[tip]];
            const Variable head = out_.head(arc);
            if (is_cut_[arc] != 0 || states_[head] == State::done) {
                ++next_[tip];
                continue;
            }
            path_.push_back(arc);
            if (states_[head] == State::unseen) {
                enter(head);
                tip = head;
            } else {
                tip = step_back(lighten(depths_[head]));
            }
        }
    }

    [[nodiscard]] bool is_cut(Arc arc) const noexcept { return is_cut_[arc] != 0; }

  private:
    enum class State : char {
        unseen,
        on_path,
        done, // every arc out of it is cut or leads to such a node: it is on no cycle
    };

    void enter(Variable node) {
        states_[node] = State::on_path;
        depths_[node] = path_.size();
    }

    // Lightens the cycle that is the path from `begin` on; returns the position of the first arc that is cut.
    std::size_t lighten(std::size_t begin) {
        double lightest = std::numeric_limits<double>::infinity();
        for (std::size_t at = begin; at < path_.size(); ++at) {
            lightest = std::min(lightest, weights_[path_[at]]);
        }
        std::size_t first = path_.size();
        for (std::size_t at = path_.size(); at-- > begin;) {
            double &weight = weights_[path_[at]];
            if (weight == lightest) { // also where all are infinite, which no difference would tell
                is_cut_[path_[at]] = 1;
                first = at;
            } else {
                weight -= lightest;
            }
        }
        return first;
    }

    // Takes the arcs from this position on off the path; returns where the walk stands then.
    Variable step_back(std::size_t position) {
        const Variable tip = graph_.parents[path_[position]];
        for (std::size_t at = position; at < path_.size(); ++at) {
            const Variable head = out_.head(path_[at]);
            if (states_[head] == State::on_path && depths_[head] > position) {
                states_[head] = State::unseen;
            }
        }
        path_.resize(position);
        return tip;
    }

    const RelaxedGraph &graph_;
    OutArcs out_;
    std::vector<double> weights_;
    std::vector<char> is_cut_;
    std::vector<State> states_;
    std::vector<std::size_t> depths_; // of nodes on the path, how many arcs lead there
    std::vector<std::size_t> next_;   // of each node's arcs, the first that may still be on a cycle
    std::vector<Arc> path_;
};

} // namespace

std::vector<bool> feedback_arcs(const RelaxedGraph &graph, Random &random) {
    // Which cycle is found next depends on where walks begin and on which arc they follow first.
    auto arcs = numbers_below<Arc>(graph.parents.size());
    auto starts = numbers_below<Variable>(graph.n_nodes());
    random.shuffle(arcs);
    random.shuffle(starts);
    CycleCutter cutter(graph, arcs);
    for (const Variable start : starts) {
        cutter.walk_from(start);
    }

    ParentLists kept(graph.n_nodes());
    std::vector<std::pair<Arc, Variable>> cut; // with the node it leads to
    for (Variable node = 0; node < graph.n_nodes(); ++node) {
        for (auto arc = static_cast<Arc>(graph.begin[node]); arc < static_cast<Arc>(graph.begin[node + 1]); ++arc) {
            if (cutter.is_cut(arc)) {
                cut.emplace_back(arc, node);
            } else {
                kept[node].push_back(graph.parents[arc]);
            }
        }
    }
    random.shuffle(cut); // arcs of the same weight in any order
    std::stable_sort(cut.begin(), cut.end(),
                     [&](const auto &a, const auto &b) { return graph.weights[a.first] > graph.weights[b.first]; });

    DagState dag(std::move(kept));
    std::vector<bool> is_feedback(graph.parents.size(), false);
    for (const auto &[arc, node] : cut) {
        if (dag.can_add(graph.parents[arc], node)) {
            dag.add(graph.parents[arc], node);
        } else {
            is_feedback[arc] = true;
        }
    }
    return is_feedback;
}

} // namespace arcwise
