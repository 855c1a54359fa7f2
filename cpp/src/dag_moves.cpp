#include "arcwise/dag_moves.hpp"

#include <algorithm>
#include <utility>

namespace arcwise {

StepGains::StepGains(LeadingRows &rows, const ArcRules &rules, const DagState &dag, DagNeighbourhood neighbourhood,
                     Budget &budget, Team &team)
    : rows_(rows), score_(rows.score()), rules_(rules), dag_(dag), budget_(budget), team_(team),
      with_swaps_(neighbourhood.moves != DagMoves::add_delete_reverse),
      with_reversals_(neighbourhood.moves != DagMoves::break_cycles), with_losses_(neighbourhood.with_losses),
      tolerance_(score_.rounding()), nodes_(dag.n_nodes()) {
    if (neighbourhood.forbids_pairs) {
        forbidden_.emplace(rules, dag.n_nodes());
    }
}

void StepGains::prepare(std::span<const Variable> nodes) {
    std::vector<Family> families;
    for (const Variable node : nodes) {
        learn_rules(node);
        if (shares_rows(node) && !with_losses_ && has_room(node)) {
            families.push_back({node, dag_.parents(node)});
        }
    }
    rows_.prepare(families, budget_, team_);
}

bool StepGains::refresh(Variable node, double local) {
    const auto parents = dag_.parents(node);
    Node &its = nodes_[node];
    learn_rules(node);
    its.local = local;
    its.additions = {};
    its.arcs.assign(parents.size(), {});
    if (has_room(node)) {
        its.additions = ranked(first_row({node, parents}), local, 0.0);
        if (its.additions.row == nullptr) {
            return false;
        }
        if (forbids_pairs()) {
            look_around(node);
        }
    }
    std::vector<double> removed(parents.size());
    score_.removals(node, parents, removed, &budget_);
    for (std::size_t i = 0; i < parents.size(); ++i) {
        its.arcs[i].deletion = removed[i] - local;
        its.arcs[i].is_required = rules_.is_required(node, parents[i]);
        if (forbids_pairs() && its.arcs[i].deletion > tolerance_) {
            forbidden_->insert(node, parents[i]);
        }
    }
    for (std::size_t i = 0; with_swaps_ && i < parents.size(); ++i) {
        if (!its.arcs[i].is_required) {
            const std::vector<Variable> rest = family_without(node, parents[i]);
            its.arcs[i].swaps = ranked(first_row({node, rest}), local, its.arcs[i].deletion);
            if (its.arcs[i].swaps.row == nullptr) {
                return false;
            }
        }
    }
    return true;
}

void StepGains::refresh_reversals(Variable node) {
    for (const Variable parent : dag_.parents(node)) {
        refresh_reversal(node, parent);
    }
}

void StepGains::refresh_reversal(Variable node, Variable parent) {
    Arc &its = arc(node, parent);
    if (with_reversals_ && !its.is_required) {
        its.reversed = addition(parent, node);
    }
}

double StepGains::bound(Variable node) const noexcept {
    const Node &its = nodes_[node];
    double most = head(its, its.additions);
    for (const Arc &arc : its.arcs) {
        if (!arc.is_required) {
            most = std::max({most, arc.deletion, arc.reversal(), head(its, arc.swaps)});
        }
    }
    return most;
}

double StepGains::head(const Node &node, const Ranked &list) const noexcept {
    const bool has_open = list.row != nullptr && list.first_open < list.row->scores.size();
    return has_open ? list.row->scores[list.first_open] - node.local : list.of_others;
}

StepGains::Ranked StepGains::ranked(LeadingRows::Row row, double local, double without) const {
    double of_others = impossible;
    if (row != nullptr && !row->is_whole) {
        of_others = row->has_all_improvements ? without + tolerance_ : row->scores.back() - local;
    }
    return {std::move(row), of_others};
}

double StepGains::addition(Variable node, Variable x) const { return addition_above(node, x, impossible); }

double StepGains::addition_above(Variable node, Variable x, double floor) const {
    const Node &its = nodes_[node];
    if (its.additions.row == nullptr || !rules_.is_allowed(node, x) || is_forbidden(node, x)) {
        return impossible;
    }
    const auto &[scores, variables, is_whole, has_all_improvements] = *its.additions.row;
    for (std::size_t k = 0; k < scores.size(); ++k) {
        if (scores[k] - its.local <= floor) {
            return impossible;
        }
        if (variables[k] == x) {
            return scores[k] - its.local;
        }
    }
    if (is_whole || (has_all_improvements && floor >= tolerance_)) {
        return impossible;
    }
    const auto parents = dag_.parents(node);
    const double gain = score_.local(node, with_one_more(parents, x), &budget_) - its.local;
    return gain > floor ? gain : impossible;
}

void StepGains::open(Variable node) noexcept {
    nodes_[node].additions.first_open = 0;
    for (Arc &arc : nodes_[node].arcs) {
        arc.is_closed = false;
        arc.swaps.first_open = 0;
    }
}

std::vector<Variable> StepGains::family_without(Variable node, Variable out) const {
    const auto parents = dag_.parents(node);
    std::vector<Variable> family(parents.begin(), parents.end());
    std::erase(family, out);
    return family;
}

bool StepGains::lengthen(Variable node, Variable out, Ranked &list) {
    constexpr std::size_t times = 4;
    const std::vector<Variable> family = family_without(node, out);
    LeadingRows::Row longer = row({node, family}, std::max(leading_length, times * list.row->scores.size()));
    if (longer == nullptr) {
        return false;
    }
    const std::size_t first_open = list.first_open;
    list = ranked(std::move(longer), nodes_[node].local, 0.0);
    list.first_open = first_open;
    return true;
}

void StepGains::learn_rules(Variable node) {
    Node &its = nodes_[node];
    if (std::exchange(its.is_known, true)) {
        return;
    }
    std::size_t n_allowed = rules_.allows_all() ? nodes_.size() - 1 : 0;
    if (!rules_.allows_all()) {
        rules_.for_each_allowed(node, [&](Variable) { ++n_allowed; });
    }
    its.is_free = 4 * n_allowed >= 3 * (nodes_.size() - 1);
}

// Rows of nodes that may have nearly all others as parents are those of all, which other climbs have too.
LeadingRows::Row StepGains::row(const Family &family, std::size_t length) {
    return shares_rows(family.child) ? rows_.row(family, length, budget_, team_) : row_of_allowed(family, length);
}

// Those of other nodes are remembered here, because breaking cycles asks for the same ones again and again; not where
// pairs are forbidden on the way, which changes them.
LeadingRows::Row StepGains::row_of_allowed(const Family &family, std::size_t length) {
    constexpr std::size_t most_counted = 64;
    if (forbids_pairs()) {
        return counted_row(family, length);
    }
    auto &counted = nodes_[family.child].counted;
    const SetKey key = score_.keys().of(family.parents);
    if (const auto known = counted.find(key);
        known != counted.end() && (known->second->is_whole || known->second->scores.size() >= length)) {
        return known->second;
    }
    LeadingRows::Row found = counted_row(family, length);
    if (found != nullptr) {
        if (counted.size() >= most_counted) {
            counted.clear();
        }
        counted.insert_or_assign(key, found);
    }
    return found;
}

LeadingRows::Row StepGains::first_row(const Family &family) {
    return shares_rows(family.child) && !with_losses_ ? rows_.improvements(family, budget_, team_)
                                                      : row(family, leading_length);
}

LeadingRows::Row StepGains::counted_row(const Family &family, std::size_t length) const {
    const std::vector<Variable> allowed = candidates(family);
    std::vector<double> scores(allowed.size());
    if (!score_.additions(family.child, family.parents, allowed, scores, &budget_)) {
        return nullptr;
    }
    // Where pairs are forbidden, few are left; and those that become so must not shift a longer row.
    const std::size_t kept = forbids_pairs() ? allowed.size() : length;
    return std::make_shared<const LeadingRow>(leading_row(allowed, scores, kept));
}

std::vector<Variable> StepGains::candidates(const Family &family) const {
    const auto &[node, parents] = family;
    std::vector<Variable> found;
    const auto take = [&](Variable x) {
        if (!is_forbidden(node, x) && std::ranges::find(parents, x) == parents.end()) {
            found.push_back(x);
        }
    };
    if (forbids_pairs() && forbidden_->has_looked(node)) {
        std::ranges::for_each(forbidden_->left(node), take);
    } else {
        rules_.for_each_allowed(node, take);
    }
    return found;
}

void StepGains::look_around(Variable node) {
    Node &its = nodes_[node];
    LeadingRow row = *its.additions.row;
    const auto is_losing = [&](double score) { return score - its.local < -tolerance_; };
    const auto n_left = static_cast<std::size_t>(std::ranges::find_if(row.scores, is_losing) - row.scores.begin());
    row.scores.resize(n_left);
    row.variables.resize(n_left);
    row.scores.shrink_to_fit();
    row.variables.shrink_to_fit();
    std::vector<Variable> open = row.variables;
    std::ranges::copy_if(dag_.parents(node), std::back_inserter(open),
                         [&](Variable parent) { return !is_forbidden(node, parent); });
    std::ranges::sort(open);
    forbidden_->leave(node, std::move(open));
    its.additions = {std::make_shared<const LeadingRow>(std::move(row))};
}

} // namespace arcwise
