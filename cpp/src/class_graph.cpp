#include "arcwise/class_graph.hpp"

#include "arcwise/check.hpp"

namespace arcwise {

ClassGraph::ClassGraph(const ParentLists &dag)
    : n_(dag.size()), parents_(n_), children_(n_), neighbours_(n_), adjacent_(n_), next_(n_), is_touched_(n_) {
    for (Variable child = 0; child < n_; ++child) {
        for (const Variable parent : dag[child]) {
            join(parent, child);
        }
    }
    for (Variable child = 0; child < n_; ++child) {
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
    for (Variable node = 0; node < n_; ++node) {
        list_next(node);
    }
}

std::vector<Variable> ClassGraph::paths(Variable start, NodeView closed) const {
    std::vector<Variable> before(n_, nobody);
    std::vector<Variable> ahead{start};
    before[start] = start;
    NodeSet seen(closed);
    seen.insert(start);
    for (std::size_t i = 0; i < ahead.size(); ++i) {
        const Variable node = ahead[i];
        for (const Variable next : next_[node]) {
            if (!seen.contains(next)) {
                seen.insert(next);
                before[next] = node;
                ahead.push_back(next);
            }
        }
    }
    return before;
}

bool ClassGraph::reaches(Variable start, NodeView closed, NodeView targets) const {
    std::vector<Variable> ahead{start};
    NodeSet seen(closed);
    seen.insert(start);
    bool is_reached = false;
    for (std::size_t i = 0; i < ahead.size() && !is_reached; ++i) {
        const Variable node = ahead[i];
        for (const Variable next : next_[node]) {
            if (!seen.contains(next)) {
                seen.insert(next);
                is_reached = is_reached || targets.contains(next);
                ahead.push_back(next);
            }
        }
    }
    return is_reached;
}

bool ClassGraph::is_clique(NodeView nodes) const noexcept {
    bool is_one = true;
    nodes.for_each([&](Variable node) { is_one = is_one && nodes.count_outside(adjacent(node)) == 1; }); // itself
    return is_one;
}

void ClassGraph::insert(Variable x, Variable y, NodeView clique) {
    begin_change();
    const NodeSet colliding = (NodeSet(parents(y)) | clique) - adjacent(x);
    const NodeSet common_children = NodeSet(children(x)) & children(y);
    join(x, y);
    if (!colliding.empty()) {
        direct(x, y);
        colliding.for_each([&](Variable other) { direct(other, y); });
    }
    settle(x, y, common_children);
}

void ClassGraph::remove(Variable x, Variable y, NodeView clique) {
    begin_change();
    const NodeSet new_colliders = (NodeSet(neighbours(y)) & adjacent(x)) - clique;
    const NodeSet common_children = (NodeSet(children(x)) & children(y)) | new_colliders;
    disconnect(x, y);
    new_colliders.for_each([&](Variable child) {
        direct(x, child);
        direct(y, child);
    });
    settle(x, y, common_children);
}

void ClassGraph::reverse(Variable x, Variable y, NodeView clique) {
    begin_change();
    const NodeSet colliding = (NodeSet(parents(y)) | clique) - adjacent(x);
    join(x, y);
    if (!colliding.empty()) {
        direct(x, y);
        colliding.for_each([&](Variable other) { direct(other, y); });
    }
    settle(x, y, NodeSet(n_));
}

void ClassGraph::begin_change() {
    doubtful_.clear();
    open_.clear();
    is_touched_.clear();
    touched_.clear();
    before_.clear();
    changed_.clear();
}

void ClassGraph::touch(Variable node) {
    if (is_touched_.contains(node)) {
        return;
    }
    is_touched_.insert(node);
    touched_.push_back(node);
    for (const NodeView row : {parents(node), children(node), neighbours(node)}) {
        before_.insert(before_.end(), row.words().begin(), row.words().end());
    }
}

void ClassGraph::disconnect(Variable a, Variable b) {
    touch(a);
    touch(b);
    for (const auto &[from, to] : {Arc{a, b}, Arc{b, a}}) {
        parents_.erase(to, from);
        children_.erase(from, to);
        neighbours_.erase(from, to);
        adjacent_.erase(from, to);
    }
}

void ClassGraph::join(Variable a, Variable b) {
    disconnect(a, b);
    for (const auto &[from, to] : {Arc{a, b}, Arc{b, a}}) {
        neighbours_.insert(from, to);
        adjacent_.insert(from, to);
    }
}

void ClassGraph::direct(Variable a, Variable b) {
    if (parents(b).contains(a)) {
        return;
    }
    disconnect(a, b);
    parents_.insert(b, a);
    children_.insert(a, b);
    adjacent_.insert(a, b);
    adjacent_.insert(b, a);
    open_edges_at(b);
    (NodeSet(neighbours(a)) & children(b)).for_each([&](Variable other) { open_.emplace_back(a, other); });
}

void ClassGraph::settle(Variable x, Variable y, NodeView common_children) {
    doubt_arcs_at(x);
    doubt_arcs_at(y);
    common_children.for_each([&](Variable child) { doubt_arcs_into(child); });
    withdraw_doubtful();
    open_edges_at(x);
    open_edges_at(y);
    common_children.for_each([&](Variable child) { open_edges_at(child); });
    derive_open();
    end_change();
    ARCWISE_ASSERT(extension().has_value() && ClassGraph(*extension()) == *this);
}

void ClassGraph::doubt_arcs_at(Variable node) {
    doubt_arcs_into(node);
    children(node).for_each([&](Variable child) { doubtful_.emplace_back(node, child); });
}

void ClassGraph::doubt_arcs_into(Variable node) {
    parents(node).for_each([&](Variable parent) { doubtful_.emplace_back(parent, node); });
}

// Arcs that a rule may have got from a -> b.
void ClassGraph::doubt_consequences(Variable a, Variable b) {
    children(b).for_each([&](Variable child) {
        if (!adjacent(a).contains(child)) {
            doubtful_.emplace_back(b, child);
        } else if (children(a).contains(child)) {
            doubtful_.emplace_back(a, child);
        }
    });
    (NodeSet(parents(a)) & parents(b)).for_each([&](Variable parent) { doubtful_.emplace_back(parent, b); });
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
    neighbours(node).for_each([&](Variable other) { open_.emplace_back(node, other); });
}

void ClassGraph::end_change() {
    const std::uint64_t *before = before_.data();
    for (const Variable node : touched_) {
        bool is_same = true;
        for (const NodeView row : {parents(node), children(node), neighbours(node)}) {
            is_same = std::equal(row.words().begin(), row.words().end(), before) && is_same;
            before += row.words().size();
        }
        if (!is_same) {
            changed_.push_back(node);
            list_next(node);
        }
    }
}

void ClassGraph::list_next(Variable node) {
    next_[node].clear();
    adjacent(node).for_each([&](Variable other) {
        if (!parents(node).contains(other)) {
            next_[node].push_back(other);
        }
    });
}

void ClassGraph::undo() {
    const std::size_t width = NodeSet(n_).view().words().size();
    std::span<const std::uint64_t> before = before_;
    for (const Variable node : touched_) {
        for (NodeRows *rows : {&parents_, &children_, &neighbours_}) {
            rows->assign(node, NodeView(before.first(width)));
            before = before.subspan(width);
        }
        adjacent_.assign(node, (NodeSet(parents(node)) | children(node)) | neighbours(node));
        list_next(node);
    }
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
// may be directed into it. That closes no cycle, changes no v-structure, and other nodes only lose parents.
template <class Use> bool ClassGraph::take_away_sinks(NodeSet left, const ArcRules *rules, Use &&use) const {
    NodeSet trials = left;
    while (!trials.empty()) {
        const Variable node = trials.view().last();
        trials.erase(node);
        const NodeSet lines = NodeSet(neighbours(node)) & left;
        if (may_be_sink(node, lines, rules)) {
            use(node, lines);
            left.erase(node);
            trials |= lines;
        }
    }
    return left.empty();
}

bool ClassGraph::may_be_sink(Variable node, NodeView lines, const ArcRules *rules) const {
    bool is_possible = is_clique(lines);
    if (rules == nullptr || !is_possible) {
        return is_possible;
    }
    const auto check_allowed = [&](Variable parent) { is_possible = is_possible && rules->is_allowed(node, parent); };
    lines.for_each(check_allowed);
    parents(node).for_each(check_allowed);
    return is_possible && lines.size() + parents(node).size() <= static_cast<std::size_t>(rules->max_parents[node]);
}

std::optional<ParentLists> ClassGraph::extension(const ArcRules *rules) const {
    ParentLists dag(n_);
    NodeSet all(n_);
    for (Variable node = 0; node < n_; ++node) {
        all.insert(node);
    }
    const bool found = take_away_sinks(std::move(all), rules, [&](Variable node, const NodeSet &lines) {
        (lines | parents(node)).for_each([&](Variable parent) { dag[node].push_back(parent); });
    });
    return found && has_required(rules) ? std::optional(std::move(dag)) : std::nullopt;
}

// Their directions are right where the opposite ones are not allowed.
bool ClassGraph::has_required(const ArcRules *rules) const noexcept {
    for (std::size_t i = 0; rules != nullptr && i < rules->required.size(); ++i) {
        if (rules->required[i] && !adjacent(static_cast<Variable>(i / n_)).contains(static_cast<Variable>(i % n_))) {
            return false;
        }
    }
    return true;
}

bool ClassGraph::still_obeys(const ArcRules &rules) const {
    NodeSet region(n_); // the components with a changed node
    std::vector<Variable> ahead = changed_;
    while (!ahead.empty()) {
        const Variable node = ahead.back();
        ahead.pop_back();
        if (!region.contains(node)) {
            region.insert(node);
            neighbours(node).for_each([&](Variable other) { ahead.push_back(other); });
        }
    }
    return take_away_sinks(std::move(region), &rules, [](Variable, const NodeSet &) {});
}

} // namespace arcwise
