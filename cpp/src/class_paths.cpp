#include "arcwise/class_paths.hpp"

namespace arcwise {

void ClassPaths::Side::restart() {
    if (++now_ == 0) { // all numbers have been used
        std::ranges::fill(seen_at_, 0);
        now_ = 1;
    }
    queue_.clear();
    next_ = 0;
}

void ClassPaths::Side::see(Variable node, Variable from) {
    seen_at_[node] = now_;
    from_[node] = from;
    queue_.push_back(node);
}

void ClassPaths::begin(Variable start, NodeView closed) {
    if (is_known_ && start == start_ && closed == closed_) {
        return;
    }
    is_known_ = true;
    start_ = start;
    closed_ = NodeSet(closed);
    ahead_.restart();
    ahead_.see(start, start);
}

bool ClassPaths::step(Side &side, const Side &other, Variable node, NodeView next) {
    bool meets = false;
    for (const Variable one : next) {
        if (!side.has_seen(one) && !closed_.contains(one)) {
            side.see(one, node);
            if (!meets && other.has_seen(one)) {
                meets = true;
                meeting_ = one;
            }
        }
    }
    return meets;
}

bool ClassPaths::lead(const ClassGraph &graph, Variable start, NodeView closed, NodeView targets) {
    begin(start, closed);
    behind_.restart();
    for (const Variable target : targets) {
        if (closed_.contains(target)) {
            continue;
        }
        behind_.see(target, target);
        if (ahead_.has_seen(target)) {
            meeting_ = target;
            return true;
        }
    }
    while (!ahead_.is_done() && !behind_.is_done()) {
        const Variable node = ahead_.take();
        // Both kinds of edges, even where the first one meets: a later target begins from here.
        const bool by_arc = step(ahead_, behind_, node, graph.children(node));
        const bool by_edge = step(ahead_, behind_, node, graph.neighbours(node));
        if (by_arc || by_edge) {
            return true;
        }
        const Variable last = behind_.take();
        if (step(behind_, ahead_, last, graph.parents(last)) || step(behind_, ahead_, last, graph.neighbours(last))) {
            return true;
        }
    }
    return false;
}

std::vector<Variable> ClassPaths::last() const {
    std::vector<Variable> nodes;
    ahead_.for_each_back(meeting_, [&](Variable node) { nodes.push_back(node); });
    behind_.for_each_back(meeting_, [&](Variable node) {
        if (node != meeting_) {
            nodes.push_back(node);
        }
    });
    return nodes;
}

} // namespace arcwise
