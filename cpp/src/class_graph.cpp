#include "arcwise/class_graph.hpp"

#include "arcwise/check.hpp"

#include <algorithm>
#include <numeric>

namespace arcwise {

ClassGraph::ClassGraph(const ParentLists &dag) : edges_(dag.size()), touched_by_(dag.size(), 0) {
    begin_change();
    for (Variable child = 0; child < n_nodes(); ++child) {
        for (const Variable parent : dag[child]) {
            join(parent, child);
        }
    }
    for (Variable child = 0; child < n_nodes(); ++child) {
        for (const Variable a : dag[child]) {
            for (const Variable b : dag[child]) {
                if (a != b && !adjacent(a).contains(b)) {
                    direct(a, child);
                }
            }
        }
        open_edges_at(child);
    }
    derive_open();
    begin_change();
}

bool ClassGraph::is_clique(NodeView nodes) const noexcept {
    return std::ranges::all_of(nodes,
                               [&](Variable node) { return nodes.count_outside(adjacent(node)) == 1; }); // itself
}

void ClassGraph::insert(Variable x, Variable y, NodeView clique) {
    begin_change();
    const NodeSet colliding = (NodeSet(parents(y)) | clique) - adjacent(x);
    const NodeSet common_children = NodeSet(children(x)) & children(y);
    join(x, y);
    if (!colliding.empty()) {
        direct(x, y);
        for (const Variable other : colliding) {
            direct(other, y);
        }
    }
    settle(x, y, common_children);
}

void ClassGraph::remove(Variable x, Variable y, NodeView clique) {
    begin_change();
    const NodeSet new_colliders = (NodeSet(neighbours(y)) & adjacent(x)) - clique;
    const NodeSet common_children = (NodeSet(children(x)) & children(y)) | new_colliders;
    disconnect(x, y);
    for (const Variable child : new_colliders) {
        direct(x, child);
        direct(y, child);
    }
    settle(x, y, common_children);
}

void ClassGraph::reverse(Variable x, Variable y, NodeView clique) {
    begin_change();
    const NodeSet colliding = (NodeSet(parents(y)) | clique) - adjacent(x);
    join(x, y);
    if (!colliding.empty()) {
        direct(x, y);
        for (const Variable other : colliding) {
            direct(other, y);
        }
    }
    settle(x, y, NodeSet());
}

void ClassGraph::begin_change() {
    doubtful_.clear();
    open_.clear();
    changed_.clear();
    if (!is_trial_) {
        before_.clear();
    }
    operator_begin_ = before_.size();
    ++operator_;
}

void ClassGraph::touch(Variable node) {
    if (touched_by_[node] != operator_) {
        touched_by_[node] = operator_;
        before_.emplace_back(node, edges_[node]);
    }
}

void ClassGraph::disconnect(Variable a, Variable b) {
    touch(a);
    touch(b);
    for (const auto &[from, to] : {Arc{a, b}, Arc{b, a}}) {
        edges_[to].parents.erase(from);
        edges_[from].children.erase(to);
        edges_[from].neighbours.erase(to);
        edges_[from].adjacent.erase(to);
    }
}

void ClassGraph::join(Variable a, Variable b) {
    disconnect(a, b);
    for (const auto &[from, to] : {Arc{a, b}, Arc{b, a}}) {
        edges_[from].neighbours.insert(to);
        edges_[from].adjacent.insert(to);
    }
}

void ClassGraph::direct(Variable a, Variable b) {
    if (parents(b).contains(a)) {
        return;
    }
    disconnect(a, b);
    edges_[b].parents.insert(a);
    edges_[a].children.insert(b);
    edges_[a].adjacent.insert(b);
    edges_[b].adjacent.insert(a);
    open_edges_at(b);
    for (const Variable other : neighbours(a)) {
        if (children(b).contains(other)) {
            open_.emplace_back(a, other);
        }
    }
}

void ClassGraph::settle(Variable x, Variable y, NodeView common_children) {
    doubt_arcs_at(x);
    doubt_arcs_at(y);
    for (const Variable child : common_children) {
        doubt_arcs_into(child);
    }
    withdraw_doubtful();
    open_edges_at(x);
    open_edges_at(y);
    for (const Variable child : common_children) {
        open_edges_at(child);
    }
    derive_open();
    end_change();
    ARCWISE_ASSERT(extension().has_value() && ClassGraph(*extension()) == *this);
}

void ClassGraph::doubt_arcs_at(Variable node) {
    doubt_arcs_into(node);
    for (const Variable child : children(node)) {
        doubtful_.emplace_back(node, child);
    }
}

void ClassGraph::doubt_arcs_into(Variable node) {
    for (const Variable parent : parents(node)) {
        doubtful_.emplace_back(parent, node);
    }
}

// Arcs that a rule may have got from a -> b.
void ClassGraph::doubt_consequences(Variable a, Variable b) {
    for (const Variable child : children(b)) {
        if (!adjacent(a).contains(child)) {
            doubtful_.emplace_back(b, child);
        } else if (children(a).contains(child)) {
            doubtful_.emplace_back(a, child);
        }
    }
    for (const Variable parent : parents(a)) {
        if (parents(b).contains(parent)) {
            doubtful_.emplace_back(parent, b);
        }
    }
}

void ClassGraph::withdraw_doubtful() {
    while (!doubtful_.empty()) {
        const auto [a, b] = doubtful_.back();
        doubtful_.pop_back();
        if (parents(b).contains(a) && !is_in_v_structure(a, b)) {
            join(a, b);
            open_.emplace_back(a, b);
            doubt_consequences(a, b);
        }
    }
}

void ClassGraph::derive_open() {
    while (!open_.empty()) {
        const auto [a, b] = open_.back();
        open_.pop_back();
        if (!neighbours(a).contains(b)) {
            continue;
        }
        if (must_lead(a, b)) {
            direct(a, b);
        } else if (must_lead(b, a)) {
            direct(b, a);
        }
    }
}

void ClassGraph::open_edges_at(Variable node) {
    for (const Variable other : neighbours(node)) {
        open_.emplace_back(node, other);
    }
}

void ClassGraph::end_change() {
    for (const auto &[node, before] : std::span(before_).subspan(operator_begin_)) {
        if (edges_[node] != before) {
            changed_.push_back(node);
        }
    }
}

void ClassGraph::go_back_to(std::size_t place) {
    for (; before_.size() > place; before_.pop_back()) {
        auto &[node, before] = before_.back();
        edges_[node] = std::move(before);
    }
    begin_change();
}

void ClassGraph::begin_trial() {
    is_trial_ = true;
    before_.clear();
    begin_change();
}

void ClassGraph::undo_trial() {
    go_back_to(0);
    is_trial_ = false;
}

void ClassGraph::keep_trial() {
    is_trial_ = false;
    begin_change();
}

bool ClassGraph::is_in_v_structure(Variable a, Variable b) const noexcept {
    return parents(b).count_outside(adjacent(a)) > 1; // a is one of them
}

bool ClassGraph::would_make_v_structure(Variable a, Variable b) const noexcept {
    return !parents(a).is_within(adjacent(b));
}

bool ClassGraph::would_close_cycle(Variable a, Variable b) const noexcept { return children(a).intersects(parents(b)); }

bool ClassGraph::would_force_v_structure(Variable a, Variable b) const {
    return !is_clique(NodeSet(neighbours(a)) & parents(b));
}

// Dor & Tarsi (1992), for each component of the undirected edges on its own: arcs between these bind nothing. With
// rules as well it does not matter which possible sink is taken first: in a graph that obeys them, its undirected edges
// may be directed into it. That closes no cycle, changes no v-structure, and other nodes only lose parents. The one
// with the largest number is tried first.
template <class Use>
bool ClassGraph::take_away_sinks(std::span<const Variable> region, const ArcRules *rules, Use &&use) const {
    std::vector<bool> is_left(region.size(), true);
    std::vector<bool> is_on_trial(region.size(), true);
    std::vector<std::size_t> trials(region.size()); // a heap
    std::iota(trials.rbegin(), trials.rend(), std::size_t{0});
    const auto place_of = [&](Variable node) {
        return static_cast<std::size_t>(std::ranges::lower_bound(region, node) - region.begin());
    };
    std::size_t n_left = region.size();
    NodeSet lines;
    while (!trials.empty()) {
        std::ranges::pop_heap(trials);
        const std::size_t at = trials.back();
        const Variable node = region[at];
        trials.pop_back();
        is_on_trial[at] = false;
        lines.clear();
        for (const Variable other : neighbours(node)) {
            if (is_left[place_of(other)]) {
                lines.insert(other);
            }
        }
        if (!is_left[at] || !may_be_sink(node, lines, rules)) {
            continue;
        }
        use(node, lines);
        is_left[at] = false;
        --n_left;
        for (const Variable other : lines) {
            const std::size_t place = place_of(other);
            if (!is_on_trial[place]) {
                is_on_trial[place] = true;
                trials.push_back(place);
                std::ranges::push_heap(trials);
            }
        }
    }
    return n_left == 0;
}

bool ClassGraph::may_be_sink(Variable node, NodeView lines, const ArcRules *rules) const {
    if (!is_clique(lines)) {
        return false;
    }
    const auto is_allowed = [&](Variable parent) { return rules->is_allowed(node, parent); };
    return rules == nullptr ||
           (std::ranges::all_of(lines, is_allowed) && std::ranges::all_of(parents(node), is_allowed) &&
            lines.size() + parents(node).size() <= static_cast<std::size_t>(rules->max_parents[node]));
}

std::optional<ParentLists> ClassGraph::extension(const ArcRules *rules) const {
    ParentLists dag(n_nodes());
    std::vector<Variable> all(n_nodes());
    std::iota(all.begin(), all.end(), Variable{0});
    const bool found = take_away_sinks(
        all, rules, [&](Variable node, const NodeSet &lines) { dag[node] = (lines | parents(node)).list(); });
    return found && has_required(rules) ? std::optional(std::move(dag)) : std::nullopt;
}

// Their directions are right where the opposite ones are not allowed.
bool ClassGraph::has_required(const ArcRules *rules) const noexcept {
    bool has_all = true;
    for (Variable child = 0; rules != nullptr && rules->requires_any() && child < n_nodes(); ++child) {
        for (const Variable parent : rules->required_parents(child)) {
            has_all = has_all && adjacent(child).contains(parent);
        }
    }
    return has_all;
}

bool ClassGraph::still_obeys(const ArcRules &rules) const {
    NodeSet region; // the components with a changed node
    std::vector<Variable> ahead = changed_;
    while (!ahead.empty()) {
        const Variable node = ahead.back();
        ahead.pop_back();
        if (!region.contains(node)) {
            region.insert(node);
            ahead.insert(ahead.end(), neighbours(node).begin(), neighbours(node).end());
        }
    }
    return take_away_sinks(region.list(), &rules, [](Variable, const NodeSet &) {});
}

} // namespace arcwise
