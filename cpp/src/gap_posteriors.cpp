#include "arcwise/gap_posteriors.hpp"

#include "arcwise/random.hpp"
#include "arcwise/team.hpp"

#include "gap_elimination.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace arcwise {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
// The least probable entries of a component are left out, as many as are together as improbable as this.
constexpr double negligible = 1e-8;
// Of a table that elimination makes.
constexpr std::size_t most_cells_of_elimination = std::size_t{1} << 22;
constexpr std::size_t fewest_cells = 64;
// Components by the logarithm of the number of their joint states.
constexpr std::size_t n_classes = 64;

// The families of a network as the gaps of a row see them.
struct Families {
    Families(const GapTable &table, const NetworkTables &network) : tables(network) {
        const auto n = static_cast<Variable>(table.n_variables());
        if (network.parents.size() != n || network.logarithms.size() != n) {
            throw std::invalid_argument("the network has other variables than the table");
        }
        members.resize(n);
        strides.resize(n);
        of.resize(n);
        for (Variable child = 0; child < n; ++child) {
            members[child] = network.parents[child];
            members[child].push_back(child);
            strides[child].resize(members[child].size());
            std::size_t stride = 1;
            for (std::size_t place = members[child].size(); place-- > 0;) {
                strides[child][place] = stride;
                stride *= table.arity(members[child][place]);
            }
            if (stride != network.logarithms[child].size()) {
                throw std::invalid_argument("the table of a node has another size than its family");
            }
            for (const Variable v : members[child]) {
                of[v].push_back(child);
            }
        }
    }

    const NetworkTables &tables;
    std::vector<std::vector<Variable>> members; // parents, and then the child
    std::vector<std::vector<std::size_t>> strides;
    std::vector<std::vector<Variable>> of; // children of the families that have a variable
};

// By the number of their joint states, rounded up to a power of two: the bytes that entries of components take.
using Sizes = std::array<double, n_classes>;

double bytes_with(const Sizes &sizes, std::size_t most_cells) {
    double bytes = 0.0;
    for (std::size_t i = 0; i < n_classes; ++i) {
        bytes += sizes[i] * std::min(std::ldexp(1.0, static_cast<int>(i)), static_cast<double>(most_cells));
    }
    return bytes;
}

} // namespace

// What one worker fills gaps with.
class GapFiller {
  public:
    GapFiller(const GapTable &table, const Families &families)
        : table_(table), families_(families), position_(table.n_variables(), absent), stamp_(table.n_variables(), 0) {}

    // Adds what the components of a row take.
    void measure(std::size_t row, Sizes &sizes) {
        begin_row(row);
        for (std::size_t first = 0; first < group_.size(); ++first) {
            if (group_[first] != first) {
                continue;
            }
            double cells = 0.0;
            double n_members = 0.0;
            for (std::size_t i = first; i < group_.size(); ++i) {
                if (group_[i] == first) {
                    cells += std::log2(static_cast<double>(table_.arity(missing_[i])));
                    n_members += 1.0;
                }
            }
            const auto size = std::min<std::size_t>(n_classes - 1, static_cast<std::size_t>(std::ceil(cells)));
            sizes[size] += sizeof(double) + sizeof(std::uint16_t) * n_members;
        }
        end_row();
    }

    // Fills the gaps of a row; returns the logarithm of its probability.
    double fill(std::size_t row, const GapLimits &limits, GapPosteriors &out) {
        GapPosteriors::Block &block = out.blocks_[row / GapPosteriors::rows_per_block];
        begin_row(row);
        double log_likelihood = 0.0;
        for (Variable child = 0; child < table_.n_variables(); ++child) {
            if (stamp_[child] != clock_) {
                log_likelihood += families_.tables.logarithms[child][observed_offset(row, child)];
            }
        }
        bool has_drawn = false;
        for (std::size_t first = 0; first < group_.size(); ++first) {
            if (group_[first] == first) {
                collect(row, first, block, std::span(out.places_).subspan(table_.first_gap(row)));
                log_likelihood += posterior(row, limits, block, has_drawn);
                add_marginals(block, out.marginals_);
                block.components.push_back(extent_);
            }
        }
        block.n_drawn_rows += has_drawn ? 1 : 0;
        end_row();
        return log_likelihood;
    }

  private:
    static constexpr std::size_t absent = static_cast<std::size_t>(-1);

    // A family with gaps in this component: its table from the states that are there, and how far one step of a
    // member's state goes.
    struct Factor {
        const double *at;
        std::size_t begin; // of its terms
        std::size_t end;
    };
    struct Term {
        std::uint32_t member;
        std::size_t stride;
    };

    // Finds what depends on each other: group_[i] is the first gap of the component of gap i.
    void begin_row(std::size_t row) {
        ++clock_;
        missing_ = table_.missing(row);
        group_.resize(missing_.size());
        std::iota(group_.begin(), group_.end(), std::size_t{0});
        for (std::size_t i = 0; i < missing_.size(); ++i) {
            position_[missing_[i]] = i;
        }
        touched_.clear();
        for (const Variable v : missing_) {
            for (const Variable child : families_.of[v]) {
                if (stamp_[child] != clock_) {
                    stamp_[child] = clock_;
                    touched_.push_back(child);
                    join(child, position_[v]);
                }
            }
        }
        for (std::size_t i = 0; i < group_.size(); ++i) {
            group_[i] = first_of(i);
        }
    }

    void end_row() {
        for (const Variable v : missing_) {
            position_[v] = absent;
        }
    }

    [[nodiscard]] std::size_t first_of(std::size_t i) const {
        while (group_[i] != i) {
            i = group_[i];
        }
        return i;
    }

    void join(Variable child, std::size_t with) {
        for (const Variable member : families_.members[child]) {
            if (position_[member] != absent) {
                const std::size_t a = first_of(with);
                const std::size_t b = first_of(position_[member]);
                group_[std::max(a, b)] = std::min(a, b);
            }
        }
    }

    [[nodiscard]] std::size_t observed_offset(std::size_t row, Variable child) const {
        const auto &members = families_.members[child];
        const auto &strides = families_.strides[child];
        std::size_t offset = 0;
        for (std::size_t place = 0; place < members.size(); ++place) {
            const bool is_there = position_[members[place]] == absent;
            offset += is_there ? table_.code(row, members[place]) * strides[place] : 0;
        }
        return offset;
    }

    // The members of a component and its factors, ordered by the last member that each needs.
    void collect(std::size_t row, std::size_t first, GapPosteriors::Block &block,
                 std::span<GapPosteriors::Place> places) {
        extent_ = {block.members.size(), 0, block.probabilities.size(), 0, block.states.size()};
        gaps_.clear();
        arities_.clear();
        member_of_.assign(missing_.size(), 0);
        for (std::size_t i = first; i < group_.size(); ++i) {
            if (group_[i] == first) {
                member_of_[i] = static_cast<std::uint32_t>(extent_.n_members++);
                places[i] = {static_cast<std::uint32_t>(block.components.size()), member_of_[i]};
                block.members.push_back(missing_[i]);
                gaps_.push_back(table_.first_gap(row) + i);
                arities_.push_back(table_.arity(missing_[i]));
            }
        }
        terms_.clear();
        factors_.assign(extent_.n_members, {});
        for (const Variable child : touched_) {
            const auto &members = families_.members[child];
            const auto is_here = [&](Variable v) { return position_[v] != absent && group_[position_[v]] == first; };
            if (std::ranges::none_of(members, is_here)) {
                continue;
            }
            const std::size_t begin = terms_.size();
            for (std::size_t place = 0; place < members.size(); ++place) {
                if (position_[members[place]] != absent) {
                    terms_.push_back({member_of_[position_[members[place]]], families_.strides[child][place]});
                }
            }
            std::sort(terms_.begin() + static_cast<std::ptrdiff_t>(begin), terms_.end(),
                      [](const Term &a, const Term &b) { return a.member < b.member; });
            const double *const table = families_.tables.logarithms[child].data();
            factors_[terms_.back().member].push_back({table + observed_offset(row, child), begin, terms_.size()});
        }
    }

    // The entries of the component; returns the logarithm of what their probabilities sum to.
    double posterior(std::size_t row, const GapLimits &limits, GapPosteriors::Block &block, bool &has_drawn) {
        double cells = 1.0;
        for (const std::size_t arity : arities_) {
            cells *= static_cast<double>(arity);
        }
        double log_sum = minus_infinity;
        if (cells <= static_cast<double>(limits.most_cells)) {
            states_.assign(arities_.size(), 0);
            enumerate(0, 0.0, block);
            log_sum = normalise(block);
        } else {
            const GapElimination elimination(arities_, log_factors(), most_cells_of_elimination);
            log_sum = elimination.log_sum();
            if (log_sum != minus_infinity) {
                const double n_points = static_cast<double>(limits.most_cells);
                const std::uint64_t drawn = mixed(limits.seed ^ mixed(row * golden_step + extent_.members));
                elimination.draw(limits.most_cells, static_cast<double>(drawn >> 11) * 0x1.0p-53,
                                 [&](std::span<const std::uint16_t> states, std::size_t n) {
                                     block.states.insert(block.states.end(), states.begin(), states.end());
                                     block.probabilities.push_back(static_cast<double>(n) / n_points);
                                 });
            }
            has_drawn = true;
        }
        if (block.probabilities.size() == extent_.entries) { // impossible: anything will do, and the caller is told
            block.states.insert(block.states.end(), arities_.size(), 0);
            block.probabilities.push_back(1.0);
        }
        extent_.n_entries = block.probabilities.size() - extent_.entries;
        return log_sum;
    }

    // Depth first, so that joint states share the factors of their first members. Probabilities are logarithms yet.
    void enumerate(std::size_t member, double so_far, GapPosteriors::Block &block) {
        for (std::size_t state = 0; state < arities_[member]; ++state) {
            states_[member] = static_cast<std::uint16_t>(state);
            double value = so_far;
            for (const Factor &factor : factors_[member]) {
                std::size_t offset = 0;
                for (std::size_t t = factor.begin; t < factor.end; ++t) {
                    offset += states_[terms_[t].member] * terms_[t].stride;
                }
                value += factor.at[offset];
            }
            if (value == minus_infinity) {
                continue;
            }
            if (member + 1 < arities_.size()) {
                enumerate(member + 1, value, block);
            } else {
                block.probabilities.push_back(value);
                block.states.insert(block.states.end(), states_.begin(), states_.end());
            }
        }
    }

    // Turns the logarithms of the entries into probabilities, leaves out what is negligible, and returns the logarithm
    // of their sum.
    double normalise(GapPosteriors::Block &block) {
        const std::span values(block.probabilities.begin() + static_cast<std::ptrdiff_t>(extent_.entries),
                               block.probabilities.end());
        if (values.empty()) {
            return minus_infinity;
        }
        const double most = *std::ranges::max_element(values);
        double sum = 0.0;
        for (double &value : values) {
            value = std::exp(value - most);
            sum += value;
        }
        const std::size_t k = arities_.size();
        const double least = least_kept(values, negligible * sum);
        std::uint16_t *const states = block.states.data() + extent_.states;
        std::size_t n_kept = 0;
        double kept = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i] >= least) {
                kept += values[i];
                values[n_kept] = values[i];
                std::copy_n(states + i * k, k, states + n_kept * k);
                ++n_kept;
            }
        }
        for (double &value : values.first(n_kept)) {
            value /= kept;
        }
        block.probabilities.resize(extent_.entries + n_kept);
        block.states.resize(extent_.states + n_kept * k);
        return most + std::log(sum);
    }

    // All values below this sum to so much at most.
    double least_kept(std::span<const double> values, double most_lost) {
        sorted_.assign(values.begin(), values.end());
        std::ranges::sort(sorted_);
        double lost = 0.0;
        for (const double value : sorted_) {
            lost += value;
            if (lost > most_lost) {
                return value;
            }
        }
        return sorted_.back();
    }

    [[nodiscard]] std::vector<LogFactor> log_factors() const {
        std::vector<LogFactor> found;
        for (const auto &ending_here : factors_) {
            for (const Factor &factor : ending_here) {
                LogFactor log_factor;
                std::vector<std::size_t> strides;
                std::size_t n_cells = 1;
                for (std::size_t t = factor.begin; t < factor.end; ++t) {
                    log_factor.scope.push_back(terms_[t].member);
                    strides.push_back(terms_[t].stride);
                    n_cells *= arities_[terms_[t].member];
                }
                for (std::size_t cell = 0; cell < n_cells; ++cell) {
                    std::size_t rest = cell;
                    std::size_t offset = 0;
                    for (std::size_t axis = strides.size(); axis-- > 0;) {
                        const std::size_t arity = arities_[log_factor.scope[axis]];
                        offset += rest % arity * strides[axis];
                        rest /= arity;
                    }
                    log_factor.logarithms.push_back(factor.at[offset]);
                }
                found.push_back(std::move(log_factor));
            }
        }
        return found;
    }

    // The distribution of each member, summed over the entries in their order.
    void add_marginals(const GapPosteriors::Block &block, std::span<std::vector<double>> marginals) const {
        const std::size_t k = arities_.size();
        for (std::size_t member = 0; member < k; ++member) {
            const Variable variable = block.members[extent_.members + member];
            double *const sums = marginals[variable].data() + table_.rank(gaps_[member]) * arities_[member];
            for (std::size_t i = 0; i < extent_.n_entries; ++i) {
                sums[block.states[extent_.states + i * k + member]] += block.probabilities[extent_.entries + i];
            }
        }
    }

    const GapTable &table_;
    const Families &families_;
    std::vector<std::size_t> position_; // of a variable among the gaps of the row
    std::vector<std::uint64_t> stamp_;  // families that have gaps in this row bear its number
    std::uint64_t clock_ = 0;
    std::span<const Variable> missing_;
    std::vector<std::size_t> group_;
    std::vector<Variable> touched_;
    // Of the component.
    GapPosteriors::Extent extent_{};
    std::vector<std::uint32_t> member_of_;
    std::vector<std::size_t> gaps_; // the members among all gaps of the table
    std::vector<std::size_t> arities_;
    std::vector<Term> terms_;
    std::vector<std::vector<Factor>> factors_; // by their last member
    std::vector<std::uint16_t> states_;
    std::vector<double> sorted_;
};

GapPosteriors::GapPosteriors(std::shared_ptr<const GapTable> table, const NetworkTables &network, GapLimits limits,
                             Budget &budget)
    : table_(std::move(table)), most_cells_(std::max(limits.most_cells, fewest_cells)),
      row_log_likelihoods_(table_->n_rows()), places_(table_->n_gaps()),
      blocks_((table_->n_rows() + rows_per_block - 1) / rows_per_block) {
    const Families families(*table_, network);
    const std::size_t n_rows = table_->n_rows();
    Team team(budget.threads());
    std::vector<std::unique_ptr<GapFiller>> fillers(team.n_workers());
    const auto filler = [&](std::size_t worker) -> GapFiller & {
        if (fillers[worker] == nullptr) {
            fillers[worker] = std::make_unique<GapFiller>(*table_, families);
        }
        return *fillers[worker];
    };
    std::vector<Sizes> sizes(blocks_.size(), Sizes{});
    std::atomic<bool> is_over{false};
    constexpr double cost_of_row = 5e3; // nanoseconds, roughly
    const auto for_rows = [&](const auto &work) {
        team.run(blocks_.size(), cost_of_row * rows_per_block, [&](std::size_t worker, std::size_t b) {
            for (std::size_t row = b * rows_per_block; row < std::min(n_rows, (b + 1) * rows_per_block); ++row) {
                if (row % 16 == 0 && budget.exhausted()) {
                    is_over.store(true, std::memory_order_relaxed);
                    return;
                }
                work(filler(worker), b, row);
            }
        });
        return !is_over.load(std::memory_order_relaxed);
    };
    if (!for_rows([&](GapFiller &its, std::size_t b, std::size_t row) { its.measure(row, sizes[b]); })) {
        return;
    }
    Sizes all{};
    for (const Sizes &of_block : sizes) {
        std::transform(all.begin(), all.end(), of_block.begin(), all.begin(), std::plus<>());
    }
    const auto most_bytes = static_cast<double>(limits.most_bytes);
    while (most_cells_ > fewest_cells && bytes_with(all, most_cells_) > most_bytes) {
        most_cells_ = std::max(fewest_cells, most_cells_ / 2);
    }
    if (bytes_with(all, most_cells_) > most_bytes) {
        throw std::length_error("the posteriors of the gaps need about " +
                                std::to_string(static_cast<std::uint64_t>(bytes_with(all, most_cells_))) + " bytes");
    }
    limits.most_cells = most_cells_;
    marginals_.resize(table_->n_variables());
    for (Variable v = 0; v < table_->n_variables(); ++v) {
        marginals_[v].assign(table_->gaps_of(v).size() * table_->arity(v), 0.0);
    }
    is_complete_ = for_rows([&](GapFiller &its, std::size_t, std::size_t row) {
        row_log_likelihoods_[row] = its.fill(row, limits, *this);
    });
    for (std::size_t row = 0; is_complete_ && row < n_rows; ++row) {
        const double weight = table_->weight(row);
        log_likelihood_ += weight > 0.0 ? weight * row_log_likelihoods_[row] : 0.0; // never seen, it may be impossible
    }
}

GapComponent GapPosteriors::view(const Block &block, std::uint32_t number) noexcept {
    const Extent &its = block.components[number];
    return {{block.members.data() + its.members, its.n_members},
            {block.probabilities.data() + its.entries, its.n_entries},
            {block.states.data() + its.states, its.n_entries * its.n_members}};
}

std::size_t GapPosteriors::n_entries() const noexcept {
    return std::accumulate(blocks_.begin(), blocks_.end(), std::size_t{0},
                           [](std::size_t sum, const Block &block) { return sum + block.probabilities.size(); });
}

std::size_t GapPosteriors::n_drawn_rows() const noexcept {
    return std::accumulate(blocks_.begin(), blocks_.end(), std::size_t{0},
                           [](std::size_t sum, const Block &block) { return sum + block.n_drawn_rows; });
}

std::size_t GapPosteriors::bytes() const noexcept {
    std::size_t bytes = row_log_likelihoods_.size() * sizeof(double) + places_.size() * sizeof(Place);
    for (const Block &block : blocks_) {
        bytes += block.components.capacity() * sizeof(Extent) + block.members.capacity() * sizeof(Variable) +
                 block.states.capacity() * sizeof(std::uint16_t) + block.probabilities.capacity() * sizeof(double);
    }
    for (const std::vector<double> &of_variable : marginals_) {
        bytes += of_variable.size() * sizeof(double);
    }
    return bytes;
}

std::vector<std::uint16_t> GapPosteriors::draw(std::uint64_t seed) const {
    const std::size_t n_rows = table_->n_rows();
    std::vector<std::uint16_t> codes(n_rows * table_->n_variables());
    for (Variable v = 0; v < table_->n_variables(); ++v) {
        std::ranges::copy(table_->column(v), codes.begin() + static_cast<std::ptrdiff_t>(v * n_rows));
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        for (std::size_t row = b * rows_per_block; row < std::min(n_rows, (b + 1) * rows_per_block); ++row) {
            SplitMix random(mixed(seed ^ mixed(row)));
            const std::size_t first = table_->first_gap(row);
            for (std::size_t i = 0; i < table_->missing(row).size(); ++i) {
                if (places_[first + i].member > 0) {
                    continue; // drawn with the first one
                }
                const GapComponent its = view(blocks_[b], places_[first + i].component);
                const double point = static_cast<double>(random.next() >> 11) * 0x1.0p-53;
                double sum = 0.0;
                std::size_t drawn = 0;
                for (std::size_t entry = 0; entry < its.probabilities.size(); ++entry) {
                    sum += its.probabilities[entry];
                    drawn = entry;
                    if (sum > point) {
                        break;
                    }
                }
                for (std::size_t m = 0; m < its.members.size(); ++m) {
                    codes[its.members[m] * n_rows + row] = its.states[drawn * its.members.size() + m];
                }
            }
        }
    }
    return codes;
}

} // namespace arcwise
