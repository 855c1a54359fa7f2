#include "arcwise/inference.hpp"

#include "arcwise/random.hpp"
#include "arcwise/team.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <unordered_map>

namespace arcwise {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double impossible = -std::numeric_limits<double>::infinity();

// In nanoseconds: a cell of a clique in both directions, for one row and for rows side by side; and for planning, a
// node and a cell.
constexpr double single_cell_cost = 10.0;
constexpr double together_cell_cost = 25.0;
constexpr double planned_node_cost = 3000.0;
constexpr double ordered_node_cost = 4000.0; // for an order of elimination of its own
constexpr double planned_cell_cost = 4.0;
// A kind of rows with so many of them deserves an order of elimination of its own.
constexpr std::size_t worth_an_order = 64;
// Cells and lanes between two looks at the budget.
constexpr std::size_t cells_between_looks = std::size_t{1} << 20;

// Rows in which the same nodes are known; of rows that are alike only the first.
struct RowGroup {
    std::vector<std::uint32_t> rows;
};

// For each row the next one that is the same, or itself.
struct Sorted {
    std::vector<RowGroup> groups;
    std::vector<std::uint32_t> next_alike;
};

class RowSorter {
  public:
    RowSorter(const DiscreteNetwork &network, const RowEvidence &evidence) : network_(network), evidence_(evidence) {}

    [[nodiscard]] Sorted sorted() {
        hash();
        Sorted found;
        found.next_alike.resize(evidence_.n_rows);
        const bool differ = std::any_of(evidence_.likelihoods.begin(), evidence_.likelihoods.end(),
                                        [](const auto &likelihood) { return !likelihood.is_same; });
        std::unordered_multimap<std::uint64_t, std::uint32_t> by_row;     // the last row of its kind
        std::unordered_multimap<std::uint64_t, std::uint32_t> by_pattern; // groups
        by_row.reserve(evidence_.n_rows);
        for (std::uint32_t row = 0; row < evidence_.n_rows; ++row) {
            found.next_alike[row] = row;
            if (!differ) {
                const auto [begin, end] = by_row.equal_range(rows_[row]);
                const auto same =
                    std::find_if(begin, end, [&](const auto &entry) { return are_alike(entry.second, row, false); });
                if (same != end) {
                    found.next_alike[same->second] = row;
                    same->second = row;
                    continue;
                }
                by_row.emplace(rows_[row], row);
            }
            const auto [begin, end] = by_pattern.equal_range(patterns_[row]);
            const auto same = std::find_if(begin, end, [&](const auto &entry) {
                return are_alike(found.groups[entry.second].rows.front(), row, true);
            });
            if (same != end) {
                found.groups[same->second].rows.push_back(row);
            } else {
                by_pattern.emplace(patterns_[row], static_cast<std::uint32_t>(found.groups.size()));
                found.groups.push_back({{row}});
            }
        }
        return found;
    }

  private:
    void hash() {
        rows_.assign(evidence_.n_rows, 0);
        patterns_.assign(evidence_.n_rows, 0);
        for (std::uint32_t node = 0; node < network_.size(); ++node) {
            const std::uint32_t arity = network_.arities[node];
            for (std::size_t row = 0; row < evidence_.n_rows; ++row) {
                const std::uint32_t code = evidence_.code(row, node);
                if (code < arity) {
                    rows_[row] += mixed((std::uint64_t{node} << 32) + code);
                    patterns_[row] += mixed(std::uint64_t{node} << 32);
                }
            }
        }
    }

    [[nodiscard]] bool are_alike(std::size_t a, std::size_t b, bool in_pattern) const {
        for (std::uint32_t node = 0; node < network_.size(); ++node) {
            const std::uint32_t arity = network_.arities[node];
            const std::uint32_t mine = std::min(arity, evidence_.code(a, node));
            const std::uint32_t other = std::min(arity, evidence_.code(b, node));
            if (in_pattern ? (mine < arity) != (other < arity) : mine != other) {
                return false;
            }
        }
        return true;
    }

    const DiscreteNetwork &network_;
    const RowEvidence &evidence_;
    std::vector<std::uint64_t> rows_;
    std::vector<std::uint64_t> patterns_;
};

// A number with an exponent of its own, so that products of many probabilities do not vanish.
struct Scaled {
    double part = 1.0;
    double exponent = 0.0;

    void multiply(double factor) noexcept {
        part *= raised(factor);
        part = raised(part);
    }

    [[nodiscard]] double raised(double number) noexcept {
        constexpr double low = 0x1p-500;
        constexpr double factor = 0x1p600;
        if (number >= low || number == 0.0) {
            return number;
        }
        exponent -= 600.0;
        return number * factor;
    }
};

// Does the steps of a plan for as many rows as the kernels take at a time.
class Worker {
  public:
    Worker(const DiscreteNetwork &network, const Question &question, const RowEvidence &evidence,
           const RowAnswers &answers, std::span<const std::uint32_t> next_alike)
        : network_(network), question_(question), evidence_(evidence), answers_(answers), next_alike_(next_alike),
          likelihood_of_(network.size(), nullptr) {
        for (const RowEvidence::Likelihood &likelihood : evidence.likelihoods) {
            likelihood_of_[likelihood.node] = &likelihood;
        }
    }

    // Returns whether it was done.
    [[nodiscard]] bool run(const CliquePlan &plan, const LaneKernels &kernels, std::span<const std::uint32_t> rows,
                           const Budget &budget) {
        plan_ = &plan;
        n_lanes_ = kernels.n_lanes;
        rows_ = rows;
        if (workspace_.size() < plan.workspace_cells() * n_lanes_) {
            workspace_.resize(plan.workspace_cells() * n_lanes_);
        }
        exponents_.fill(0.0);
        load();
        if (!propagate(kernels, budget)) {
            return false;
        }
        find_probabilities();
        write_posteriors();
        if (question_.kind != Question::Kind::posteriors) {
            choose_states();
        }
        return true;
    }

  private:
    [[nodiscard]] std::size_t row_of(std::size_t lane) const noexcept {
        return rows_[std::min(lane, rows_.size() - 1)];
    }

    [[nodiscard]] std::size_t known_position(const std::vector<std::pair<std::uint32_t, std::uint32_t>> &known,
                                             std::size_t row) const noexcept {
        std::size_t position = 0;
        for (const auto &[node, stride] : known) {
            position += std::size_t{evidence_.code(row, node)} * stride;
        }
        return position;
    }

    void load() {
        double *const cells = workspace_.data();
        for (const CliquePlan::Cut &cut : plan_->cuts) {
            for (std::size_t lane = 0; lane < n_lanes_; ++lane) {
                const double *const from = network_.tables[cut.node].data() + known_position(cut.known, row_of(lane));
                double *const to = cells + cut.begin * n_lanes_ + lane;
                for (std::size_t c = 0; c < cut.offsets.size(); ++c) {
                    to[c * n_lanes_] = from[cut.offsets[c]];
                }
            }
        }
        for (const CliquePlan::Likelihood &likelihood : plan_->likelihoods) {
            const std::uint32_t arity = network_.arities[likelihood.node];
            for (std::size_t lane = 0; lane < n_lanes_; ++lane) {
                double *const to = cells + likelihood.begin * n_lanes_ + lane;
                const std::uint32_t code = evidence_.code(row_of(lane), likelihood.node);
                const double *const soft = soft_of(likelihood.node, row_of(lane));
                for (std::uint32_t state = 0; state < arity; ++state) {
                    const bool is_open = code >= arity || code == state;
                    to[state * n_lanes_] = !is_open ? 0.0 : soft == nullptr ? 1.0 : soft[state];
                }
            }
        }
    }

    [[nodiscard]] const double *soft_of(std::uint32_t node, std::size_t row) const noexcept {
        const RowEvidence::Likelihood *const soft = likelihood_of_[node];
        return soft == nullptr ? nullptr : soft->values + (soft->is_same ? 0 : row * network_.arities[node]);
    }

    [[nodiscard]] bool propagate(const LaneKernels &kernels, const Budget &budget) {
        double *const cells = workspace_.data();
        const bool adds = question_.kind != Question::Kind::most_probable;
        std::size_t since_look = 0;
        std::array<double, clique_lanes> unused{};
        for (const CliquePlan::Step &step : plan_->steps) {
            for (const auto &[begin, n] : step.outputs) {
                std::fill_n(cells + begin * n_lanes_, n * n_lanes_, 0.0);
            }
            const std::size_t size = std::max<std::size_t>(1, cells_between_looks / (step.pass.n_inner * n_lanes_));
            for (std::size_t begin = 0; begin < step.pass.n_outer; begin += size) {
                const std::size_t end = std::min(step.pass.n_outer, begin + size);
                (adds ? kernels.add : kernels.keep_largest)(step.pass, begin, end, cells);
                since_look += (end - begin) * step.pass.n_inner * n_lanes_;
                if (since_look >= cells_between_looks) {
                    since_look = 0;
                    if (budget.exhausted()) {
                        return false;
                    }
                }
            }
            for (const CliquePlan::Scaling &scaling : step.scalings) {
                kernels.rescale(cells + scaling.begin * n_lanes_, scaling.cells,
                                scaling.counts ? exponents_.data() : unused.data());
                if (scaling.divisor != CliquePlan::Step::nothing) {
                    kernels.divide(cells + scaling.begin * n_lanes_, cells + scaling.divisor * n_lanes_, scaling.cells);
                }
            }
        }
        return true;
    }

    void find_probabilities() {
        for (std::size_t lane = 0; lane < rows_.size(); ++lane) {
            Scaled product;
            const std::size_t row = row_of(lane);
            for (const CliquePlan::Cut &constant : plan_->constants) {
                product.multiply(network_.tables[constant.node][known_position(constant.known, row)]);
            }
            for (const std::size_t total : plan_->totals) {
                product.multiply(workspace_[total * n_lanes_ + lane]);
            }
            for (const RowEvidence::Likelihood &likelihood : evidence_.likelihoods) {
                const std::uint32_t code = evidence_.code(row, likelihood.node);
                if (is_cut(likelihood.node, code)) {
                    product.multiply(soft_of(likelihood.node, row)[code]);
                }
            }
            log_probabilities_[lane] =
                std::log(product.part) + (product.exponent + exponents_[lane]) * std::numbers::ln2;
            if (!answers_.log_probabilities.empty()) {
                for_alike(row,
                          [&](std::size_t other) { answers_.log_probabilities[other] = log_probabilities_[lane]; });
            }
        }
    }

    // Soft evidence about a node that is cut out is not in any table.
    [[nodiscard]] bool is_cut(std::uint32_t node, std::uint32_t code) const noexcept {
        return code < network_.arities[node] &&
               std::none_of(
                   plan_->likelihoods.begin(), plan_->likelihoods.end(),
                   [&](const CliquePlan::Likelihood &likelihood) { return likelihood.node == node; });
    }

    template <class Work> void for_alike(std::size_t row, const Work &work) const {
        while (true) {
            work(row);
            const std::size_t next = next_alike_[row];
            if (next == row) {
                return;
            }
            row = next;
        }
    }

    void write_posteriors() {
        for (std::size_t k = 0; k < plan_->answers.size(); ++k) {
            const CliquePlan::Answer &answer = plan_->answers[k];
            std::size_t width = 1;
            for (const std::uint32_t node : question_.sets[k]) {
                width *= network_.arities[node];
            }
            for (std::size_t lane = 0; lane < rows_.size(); ++lane) {
                const std::size_t row = row_of(lane);
                double *const to = answers_.posteriors[k] + row * width;
                if (log_probabilities_[lane] == impossible) {
                    std::fill_n(to, width, not_a_number);
                } else {
                    write_one(answer, lane, to + known_position(answer.known, row));
                }
                for_alike(row, [&](std::size_t other) {
                    if (other != row) {
                        std::copy_n(to, width, answers_.posteriors[k] + other * width);
                    }
                });
            }
        }
    }

    void write_one(const CliquePlan::Answer &answer, std::size_t lane, double *to) const {
        if (answer.begin == CliquePlan::Step::nothing) {
            *to = 1.0;
            return;
        }
        const double *const from = workspace_.data() + answer.begin * n_lanes_ + lane;
        double sum = 0.0;
        for (std::size_t c = 0; c < answer.offsets.size(); ++c) {
            sum += from[c * n_lanes_];
        }
        for (std::size_t c = 0; c < answer.offsets.size(); ++c) {
            to[answer.offsets[c]] = from[c * n_lanes_] / sum;
        }
    }

    // Down the trees: in each clique, what is not shared with the one above, given what is.
    void choose_states() {
        states_.resize(network_.size());
        for (std::size_t lane = 0; lane < rows_.size(); ++lane) {
            if (log_probabilities_[lane] == impossible) {
                continue;
            }
            if (question_.kind == Question::Kind::most_probable) {
                choose(lane, row_of(lane), nullptr);
                for_alike(row_of(lane), [&](std::size_t row) { write_states(row); });
            } else {
                for_alike(row_of(lane), [&](std::size_t row) {
                    SplitMix random(mixed(mixed(answers_.seed) ^ row));
                    choose(lane, row, &random);
                    write_states(row);
                });
            }
        }
    }

    void choose(std::size_t lane, std::size_t row, SplitMix *random) {
        for (std::uint32_t node = 0; node < network_.size(); ++node) {
            states_[node] = evidence_.code(row, node);
        }
        for (const CliquePlan::Choice &choice : plan_->choices) {
            const Clique &clique = plan_->forest.cliques[choice.clique];
            std::size_t shared = 0;
            for (const std::uint32_t node : clique.shared) {
                shared = shared * network_.arities[node] + states_[node];
            }
            const CliquePass &pass = plan_->steps[choice.step].pass;
            const std::size_t n = pass.n_outer * pass.n_inner / choice.n_shared;
            weights_.resize(n);
            for (std::size_t k = 0; k < n; ++k) {
                weights_[k] = cell(pass, k * choice.n_shared + shared, lane);
            }
            std::size_t chosen = random == nullptr ? largest() : drawn(*random);
            for (std::size_t k = clique.own.size(); k-- > 0;) {
                const std::uint32_t arity = network_.arities[clique.own[k]];
                states_[clique.own[k]] = static_cast<std::uint32_t>(chosen % arity);
                chosen /= arity;
            }
        }
        if (random != nullptr) {
            draw_remote(*random);
        }
    }

    [[nodiscard]] double cell(const CliquePass &pass, std::size_t position, std::size_t lane) const noexcept {
        const std::size_t o = position / pass.n_inner;
        const std::size_t i = position % pass.n_inner;
        double value = pass.fixed[pass.fixed_outer[o] + pass.fixed_inner[i]];
        for (std::size_t k = 0; k < pass.n_in + pass.n_in_outer; ++k) {
            const LaneTable &table = pass.in[k];
            value *= workspace_[(table.begin + table.outer[o] + table.inner[i]) * n_lanes_ + lane];
        }
        return value;
    }

    [[nodiscard]] std::size_t largest() const noexcept {
        return static_cast<std::size_t>(std::max_element(weights_.begin(), weights_.end()) - weights_.begin());
    }

    // In proportion to the weights, one of which is positive.
    [[nodiscard]] std::size_t drawn(SplitMix &random) const noexcept {
        double sum = 0.0;
        for (const double weight : weights_) {
            sum += weight;
        }
        double left = static_cast<double>(random.next() >> 11) * 0x1.0p-53 * sum;
        std::size_t last = 0;
        for (std::size_t k = 0; k < weights_.size(); ++k) {
            if (weights_[k] > 0.0) {
                last = k;
                if (left < weights_[k]) {
                    break;
                }
                left -= weights_[k];
            }
        }
        return last;
    }

    void draw_remote(SplitMix &random) {
        for (const std::uint32_t node : plan_->remote) {
            const Scope &family = network_.families[node];
            std::size_t begin = 0;
            for (std::size_t k = 0; k + 1 < family.size(); ++k) {
                begin += std::size_t{states_[family[k]]} * network_.strides[node][k];
            }
            const double *const from = network_.tables[node].data() + begin;
            weights_.assign(from, from + network_.arities[node]);
            states_[node] = static_cast<std::uint32_t>(drawn(random));
        }
    }

    void write_states(std::size_t row) const noexcept {
        for (std::size_t node = 0; node < network_.size(); ++node) {
            if (answers_.wide != nullptr) {
                answers_.wide[node * evidence_.n_rows + row] = static_cast<std::uint16_t>(states_[node]);
            } else {
                answers_.narrow[node * evidence_.n_rows + row] = static_cast<std::uint8_t>(states_[node]);
            }
        }
    }

    const DiscreteNetwork &network_;
    const Question &question_;
    const RowEvidence &evidence_;
    const RowAnswers &answers_;
    std::span<const std::uint32_t> next_alike_;
    std::vector<const RowEvidence::Likelihood *> likelihood_of_;
    const CliquePlan *plan_ = nullptr;
    std::size_t n_lanes_ = 1;
    std::span<const std::uint32_t> rows_;
    std::vector<double, BlockAllocator<double>> workspace_;
    std::array<double, clique_lanes> exponents_{};
    std::array<double, clique_lanes> log_probabilities_{};
    std::vector<std::uint32_t> states_;
    std::vector<double> weights_;
};

} // namespace

CliqueCost Inference::cost(const Question &question, std::span<const Known> known) const {
    return CliquePlan(network_, question, known, {}).cost();
}

std::span<const std::uint32_t> Inference::ranks() const {
    std::call_once(has_ranks_, [&] { ranks_ = elimination_ranks(network_.arities, network_.families); });
    return ranks_;
}

namespace {

// All that answers of one call share.
class Batch {
  public:
    Batch(const Inference &inference, const Question &question, const RowEvidence &evidence, const RowAnswers &answers,
          const InferenceLimits &limits, const Budget &budget)
        : inference_(inference), network_(inference.network()), question_(question), evidence_(evidence),
          answers_(answers), limits_(limits), budget_(budget), kernels_(clique_kernels()),
          has_likelihood_(network_.size(), false), team_(budget.threads()) {
        for (const RowEvidence::Likelihood &likelihood : evidence.likelihoods) {
            has_likelihood_[likelihood.node] = true;
        }
    }

    [[nodiscard]] InferenceOutcome run() {
        sorted_ = RowSorter(network_, evidence_).sorted();
        std::vector<RowGroup> &groups = sorted_.groups;
        if (groups.size() > 1 && share_one_plan(groups)) {
            RowGroup all;
            for (const RowGroup &group : groups) {
                all.rows.insert(all.rows.end(), group.rows.begin(), group.rows.end());
            }
            groups.clear();
            groups.push_back(std::move(all));
        }
        for (std::size_t worker = 0; worker < team_.n_workers(); ++worker) {
            workers_.push_back(std::make_unique<Worker>(network_, question_, evidence_, answers_, sorted_.next_alike));
        }
        std::vector<std::size_t> small;
        for (std::size_t k = 0; k < groups.size(); ++k) {
            if (groups.size() > 1 && groups[k].rows.size() < worth_an_order) {
                small.push_back(k);
            } else {
                run_large(groups[k]);
            }
        }
        if (!small.empty()) {
            (void)inference_.ranks();
            team_.run(small.size(), Team::worth_any_thread,
                      [&](std::size_t worker, std::size_t i) { run_small(worker, groups[small[i]]); });
        }
        outcome_.is_complete = is_complete_;
        return outcome_;
    }

  private:
    // Nodes that are known in all these rows, and in some of them.
    [[nodiscard]] std::vector<Known> known_in(std::span<const std::uint32_t> rows) const {
        std::vector<Known> known(network_.size(), Known::never);
        for (std::uint32_t node = 0; node < network_.size(); ++node) {
            std::size_t n_known = 0;
            for (const std::uint32_t row : rows) {
                n_known += evidence_.code(row, node) < network_.arities[node] ? 1 : 0;
            }
            known[node] = n_known == rows.size()                 ? Known::always
                          : n_known > 0 || has_likelihood_[node] ? Known::in_part
                                                                 : Known::never;
        }
        return known;
    }

    [[nodiscard]] bool fits(const CliqueCost &cost) const noexcept {
        return cost.cells <= limits_.cells && 8.0 * cost.cells <= static_cast<double>(limits_.bytes);
    }

    // Whether one plan for all rows is estimated to take less time than one for each kind of them.
    [[nodiscard]] bool share_one_plan(const std::vector<RowGroup> &groups) {
        constexpr std::size_t n_tried = 8;
        double apart = 0.0;
        const std::size_t n = std::min(n_tried, groups.size());
        for (std::size_t k = 0; k < n; ++k) {
            const RowGroup &group = groups[k * groups.size() / n];
            const std::vector<Known> known = known_in({group.rows.data(), 1});
            const CliqueCost cost = CliquePlan(network_, question_, known, inference_.ranks()).cost();
            apart += cost_of_plan(cost) + cost_of_rows(cost, group.rows.size());
        }
        apart *= static_cast<double>(groups.size()) / static_cast<double>(n);
        std::vector<std::uint32_t> rows;
        rows.reserve(groups.size());
        for (const RowGroup &group : groups) {
            rows.push_back(group.rows.front());
        }
        const std::vector<Known> known = known_in(rows);
        const CliqueCost cost = CliquePlan(network_, question_, known, {}).cost();
        std::size_t n_rows = 0;
        for (const RowGroup &group : groups) {
            n_rows += group.rows.size();
        }
        return fits(cost) && cost_of_plan(cost) + cost_of_rows(cost, n_rows) < apart;
    }

    [[nodiscard]] double cost_of_plan(const CliqueCost &cost) const noexcept {
        return planned_node_cost * static_cast<double>(network_.size()) + planned_cell_cost * cost.cells;
    }

    [[nodiscard]] static double cost_of_rows(const CliqueCost &cost, std::size_t n_rows) noexcept {
        if (n_rows == 1) {
            return single_cell_cost * cost.cells;
        }
        const std::size_t n_blocks = (n_rows + clique_lanes - 1) / clique_lanes;
        return together_cell_cost * cost.cells * static_cast<double>(n_blocks);
    }

    void refuse(const CliqueCost &cost) {
        const std::scoped_lock lock(mutex_);
        if (!outcome_.too_wide || outcome_.too_wide->cells < cost.cells) {
            outcome_.too_wide = cost;
        }
        is_refused_ = true;
    }

    // Bytes of a plan and of the workspaces of so many workers.
    [[nodiscard]] bool fits(const CliquePlan &plan, std::size_t n_workers, std::size_t n_lanes) const noexcept {
        const double cells = static_cast<double>(plan.fixed_cells()) +
                             static_cast<double>(n_workers * n_lanes) * static_cast<double>(plan.workspace_cells());
        return 8.0 * cells <= static_cast<double>(limits_.bytes);
    }

    void run_large(const RowGroup &group) {
        const std::vector<Known> known = known_in(group.rows);
        CliquePlan plan(network_, question_, known, {});
        if (is_refused_ || !is_complete_) {
            return;
        }
        if (!fits(plan.cost())) {
            refuse(plan.cost());
            return;
        }
        plan.prepare();
        const std::size_t n_workers = team_.n_workers();
        const bool is_alone = group.rows.size() == 1 || !fits(plan, n_workers, clique_lanes);
        const LaneKernels &kernels = is_alone ? kernels_.single : kernels_.together;
        const std::size_t n_blocks = (group.rows.size() + kernels.n_lanes - 1) / kernels.n_lanes;
        const auto block = [&](std::size_t worker, std::size_t i) {
            const std::size_t begin = i * kernels.n_lanes;
            const std::size_t end = std::min(group.rows.size(), begin + kernels.n_lanes);
            do_rows(worker, plan, kernels, {group.rows.data() + begin, end - begin});
        };
        if (is_alone && !fits(plan, n_workers, 1)) {
            if (!fits(plan, 1, 1)) {
                refuse(plan.cost());
                return;
            }
            for (std::size_t i = 0; i < n_blocks; ++i) {
                block(0, i);
            }
        } else {
            team_.run(n_blocks, cost_of_rows(plan.cost(), kernels.n_lanes), block);
        }
    }

    void run_small(std::size_t worker, const RowGroup &group) {
        if (is_refused_ || !is_complete_) {
            return;
        }
        const std::vector<Known> known = known_in({group.rows.data(), 1});
        std::optional<CliquePlan> made;
        made.emplace(network_, question_, known, inference_.ranks());
        // An order of its own may have far fewer cells than one for the whole network.
        if (cost_of_rows(made->cost(), group.rows.size()) >
            2.0 * ordered_node_cost * static_cast<double>(network_.size())) {
            made.emplace(network_, question_, known, std::span<const std::uint32_t>());
        }
        CliquePlan &plan = *made;
        if (!fits(plan.cost())) {
            refuse(plan.cost());
            return;
        }
        plan.prepare();
        const LaneKernels &kernels = group.rows.size() == 1 || !fits(plan, team_.n_workers(), clique_lanes)
                                         ? kernels_.single
                                         : kernels_.together;
        if (!fits(plan, team_.n_workers(), kernels.n_lanes)) {
            refuse(plan.cost());
            return;
        }
        for (std::size_t begin = 0; begin < group.rows.size(); begin += kernels.n_lanes) {
            const std::size_t end = std::min(group.rows.size(), begin + kernels.n_lanes);
            do_rows(worker, plan, kernels, {group.rows.data() + begin, end - begin});
        }
    }

    void do_rows(std::size_t worker, const CliquePlan &plan, const LaneKernels &kernels,
                 std::span<const std::uint32_t> rows) {
        if (is_complete_ && (budget_.exhausted() || !workers_[worker]->run(plan, kernels, rows, budget_))) {
            is_complete_ = false;
        }
    }

    const Inference &inference_;
    const DiscreteNetwork &network_;
    const Question &question_;
    const RowEvidence &evidence_;
    const RowAnswers &answers_;
    const InferenceLimits &limits_;
    const Budget &budget_;
    const CliqueKernels &kernels_;
    std::vector<char> has_likelihood_;
    Team team_;
    Sorted sorted_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::atomic<bool> is_complete_{true};
    std::atomic<bool> is_refused_{false};
    std::mutex mutex_;
    InferenceOutcome outcome_;
};

} // namespace

InferenceOutcome Inference::answer(const Question &question, const RowEvidence &evidence, const RowAnswers &answers,
                                   const InferenceLimits &limits, const Budget &budget) const {
    if (evidence.n_rows == 0) {
        return {};
    }
    return Batch(*this, question, evidence, answers, limits, budget).run();
}

} // namespace arcwise
