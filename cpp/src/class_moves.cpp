#include "arcwise/class_moves.hpp"

#include "arcwise/class_reversals.hpp"
#include "arcwise/shared_additions.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace arcwise {
namespace {

// A limit on parents says nothing where the node may not be joined to more others either.
bool forbid_no_parents(const ArcRules &rules, std::size_t n) {
    for (Variable node = 0; node < n; ++node) {
        const auto most = static_cast<std::size_t>(rules.max_parents[node]);
        if (most + 1 < n && rules.may_join_more(node, most)) {
            return false;
        }
    }
    return true;
}

bool may_join(const ArcRules &rules, Variable a, Variable b) {
    return rules.is_allowed(a, b) || rules.is_allowed(b, a);
}

// Whether all graphs of a class obey the rules, or none: who may be joined to whom, and to how many, is the same for
// all of them.
bool ignore_directions(const ArcRules &rules, std::size_t n) {
    return !rules.requires_any() && forbid_no_parents(rules, n) && rules.is_symmetric();
}

// All graphs of a class join the same nodes.
bool join_allowed(const ArcRules &rules, const ClassGraph &graph) {
    for (Variable node = 0; node < graph.n_nodes(); ++node) {
        const NodeView others = graph.adjacent(node);
        if (!std::ranges::all_of(others, [&](Variable other) { return may_join(rules, node, other); }) ||
            (rules.limits_degrees() && others.size() > static_cast<std::size_t>(rules.max_degree[node]))) {
            return false;
        }
    }
    return true;
}

} // namespace

ClassMoves::ClassMoves(AdditionRows &additions, const ArcRules &rules, AllowedMoves allowed_moves,
                       const ParentLists &start, Budget &budget, Team &team)
    : additions_(additions), local_(additions.score()), rules_(rules), allowed_moves_(allowed_moves), budget_(budget),
      team_(team), is_free_(ignore_directions(rules, start.size())), tolerance_(2.0 * local_.rounding()), graph_(start),
      cliques_(start.size()), ranked_(n_move_kinds, Tournament(start.size())), watches_(start.size()),
      watchers_(start.size()), paths_(start.size()), twin_paths_(start.size()), cliques_kept_in_(start.size(), 0),
      watch_kept_in_(start.size(), 0) {
    if (!join_allowed(rules_, graph_) || (!is_free_ && !graph_.extension(&rules_))) {
        throw std::invalid_argument("no graph of the class obeys the rules");
    }
    best_.fill(std::vector<double>(start.size(), nothing));
    for (Variable node = 0; node < start.size(); ++node) {
        score_ += local_.local(node, start[node], &budget_);
    }
    std::vector<Variable> all(start.size());
    std::iota(all.begin(), all.end(), Variable{0});
    prepare(all);
    refresh(all);
}

// What all insertions at these nodes gain, in one batch.
void ClassMoves::prepare(std::span<const Variable> nodes) {
    std::vector<std::pair<Variable, std::vector<Variable>>> all;
    for (const Variable y : nodes) {
        graph_.for_each_clique(y, [&](const NodeSet &members) {
            all.emplace_back(y, (members | graph_.parents(y)).list());
            return true;
        });
    }
    std::vector<Family> families;
    families.reserve(all.size());
    for (const auto &[y, parents] : all) {
        families.push_back({y, parents});
    }
    additions_.prepare(families, budget_, team_);
}

// Each node has places of its own for what is found.
void ClassMoves::refresh(std::span<const Variable> nodes) {
    keep_for_undo(nodes);
    stop_watching(nodes);
    std::atomic<bool> is_done{is_complete_};
    team_.spread(nodes.size(), cost_of_additions(local_.engine(), 1), [&](std::size_t, std::size_t i) {
        if (is_done.load(std::memory_order_relaxed) && !refresh(nodes[i])) {
            is_done.store(false, std::memory_order_relaxed);
        }
    });
    is_complete_ = is_done.load(std::memory_order_relaxed);
    for (const Variable y : nodes) {
        for (std::size_t kind = 0; kind < n_move_kinds; ++kind) {
            ranked_[kind].set(y, best_[kind][y]);
        }
    }
}

void ClassMoves::keep_for_undo(std::span<const Variable> nodes) {
    for (const Variable y : nodes) {
        keep_watch_for_undo(y);
        if (before_trial_ && cliques_kept_in_[y] != trial_) {
            cliques_kept_in_[y] = trial_;
            before_trial_->cliques.emplace_back(y, std::move(cliques_[y]));
        }
    }
}

void ClassMoves::keep_watch_for_undo(Variable y) {
    if (before_trial_ && watch_kept_in_[y] != trial_) {
        watch_kept_in_[y] = trial_;
        before_trial_->watches.emplace_back(y, watches_[y]);
    }
}

bool ClassMoves::refresh(Variable y) {
    cliques_[y].clear();
    for (auto &best : best_) {
        best[y] = nothing;
    }
    return graph_.for_each_clique(y, [&](const NodeSet &members) {
        Clique &clique = cliques_[y].emplace_back(Clique{members, {}});
        const std::vector<Variable> family = (members | graph_.parents(y)).list();
        double own = 0.0;
        if (!find_inserts(y, clique, family, own)) {
            return false;
        }
        find_removals(y, clique, family, own);
        if (allowed_moves_.with_reversals) {
            find_reversals(y, clique, family, own);
        }
        for (std::size_t kind = 0; kind < n_move_kinds; ++kind) {
            auto &candidates = clique.candidates[kind];
            std::ranges::sort(candidates, std::greater<>(), &Candidate::gain);
            best_[kind][y] = std::max(best_[kind][y], candidates.empty() ? nothing : candidates.front().gain);
        }
        return !budget_.exhausted();
    });
}

// Every x that may be joined to y, is not adjacent to y, and to no neighbour of y outside the clique. `own` is set to
// the score of y with the family.
bool ClassMoves::find_inserts(Variable y, Clique &clique, const std::vector<Variable> &family, double &own) {
    auto &inserts = clique.candidates[index(MoveKind::insert)];
    const NodeSet other_neighbours = NodeSet(graph_.neighbours(y)) - clique.members;
    const auto fits = [&](Variable x) {
        return x != y && may_join(rules_, x, y) && !graph_.adjacent(y).contains(x) &&
               !graph_.adjacent(x).intersects(other_neighbours);
    };
    if (allowed_moves_.with_losing_inserts) {
        own = local_.local(y, family, &budget_);
        for (Variable x = 0; x < graph_.n_nodes(); ++x) {
            if (budget_.exhausted()) {
                return false;
            }
            if (fits(x)) {
                inserts.push_back({local_with(y, family, x) - own, x});
            }
        }
        return true;
    }
    auto known = additions_.lock(y);
    const auto row = known.row(family, budget_, team_);
    if (!row) {
        return false;
    }
    own = row->own;
    for (std::size_t i = 0; i < row->variables.size(); ++i) {
        const double gain = row->scores[i] - own;
        if (gain > tolerance_ && fits(row->variables[i])) {
            inserts.push_back({gain, row->variables[i]});
        }
    }
    return true;
}

// Every x -> y, and x - y, that is adjacent to the whole clique. An undirected edge is deleted from one side only: both
// lead to the same class.
void ClassMoves::find_removals(Variable y, Clique &clique, const std::vector<Variable> &family, double own) {
    auto &removals = clique.candidates[index(MoveKind::remove)];
    for (const Variable x : graph_.parents(y)) {
        if (clique.members.view().is_within(graph_.adjacent(x))) {
            removals.push_back({local_without(y, family, x) - own, x});
        }
    }
    for (const Variable x : graph_.neighbours(y)) {
        if (x < y && clique.members.view().is_within(graph_.adjacent(x))) { // x itself is not adjacent to x
            removals.push_back({own - local_with(y, family, x), x});
        }
    }
}

// y -> x with all common neighbours in the clique, and y - x with some of the clique not adjacent to x, which makes a
// v-structure of them at y.
void ClassMoves::find_reversals(Variable y, Clique &clique, const std::vector<Variable> &family, double own) {
    auto &reversals = clique.candidates[index(MoveKind::reverse)];
    for (const Variable x : graph_.children(y)) {
        if (graph_.neighbours(y).meets_only_within(graph_.adjacent(x), clique.members)) {
            const std::vector<Variable> before(graph_.parents(x).begin(), graph_.parents(x).end());
            const double loss = local_.local(x, before, &budget_) - local_without(x, before, y);
            reversals.push_back({local_with(y, family, x) - own - loss, x});
        }
    }
    for (const Variable x : graph_.neighbours(y)) {
        if (!clique.members.contains(x) && !clique.members.view().is_within(graph_.adjacent(x))) {
            const NodeSet shared = NodeSet(clique.members) & graph_.adjacent(x);
            const std::vector<Variable> after = (shared | graph_.parents(x)).list();
            const double loss = local_with(x, after, y) - local_.local(x, after, &budget_);
            reversals.push_back({local_with(y, family, x) - own - loss, x});
        }
    }
}

double ClassMoves::local_with(Variable child, std::vector<Variable> family, Variable more) const {
    // In order: sums in another order differ in their last bits, and so would scores by who counted them first.
    family.insert(std::ranges::lower_bound(family, more), more);
    return local_.local(child, family, &budget_);
}

double ClassMoves::local_without(Variable child, std::vector<Variable> family, Variable less) const {
    std::erase(family, less);
    return local_.local(child, family, &budget_);
}

bool ClassMoves::is_possible(const Move &move) {
    const NodeSet &clique = cliques_[move.y][move.clique].members;
    switch (move.kind) {
    case MoveKind::insert: // paths from y to x would become cycles, but for those that the clique blocks: it is above y
        return !paths_.lead(graph_, move.y, clique, NodeSet{move.x});
    case MoveKind::reverse:
        return can_reverse(graph_, move.x, move.y, clique, paths_);
    case MoveKind::remove:
        break;
    }
    return true;
}

void ClassMoves::watch_path(const Move &impossible) {
    if (impossible.kind != MoveKind::insert) {
        return;
    }
    const Variable y = impossible.y;
    keep_watch_for_undo(y);
    Watch &watch = watches_[y];
    for (const Variable node : paths_.last()) {
        if (!watch.barrier.contains(node)) {
            watch.barrier.insert(node);
            watchers_[node].push_back({y, watch.number});
        }
    }
}

std::size_t ClassMoves::first_open(const Place &place) const noexcept {
    const auto &[kind, y, clique] = place;
    const auto &candidates = cliques_[y][clique].candidates[index(kind)];
    if (kind != MoveKind::insert || watches_[y].above == none_ruled_out) {
        return 0;
    }
    const auto first = std::ranges::lower_bound(candidates, watches_[y].above, std::greater<>(), &Candidate::gain);
    return static_cast<std::size_t>(first - candidates.begin());
}

void ClassMoves::rule_out_inserts(Variable y, double above) {
    keep_watch_for_undo(y);
    watches_[y].above = above;
    find_best(y, MoveKind::insert);
}

void ClassMoves::find_best(Variable y, MoveKind kind) {
    double &best = best_[index(kind)][y];
    best = nothing;
    for (std::uint32_t i = 0; i < cliques_[y].size(); ++i) {
        const auto &candidates = cliques_[y][i].candidates[index(kind)];
        const std::size_t open = first_open({kind, y, i});
        best = std::max(best, open < candidates.size() ? candidates[open].gain : nothing);
    }
    ranked_[index(kind)].set(y, best);
}

// Its watchers notice when they look next.
void ClassMoves::stop_watching(std::span<const Variable> nodes) {
    for (const Variable y : nodes) {
        keep_watch_for_undo(y);
        watches_[y].above = none_ruled_out;
        watches_[y].barrier.clear();
        watches_[y].number = ++n_watches_;
    }
}

void ClassMoves::drop_old_watchers(std::span<const Variable> nodes) {
    for (const Variable node : nodes) {
        std::erase_if(watchers_[node], [&](const Watcher &watcher) { return is_old(watcher); });
    }
}

// A path is there until one of its edges changes, and with it the nodes at both ends.
void ClassMoves::open_where_paths_changed() {
    if (before_trial_) { // it may be undone, and then old ones count again
        before_trial_->changed.insert(before_trial_->changed.end(), graph_.changed().begin(), graph_.changed().end());
    } else {
        drop_old_watchers(graph_.changed());
    }
    std::vector<Variable> hit;
    for (const Variable node : graph_.changed()) {
        for (const Watcher &watcher : watchers_[node]) {
            if (!is_old(watcher)) {
                hit.push_back(watcher.y);
            }
        }
    }
    std::ranges::sort(hit);
    std::vector<Variable> hit_twice;
    for (std::size_t i = 1; i < hit.size(); ++i) {
        if (hit[i] == hit[i - 1] && (hit_twice.empty() || hit_twice.back() != hit[i])) {
            hit_twice.push_back(hit[i]);
        }
    }
    stop_watching(hit_twice);
    for (const Variable y : hit_twice) {
        find_best(y, MoveKind::insert);
    }
}

// Moves lead to the same class where they change the same edges and v-structures (Verma & Pearl 1990).
bool ClassMoves::has_earlier_twin(const Move &move) {
    switch (move.kind) {
    case MoveKind::insert:
        return move.y < move.x && has_twin_insert(move);
    case MoveKind::reverse: {
        const auto twin = twin_of_reversal(graph_, move.x, move.y, cliques_[move.y][move.clique].members, twin_paths_);
        return twin && *twin < std::pair(move.x, move.y);
    }
    case MoveKind::remove:
        break;
    }
    return false;
}

// x -> y and y -> x are the same edge where neither makes a v-structure.
bool ClassMoves::has_twin_insert(const Move &move) {
    const auto &[gain, kind, x, y, number] = move;
    const bool makes_none = cliques_[y][number].members.view().is_within(graph_.adjacent(x)) &&
                            graph_.parents(y).is_within(graph_.adjacent(x)) &&
                            graph_.parents(x).is_within(graph_.adjacent(y));
    if (!makes_none) {
        return false;
    }
    const NodeSet common = NodeSet(graph_.neighbours(x)) & graph_.adjacent(y);
    const auto &cliques = cliques_[x];
    const auto twin = std::ranges::find(cliques, common, &Clique::members);
    return twin != cliques.end() && !twin_paths_.lead(graph_, x, common, NodeSet{y});
}

// Also by another name: what a ban means must not depend on the order of the nodes.
bool ClassMoves::brings_back_banned(const Move &move) {
    const auto &[gain, kind, x, y, number] = move;
    if (banned_.empty() || kind == MoveKind::remove) {
        return false;
    }
    if (is_banned(x, y)) {
        return true;
    }
    if (kind == MoveKind::insert) {
        return is_banned(y, x) && has_twin_insert(move);
    }
    const auto twin = twin_of_reversal(graph_, x, y, cliques_[y][number].members, twin_paths_);
    return twin && is_banned(twin->first, twin->second);
}

bool ClassMoves::obeys_rules(const Move &move) {
    const auto &[gain, kind, x, y, number] = move;
    if (kind == MoveKind::insert &&
        !(rules_.may_join_more(x, graph_.adjacent(x).size()) && rules_.may_join_more(y, graph_.adjacent(y).size()))) {
        return false;
    }
    if (is_free_) {
        return true;
    }
    if (kind == MoveKind::remove && (rules_.is_required(y, x) || rules_.is_required(x, y))) {
        return false;
    }
    apply(move, graph_);
    const bool obeys = graph_.still_obeys(rules_);
    graph_.undo();
    return obeys;
}

ParentLists ClassMoves::member_after(const Move &move) const {
    ClassGraph next = graph_;
    apply(move, next);
    return *next.extension(rules_in_force());
}

void ClassMoves::apply(const Move &move, ClassGraph &graph) const {
    const NodeSet &clique = cliques_[move.y][move.clique].members;
    switch (move.kind) {
    case MoveKind::insert:
        return graph.insert(move.x, move.y, clique);
    case MoveKind::remove:
        return graph.remove(move.x, move.y, clique);
    case MoveKind::reverse:
        return graph.reverse(move.x, move.y, clique);
    }
}

ClassMoves::Deletion ClassMoves::deletion(const Move &move) const {
    NodeSet parents = NodeSet(graph_.parents(move.y)) | cliques_[move.y][move.clique].members;
    parents.insert(move.x);
    return {move.x, move.y, std::move(parents)};
}

std::optional<ClassMoves::Move> ClassMoves::find(const Deletion &deletion) {
    if (!graph_.parents(deletion.y).is_within(deletion.parents)) {
        return std::nullopt;
    }
    NodeSet members = deletion.parents - graph_.parents(deletion.y);
    members.erase(deletion.x);
    const auto &cliques = cliques_[deletion.y];
    const auto clique = std::ranges::find(cliques, members, &Clique::members);
    if (clique == cliques.end()) {
        return std::nullopt;
    }
    const auto &candidates = clique->candidates[index(MoveKind::remove)];
    const auto candidate = std::ranges::find(candidates, deletion.x, &Candidate::x);
    if (candidate == candidates.end()) {
        return std::nullopt;
    }
    const auto number = static_cast<std::uint32_t>(clique - cliques.begin());
    const Move move{candidate->gain, MoveKind::remove, deletion.x, deletion.y, number};
    return obeys_rules(move) ? std::optional(move) : std::nullopt;
}

void ClassMoves::make_and_ban(const Move &deletion) {
    const bool is_undirected = graph_.neighbours(deletion.x).contains(deletion.y);
    make(deletion);
    banned_.emplace_back(deletion.x, deletion.y);
    if (is_undirected) {
        banned_.emplace_back(deletion.y, deletion.x);
    }
}

void ClassMoves::make(const Move &move) {
    apply(move, graph_);
    score_ += move.gain;
    forget_paths();
    open_where_paths_changed();
    // A node's moves depend on its edges, and on who of its neighbours and of all others is adjacent; reversals depend
    // on the parents at the other end.
    NodeSet stale = NodeSet(graph_.neighbours(move.x)) | graph_.neighbours(move.y);
    for (const Variable node : graph_.changed()) {
        stale.insert(node);
        if (allowed_moves_.with_reversals) {
            stale |= graph_.parents(node);
            stale |= graph_.neighbours(node);
        }
    }
    prepare(stale.list());
    refresh(stale.list());
}

void ClassMoves::forget_paths() noexcept {
    paths_.forget();
    twin_paths_.forget();
}

void ClassMoves::begin_trial() {
    graph_.begin_trial();
    before_trial_ = Before{score_, is_complete_, banned_, {}, {}, {}};
    ++trial_;
}

void ClassMoves::undo_trial() {
    Before before = std::move(*before_trial_);
    before_trial_.reset();
    graph_.undo_trial();
    forget_paths();
    score_ = before.score;
    is_complete_ = before.is_complete;
    banned_ = std::move(before.banned);
    for (auto &[y, watch] : before.watches) {
        watches_[y] = std::move(watch);
    }
    for (auto &[y, cliques] : before.cliques) {
        cliques_[y] = std::move(cliques);
        find_best(y, MoveKind::remove);
        find_best(y, MoveKind::reverse);
    }
    for (const auto &[y, watch] : before.watches) { // all nodes with other cliques among them
        find_best(y, MoveKind::insert);
    }
    drop_old_watchers(before.changed);
}

void ClassMoves::keep_trial() {
    drop_old_watchers(before_trial_->changed);
    before_trial_.reset();
    graph_.keep_trial();
}

} // namespace arcwise
