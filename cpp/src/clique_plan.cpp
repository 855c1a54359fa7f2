#include "arcwise/clique_plan.hpp"

#include <cmath>
#include <iterator>
#include <numeric>

namespace arcwise {
namespace {

// The inner part of a clique has about so many cells: enough to forget what is done for each of the outer ones.
constexpr std::size_t inner_cells = 16;
// Tables that are multiplied in one pass before the product is rescaled.
constexpr std::size_t most_factors = 4;

constexpr double one = 1.0;

bool contains(const Scope &scope, std::uint32_t node) {
    return std::find(scope.begin(), scope.end(), node) != scope.end();
}

bool contains(const Scope &scope, const Scope &part) {
    return std::all_of(part.begin(), part.end(), [&](std::uint32_t node) { return contains(scope, node); });
}

Scope joined(const Scope &first, const Scope &second) {
    Scope all = first;
    all.insert(all.end(), second.begin(), second.end());
    return all;
}

} // namespace

DiscreteNetwork::DiscreteNetwork(std::vector<std::uint32_t> its_arities, const std::vector<Scope> &parents,
                                 std::vector<std::vector<double>> its_tables)
    : arities(std::move(its_arities)), families(parents), strides(arities.size()), tables(std::move(its_tables)) {
    const auto n = static_cast<std::uint32_t>(arities.size());
    std::vector<std::vector<std::uint32_t>> children(n);
    std::vector<std::size_t> n_open(n);
    for (std::uint32_t node = 0; node < n; ++node) {
        for (const std::uint32_t parent : parents[node]) {
            children[parent].push_back(node);
        }
        n_open[node] = parents[node].size();
        if (n_open[node] == 0) {
            order.push_back(node);
        }
        families[node].push_back(node);
        strides[node].resize(families[node].size());
        std::uint32_t stride = 1;
        for (std::size_t k = families[node].size(); k-- > 0;) {
            strides[node][k] = stride;
            stride *= arities[families[node][k]];
        }
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
        for (const std::uint32_t child : children[order[next]]) {
            if (--n_open[child] == 0) {
                order.push_back(child);
            }
        }
    }
}

CliquePlan::CliquePlan(const DiscreteNetwork &network, const Question &question, std::span<const Known> known,
                       std::span<const std::uint32_t> ranks)
    : network_(network), question_(question), known_(known), where_(network.size(), 0) {
    find_relevant();
    find_forest(ranks);
    cost_ = {forest.cells, forest.largest_cells, forest.largest_nodes};
}

// Ancestors of what is known and of what is asked for; all nodes for an explanation of all.
void CliquePlan::find_relevant() {
    const std::size_t n = network_.size();
    is_relevant_.assign(n, question_.kind == Question::Kind::most_probable);
    for (std::size_t node = 0; node < n; ++node) {
        is_relevant_[node] = is_relevant_[node] || known_[node] != Known::never;
    }
    for (const Scope &set : question_.sets) {
        for (const std::uint32_t node : set) {
            is_relevant_[node] = true;
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        const std::uint32_t node = network_.order[k];
        if (is_relevant_[node]) {
            for (const std::uint32_t parent : network_.families[node]) {
                is_relevant_[parent] = true;
            }
        }
    }
    for (const std::uint32_t node : network_.order) {
        (is_relevant_[node] ? relevant_ : remote).push_back(node);
    }
}

void CliquePlan::find_forest(std::span<const std::uint32_t> ranks) {
    for (const std::uint32_t node : relevant_) {
        scopes_.push_back(unknown_of(network_.families[node]));
    }
    const std::size_t first_set = scopes_.size();
    for (const Scope &set : question_.sets) {
        scopes_.push_back(unknown_of(set));
    }
    std::vector<std::uint32_t> own_ranks;
    if (ranks.empty()) {
        own_ranks = elimination_ranks(network_.arities, scopes_);
        ranks = own_ranks;
    }
    const std::size_t root = question_.sets.size() == 1 ? first_set : SIZE_MAX;
    forest = clique_forest(network_.arities, scopes_, ranks, root);
}

Scope CliquePlan::unknown_of(const Scope &scope) const {
    Scope unknown;
    std::copy_if(scope.begin(), scope.end(), std::back_inserter(unknown),
                 [&](std::uint32_t node) { return known_[node] != Known::always; });
    return unknown;
}

std::size_t CliquePlan::cells_of(const Scope &scope) const {
    return std::accumulate(scope.begin(), scope.end(), std::size_t{1},
                           [&](std::size_t cells, std::uint32_t node) { return cells * network_.arities[node]; });
}

std::size_t CliquePlan::reserve(std::size_t cells) {
    const std::size_t begin = n_cells_;
    n_cells_ += cells;
    return begin;
}

void CliquePlan::prepare() {
    const std::size_t n = forest.cliques.size();
    operands_.resize(n);
    whole_families_.resize(n);
    up_.resize(n);
    down_.resize(n);
    fixed_.resize(n);
    made_here_.resize(n);
    made_between_.resize(n);
    for (const Clique &clique : forest.cliques) {
        members_.push_back(joined(clique.own, clique.shared));
    }
    add_tables();
    place_answers();
    for (std::uint32_t clique = 0; clique < n; ++clique) {
        make_fixed(clique);
    }
    collect();
    distribute();
}

void CliquePlan::add_tables() {
    for (std::size_t k = 0; k < relevant_.size(); ++k) {
        const std::uint32_t node = relevant_[k];
        if (scopes_[k].size() == network_.families[node].size()) {
            whole_families_[forest.home[k]].push_back(node);
        } else {
            add_cut(node, forest.home[k]);
        }
    }
    for (std::size_t k = 0; k < relevant_.size(); ++k) {
        const std::uint32_t node = relevant_[k];
        if (known_[node] == Known::in_part) {
            likelihoods.push_back({node, reserve(network_.arities[node])});
            operands_[forest.home[k]].push_back({{node}, likelihoods.back().begin, network_.arities[node]});
        }
    }
}

void CliquePlan::add_cut(std::uint32_t node, std::uint32_t home) {
    Cut cut{node, 0, {0}, {}};
    Scope scope;
    const Scope &family = network_.families[node];
    for (std::size_t k = 0; k < family.size(); ++k) {
        const std::uint32_t stride = network_.strides[node][k];
        if (known_[family[k]] == Known::always) {
            cut.known.emplace_back(family[k], stride);
            continue;
        }
        scope.push_back(family[k]);
        std::vector<std::uint32_t> longer;
        longer.reserve(cut.offsets.size() * network_.arities[family[k]]);
        for (const std::uint32_t offset : cut.offsets) {
            for (std::uint32_t state = 0; state < network_.arities[family[k]]; ++state) {
                longer.push_back(offset + state * stride);
            }
        }
        cut.offsets.swap(longer);
    }
    if (scope.empty()) {
        constants.push_back(std::move(cut));
        return;
    }
    cut.begin = reserve(cut.offsets.size());
    operands_[home].push_back({std::move(scope), cut.begin, cut.offsets.size()});
    cuts.push_back(std::move(cut));
}

// Each set is summed out of the smallest table that has it: of a clique, or of what a clique shares.
void CliquePlan::place_answers() {
    std::vector<std::vector<std::uint32_t>> cliques_with(network_.size());
    if (!question_.sets.empty()) {
        for (std::uint32_t c = 0; c < members_.size(); ++c) {
            for (const std::uint32_t node : members_[c]) {
                cliques_with[node].push_back(c);
            }
        }
    }
    for (const Scope &set : question_.sets) {
        Answer answer{Step::nothing, {0}, {}};
        std::uint32_t stride = 1;
        std::vector<std::uint32_t> strides(set.size());
        for (std::size_t k = set.size(); k-- > 0;) {
            strides[k] = stride;
            stride *= network_.arities[set[k]];
        }
        for (std::size_t k = 0; k < set.size(); ++k) {
            if (known_[set[k]] == Known::always) {
                answer.known.emplace_back(set[k], strides[k]);
                continue;
            }
            std::vector<std::uint32_t> longer;
            for (const std::uint32_t offset : answer.offsets) {
                for (std::uint32_t state = 0; state < network_.arities[set[k]]; ++state) {
                    longer.push_back(offset + state * strides[k]);
                }
            }
            answer.offsets.swap(longer);
        }
        const Scope unknown = unknown_of(set);
        if (!unknown.empty()) {
            answer.begin = reserve(answer.offsets.size());
            const Operand table{unknown, answer.begin, answer.offsets.size()};
            double fewest = 0.0;
            std::uint32_t place = Clique::no_parent;
            bool is_between = false;
            for (const std::uint32_t c : cliques_with[unknown.front()]) {
                const Clique &clique = forest.cliques[c];
                const bool in_shared = contains(clique.shared, unknown);
                if (!in_shared && !contains(members_[c], unknown)) {
                    continue;
                }
                const double cells = in_shared ? clique.shared_cells : clique.cells;
                if (place == Clique::no_parent || cells < fewest) {
                    fewest = cells;
                    place = c;
                    is_between = in_shared;
                }
            }
            (is_between ? made_between_ : made_here_)[place].push_back(table);
        }
        answers.push_back(std::move(answer));
    }
}

const std::uint32_t *CliquePlan::zeros(std::size_t n) {
    if (n > n_zeros_) {
        n_zeros_ = std::max(n, 2 * n_zeros_);
        std::uint32_t *const made = indices_.allocate(n_zeros_);
        std::fill_n(made, n_zeros_, 0);
        zeros_ = made;
    }
    return zeros_;
}

// For all states of the nodes, the last one fastest: where they are in a table of the scope.
const std::uint32_t *CliquePlan::positions(std::span<const std::uint32_t> nodes, const Scope &scope, bool &varies) {
    std::uint32_t stride = 1;
    for (std::size_t k = scope.size(); k-- > 0;) {
        where_[scope[k]] = stride;
        stride *= network_.arities[scope[k]];
    }
    std::size_t n = 1;
    varies = false;
    for (const std::uint32_t node : nodes) {
        n *= network_.arities[node];
        varies = varies || (where_[node] != 0 && network_.arities[node] > 1);
    }
    const std::uint32_t *found = nullptr;
    if (varies) {
        std::uint32_t *const made = indices_.allocate(n);
        made[0] = 0;
        std::size_t done = 1;
        for (std::size_t k = nodes.size(); k-- > 0;) { // the later nodes are done, and are repeated for each state
            const std::size_t arity = network_.arities[nodes[k]];
            for (std::size_t state = 1; state < arity; ++state) {
                const auto step = static_cast<std::uint32_t>(state * where_[nodes[k]]);
                for (std::size_t i = 0; i < done; ++i) {
                    made[state * done + i] = made[i] + step;
                }
            }
            done *= arity;
        }
        found = made;
    } else {
        found = zeros(n);
    }
    for (const std::uint32_t node : scope) {
        where_[node] = 0;
    }
    return found;
}

// Those that depend on the inner part of the scope, the last n_trailing nodes, come first.
const LaneTable *CliquePlan::lane_tables(const Scope &scope, std::size_t n_trailing,
                                         const std::vector<Operand> &operands, std::size_t &n_inner,
                                         std::size_t &n_outer) {
    const std::span<const std::uint32_t> nodes(scope);
    LaneTable *const made = tables_.allocate(operands.size());
    n_inner = n_outer = 0;
    for (const Operand &operand : operands) {
        bool varies = false;
        LaneTable table{operand.begin, nullptr, nullptr};
        table.inner = positions(nodes.last(n_trailing), operand.scope, varies);
        bool varies_outside = false;
        table.outer = positions(nodes.first(nodes.size() - n_trailing), operand.scope, varies_outside);
        made[varies ? n_inner++ : operands.size() - ++n_outer] = table;
    }
    return made;
}

// Merges tables that come into a clique and are parts of others into these, where that is less work than to multiply
// them cell by cell of the clique. It is also what keeps the product of many tables, each with a largest number near 1,
// from vanishing: after a few factors it is rescaled.
void CliquePlan::merge_operands(std::uint32_t clique) {
    std::vector<Operand> &operands = operands_[clique];
    if (operands.size() < 2) {
        return;
    }
    std::stable_sort(operands.begin(), operands.end(),
                     [](const Operand &a, const Operand &b) { return a.cells > b.cells; });
    const double most = 0.5 * forest.cliques[clique].cells;
    std::vector<std::vector<Operand>> groups;
    for (Operand &operand : operands) {
        std::vector<Operand> *host = nullptr;
        for (std::vector<Operand> &group : groups) { // the last one that fits is the smallest
            const bool is_worth_it = static_cast<double>(group.front().cells) <= most || operands.size() > most_factors;
            if (is_worth_it && contains(group.front().scope, operand.scope)) {
                host = &group;
            }
        }
        if (host != nullptr) {
            host->push_back(std::move(operand));
        } else {
            groups.emplace_back(1, std::move(operand));
        }
    }
    operands.clear();
    for (const std::vector<Operand> &group : groups) {
        Operand merged = group.front();
        for (std::size_t next = 1; next < group.size();) {
            std::vector<Operand> factors{merged};
            while (next < group.size() && factors.size() < most_factors) {
                factors.push_back(group[next++]);
            }
            merged.begin = reserve(merged.cells);
            add_product(merged.scope, factors, merged);
        }
        operands.push_back(std::move(merged));
    }
}

void CliquePlan::add_product(const Scope &scope, const std::vector<Operand> &in, const Operand &out) {
    std::size_t n_trailing = 0;
    for (std::size_t cells = 1; n_trailing < scope.size() && cells < inner_cells; ++n_trailing) {
        cells *= network_.arities[scope[scope.size() - 1 - n_trailing]];
    }
    Step step{};
    CliquePass &pass = step.pass;
    const std::size_t inner = cells_of(Scope(scope.end() - static_cast<std::ptrdiff_t>(n_trailing), scope.end()));
    pass.n_inner = inner;
    pass.n_outer = cells_of(scope) / inner;
    pass.fixed = &one;
    pass.fixed_outer = zeros(pass.n_outer);
    pass.fixed_inner = zeros(pass.n_inner);
    pass.in = lane_tables(scope, n_trailing, in, pass.n_in, pass.n_in_outer);
    pass.out = lane_tables(scope, n_trailing, {out}, pass.n_out, pass.n_out_outer);
    step.outputs.emplace_back(out.begin, out.cells);
    step.scalings.push_back({out.begin, out.cells, true, Step::nothing});
    steps.push_back(std::move(step));
}

// The product of the families of which nothing is known, over the nodes that are in any of them.
void CliquePlan::make_fixed(std::uint32_t clique) {
    const std::vector<std::uint32_t> &nodes = whole_families_[clique];
    Fixed &fixed = fixed_[clique];
    if (nodes.empty()) {
        fixed.table = &one;
        return;
    }
    if (nodes.size() == 1) {
        fixed = {network_.tables[nodes.front()].data(), network_.families[nodes.front()]};
        return;
    }
    for (const std::uint32_t member : members_[clique]) {
        if (std::any_of(nodes.begin(), nodes.end(),
                        [&](std::uint32_t node) { return contains(network_.families[node], member); })) {
            fixed.scope.push_back(member);
        }
    }
    const std::size_t cells = cells_of(fixed.scope);
    double *const table = numbers_.allocate(cells);
    n_fixed_ += cells;
    const std::span<const std::uint32_t> scope(fixed.scope);
    const std::size_t half = scope.size() / 2;
    const std::size_t inner = cells_of(Scope(scope.begin() + static_cast<std::ptrdiff_t>(half), scope.end()));
    const std::size_t outer = cells / inner;
    std::fill_n(table, cells, 1.0);
    for (const std::uint32_t node : nodes) {
        bool varies = false;
        const std::uint32_t *const inside = positions(scope.last(scope.size() - half), network_.families[node], varies);
        const std::uint32_t *const outside = positions(scope.first(half), network_.families[node], varies);
        for (std::size_t o = 0; o < outer; ++o) {
            const double *const from = network_.tables[node].data() + outside[o];
            for (std::size_t i = 0; i < inner; ++i) {
                table[o * inner + i] *= from[inside[i]];
            }
        }
    }
    fixed.table = table;
}

void CliquePlan::add_pass(std::uint32_t clique, const std::vector<Operand> &in, const std::vector<Operand> &out) {
    const Scope &scope = members_[clique];
    std::size_t n_trailing = 0;
    std::size_t inner = 1;
    for (; n_trailing < scope.size() && inner < inner_cells; ++n_trailing) {
        inner *= network_.arities[scope[scope.size() - 1 - n_trailing]];
    }
    Step step{};
    CliquePass &pass = step.pass;
    const std::span<const std::uint32_t> nodes(scope);
    pass.n_inner = inner;
    pass.n_outer = cells_of(scope) / inner;
    pass.fixed = fixed_[clique].table;
    bool varies = false;
    pass.fixed_inner = positions(nodes.last(n_trailing), fixed_[clique].scope, varies);
    pass.fixed_outer = positions(nodes.first(nodes.size() - n_trailing), fixed_[clique].scope, varies);
    pass.in = lane_tables(scope, n_trailing, in, pass.n_in, pass.n_in_outer);
    pass.out = lane_tables(scope, n_trailing, out, pass.n_out, pass.n_out_outer);
    for (const Operand &table : out) {
        step.outputs.emplace_back(table.begin, table.cells);
    }
    steps.push_back(std::move(step));
}

// From the leaves to the roots. A root whose part is asked about waits for the way back.
void CliquePlan::collect() {
    const auto n = static_cast<std::uint32_t>(forest.cliques.size());
    std::vector<char> is_asked(n, false);
    for (std::uint32_t c = n; c-- > 0;) {
        is_asked[c] = is_asked[c] || !made_here_[c].empty() || !made_between_[c].empty();
        if (forest.cliques[c].parent != Clique::no_parent && is_asked[c]) {
            is_asked[forest.cliques[c].parent] = true;
        }
    }
    for (std::uint32_t c = n; c-- > 0;) {
        const Clique &clique = forest.cliques[c];
        merge_operands(c);
        const bool is_root = clique.parent == Clique::no_parent;
        if (is_root) {
            totals.push_back(reserve(1));
        }
        const std::size_t shared = cells_of(clique.shared);
        if (!is_root || !is_asked[c]) {
            up_[c] = {clique.shared, is_root ? totals.back() : reserve(shared), shared};
            add_pass(c, operands_[c], {up_[c]});
            steps.back().scalings.push_back({up_[c].begin, shared, true, Step::nothing});
            choices.push_back({c, steps.size() - 1, shared});
        } else {
            up_[c] = {{}, totals.back(), 1};
        }
        if (!is_root) {
            operands_[clique.parent].push_back(up_[c]);
        }
    }
    std::reverse(choices.begin(), choices.end());
}

// From the roots to whatever is asked for.
void CliquePlan::distribute() {
    const auto n = static_cast<std::uint32_t>(forest.cliques.size());
    std::vector<char> is_visited(n, false); // the table of the clique itself is needed
    std::vector<std::vector<std::uint32_t>> below(n);
    for (std::uint32_t c = n; c-- > 0;) {
        is_visited[c] = is_visited[c] || !made_here_[c].empty();
        const std::uint32_t parent = forest.cliques[c].parent;
        if (parent != Clique::no_parent && (is_visited[c] || !made_between_[c].empty())) {
            is_visited[parent] = true;
            below[parent].push_back(c);
        }
    }
    for (std::uint32_t c = 0; c < n; ++c) {
        if (!is_visited[c]) {
            continue;
        }
        std::vector<Operand> in = operands_[c];
        std::vector<Operand> out = made_here_[c];
        if (forest.cliques[c].parent == Clique::no_parent) {
            out.push_back(up_[c]);
        } else {
            in.push_back(down_[c]);
        }
        for (const std::uint32_t child : below[c]) {
            down_[child] = {up_[child].scope, reserve(up_[child].cells), up_[child].cells};
            out.push_back(down_[child]);
        }
        add_pass(c, in, out);
        const std::size_t step = steps.size() - 1;
        for (const std::uint32_t child : below[c]) {
            const Operand &down = down_[child];
            const bool is_last = made_between_[child].empty();
            if (is_visited[child] && is_last) {
                steps[step].scalings.push_back({down.begin, down.cells, false, up_[child].begin});
            } else {
                steps[step].scalings.push_back({down.begin, down.cells, false, Step::nothing});
            }
            for (const Operand &answer : made_between_[child]) {
                add_product(down.scope, {down}, answer);
                steps.back().scalings.clear();
            }
            if (is_visited[child] && !is_last) {
                steps.back().scalings.push_back({down.begin, down.cells, false, up_[child].begin});
            }
        }
    }
}

} // namespace arcwise
