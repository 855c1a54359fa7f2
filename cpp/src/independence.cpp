#include "arcwise/independence.hpp"

#include "arcwise/check.hpp"
#include "arcwise/count_table.hpp"
#include "arcwise/permuted_statistic.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

namespace arcwise {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double n_log_n(double n) { return n > 0.0 ? n * std::log(n) : 0.0; }

// One table for all tests: it depends on nothing.
const CountTable<double> &table_of_n_log_n() {
    static const CountTable<double> table(CountTable<double>::max_entries, n_log_n);
    return table;
}

// Adds up a statistic over the configurations of the conditions.
class Sum {
  public:
    Sum(Statistic statistic, std::uint32_t largest)
        : statistic_(statistic), n_log_n_(table_of_n_log_n().up_to(largest)) {}

    // The counts of one configuration: `rows` rows of r counts, `stride` apart.
    void add(const std::uint32_t *counts, std::size_t rows, std::size_t stride, std::size_t r) {
        of_row_.assign(rows, 0);
        of_column_.assign(r, 0);
        for (std::size_t x = 0; x < rows; ++x) {
            for (std::size_t t = 0; t < r; ++t) {
                of_row_[x] += counts[x * stride + t];
                of_column_[t] += counts[x * stride + t];
            }
        }
        if (!add_degrees()) { // nothing can vary here
            return;
        }
        for (std::size_t x = 0; x < rows; ++x) {
            for (std::size_t t = 0; t < r; ++t) {
                add_cell(counts[x * stride + t], of_row_[x], of_column_[t]);
            }
        }
        add_margins();
    }

    // A cell of a configuration that occurs: row, column and count.
    struct Cell {
        std::uint64_t x;
        std::uint64_t t;
        std::uint32_t count;
    };

    // The same for the cells that are not empty, in the order of the rows.
    void add(std::span<const Cell> cells) {
        std::vector<std::uint64_t> columns;
        for (const Cell &cell : cells) {
            columns.push_back(cell.t);
        }
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        const auto column = [&](const Cell &cell) {
            return static_cast<std::size_t>(std::lower_bound(columns.begin(), columns.end(), cell.t) - columns.begin());
        };
        of_row_.clear();
        of_column_.assign(columns.size(), 0);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (i == 0 || cells[i].x != cells[i - 1].x) {
                of_row_.push_back(0);
            }
            of_row_.back() += cells[i].count;
            of_column_[column(cells[i])] += cells[i].count;
        }
        if (!add_degrees()) {
            return;
        }
        std::size_t row = 0;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            row += i > 0 && cells[i].x != cells[i - 1].x;
            add_cell(cells[i].count, of_row_[row], of_column_[column(cells[i])]);
        }
        add_margins();
    }

    [[nodiscard]] IndependenceTest result() const {
        return {statistic(), degrees_, log_chi2_survival(statistic(), degrees_)};
    }

    // Has the margins of each configuration kept, columns first where that is asked for.
    void keep_margins(PermutedStatistic &permuted, bool columns_first) noexcept {
        permuted_ = &permuted;
        columns_first_ = columns_first;
    }
    [[nodiscard]] double statistic() const noexcept {
        return std::max(0.0, statistic_ == Statistic::g2 ? 2.0 * sum_ : sum_);
    }

  private:
    [[nodiscard]] bool add_degrees() {
        const auto occurs = [](std::uint32_t n) { return n > 0; };
        const auto rows = std::count_if(of_row_.begin(), of_row_.end(), occurs);
        const auto columns = std::count_if(of_column_.begin(), of_column_.end(), occurs);
        if (rows < 2 || columns < 2) {
            return false;
        }
        degrees_ += static_cast<double>(rows - 1) * static_cast<double>(columns - 1);
        total_ = std::accumulate(of_column_.begin(), of_column_.end(), std::uint32_t{0});
        if (permuted_ != nullptr) {
            permuted_->add_configuration(columns_first_ ? of_column_ : of_row_, columns_first_ ? of_row_ : of_column_);
        }
        return true;
    }

    // G² / 2 is Σ n ln n over the cells and the whole, less the same over both margins. χ² is n (Σ n_xt² / n_x n_t −
    // 1), where empty cells add nothing.
    void add_cell(std::uint32_t n, std::uint32_t of_row, std::uint32_t of_column) {
        if (n == 0) {
            return;
        }
        if (statistic_ == Statistic::g2) {
            sum_ += n_log_n_(n);
        } else {
            const double expected = static_cast<double>(of_row) / total_ * of_column;
            sum_ += n * (n / expected);
        }
    }

    void add_margins() {
        if (statistic_ == Statistic::chi2) {
            sum_ -= total_;
            return;
        }
        sum_ += n_log_n_(total_);
        for (const std::uint32_t n : of_row_) {
            sum_ -= n_log_n_(n);
        }
        for (const std::uint32_t n : of_column_) {
            sum_ -= n_log_n_(n);
        }
    }

    Statistic statistic_;
    CountTable<double>::Values n_log_n_;
    std::vector<std::uint32_t> of_row_;
    std::vector<std::uint32_t> of_column_;
    std::uint32_t total_ = 0;
    double sum_ = 0.0;
    double degrees_ = 0.0;
    PermutedStatistic *permuted_ = nullptr;
    bool columns_first_ = false;
};

// The configuration of each row, numbered by those that occur.
std::vector<std::uint64_t> numbered_rows(const TableView &table, std::span<const Variable> variables) {
    std::vector<std::uint64_t> number(table.n_rows, 0);
    std::vector<std::uint64_t> seen;
    for (const Variable variable : variables) {
        table.with_column(variable, [&](const auto *codes) {
            for (std::size_t row = 0; row < table.n_rows; ++row) {
                number[row] = number[row] * table.arities[variable] + codes[row];
            }
        });
        seen = number;
        std::sort(seen.begin(), seen.end());
        seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
        for (std::uint64_t &n : number) {
            n = static_cast<std::uint64_t>(std::lower_bound(seen.begin(), seen.end(), n) - seen.begin());
        }
    }
    return number;
}

// The next way of choosing as many of the numbers below n, in ascending order; false after the last one.
bool next_choice(std::vector<std::size_t> &chosen, std::size_t n) {
    const std::size_t size = chosen.size();
    for (std::size_t i = size; i-- > 0;) {
        if (chosen[i] < n - size + i) {
            std::iota(chosen.begin() + static_cast<std::ptrdiff_t>(i), chosen.end(), chosen[i] + 1);
            return true;
        }
    }
    return false;
}

// The tests of the candidates with one set of conditions after the other.
struct Weakening {
    const LocalScore &score;
    const TestRules &rules;
    Variable target;
    std::span<const Variable> candidates;
    std::span<double> log_p;
    std::vector<Variable> tested{};
    std::vector<std::size_t> place{};
    std::vector<IndependenceTest> tests{};

    // Whether some candidate has not been shown to be independent.
    [[nodiscard]] bool is_open() const {
        return std::any_of(log_p.begin(), log_p.end(), [&](double p) { return p <= rules.log_alpha; });
    }

    // Cells of the target and its conditions.
    [[nodiscard]] double cells(std::span<const Variable> given) const {
        auto product = static_cast<double>(score.counter().arity(target));
        for (const Variable variable : given) {
            product *= static_cast<double>(score.counter().arity(variable));
        }
        return product;
    }

    // Whether there are enough observations for so many cells.
    [[nodiscard]] bool fits(double n_cells) const {
        return n_cells * rules.least_per_cell <= static_cast<double>(score.counter().n_observations());
    }

    // False when the budget ended it early.
    [[nodiscard]] bool test(std::span<const Variable> given, Budget &budget) {
        const double of_target = cells(given);
        tested.clear();
        place.clear();
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const bool is_condition = std::find(given.begin(), given.end(), candidates[i]) != given.end();
            const auto arity = static_cast<double>(score.counter().arity(candidates[i]));
            if (log_p[i] <= rules.log_alpha && !is_condition && fits(of_target * arity)) {
                tested.push_back(candidates[i]);
                place.push_back(i);
            }
        }
        tests.resize(tested.size());
        const bool complete = rules.permutations.draws == 0
                                  ? test_independence(score, rules.statistic, target, given, tested, tests, budget)
                                  : test_by_permutations(score, rules.statistic, rules.permutations, rules.log_alpha,
                                                         target, given, tested, tests, budget);
        for (std::size_t i = 0; i < place.size(); ++i) {
            if (!std::isnan(tests[i].log_p)) {
                log_p[place[i]] = std::max(log_p[place[i]], tests[i].log_p);
            }
        }
        return complete;
    }
};

} // namespace

double log_chi2_survival(double statistic, double degrees) noexcept {
    if (!(statistic > 0.0) || !(degrees > 0.0)) {
        return 0.0;
    }
    // The incomplete gamma function: a series where most of the mass lies above, else a continued fraction (modified
    // Lentz). Both end after a few times √a steps.
    const double a = degrees / 2.0;
    const double x = statistic / 2.0;
    const double log_density = a * std::log(x) - x - log_gamma(a);
    constexpr double precision = std::numeric_limits<double>::epsilon();
    constexpr int most_steps = 1'000'000;
    if (x < a + 1.0) {
        double term = 1.0 / a;
        double sum = term;
        for (int i = 1; i < most_steps && term > precision * sum; ++i) {
            term *= x / (a + i);
            sum += term;
        }
        return std::log1p(-std::min(1.0, std::exp(log_density) * sum));
    }
    double b = x + 1.0 - a;
    double c = std::numeric_limits<double>::max();
    double d = 1.0 / b;
    double fraction = d;
    for (int i = 1; i < most_steps; ++i) {
        const double numerator = -i * (i - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        const double change = c * d;
        fraction *= change;
        if (std::abs(change - 1.0) <= precision) {
            break;
        }
    }
    return log_density + std::log(fraction);
}

namespace {

// Adds up the statistic of one test by sorting the rows.
void add_sorted(const TableView &table, Variable target, std::span<const Variable> given, Variable candidate,
                Sum &sum) {
    const std::uint64_t columns = table.arities[target];
    const std::uint64_t cells_each = columns * table.arities[candidate];
    std::vector<std::uint64_t> number = numbered_rows(table, given);
    table.with_column(target, [&](const auto *targets) {
        table.with_column(candidate, [&](const auto *candidates) {
            for (std::size_t row = 0; row < table.n_rows; ++row) {
                number[row] = number[row] * cells_each + candidates[row] * columns + targets[row];
            }
        });
    });
    std::vector<std::pair<std::uint64_t, std::uint32_t>> weighted;
    weighted.reserve(table.n_rows);
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        weighted.emplace_back(number[row], table.weights.empty() ? 1 : table.weights[row]);
    }
    std::sort(weighted.begin(), weighted.end());
    std::vector<Sum::Cell> cells;
    for (std::size_t i = 0; i < weighted.size();) {
        const std::uint64_t here = weighted[i].first;
        std::uint32_t count = 0;
        for (; i < weighted.size() && weighted[i].first == here; ++i) {
            count += weighted[i].second;
        }
        if (count > 0) {
            cells.push_back({here % cells_each / columns, here % columns, count});
        }
        if (i == weighted.size() || weighted[i].first / cells_each != here / cells_each) {
            sum.add(cells);
            cells.clear();
        }
    }
}

// Tests the candidates one after the other: finish(i, add) is called for each, where add(sum) adds up the statistic.
// False when the budget ended it early.
template <class Finish>
bool for_each_test(const LocalScore &score, Variable target, std::span<const Variable> given,
                   std::span<const Variable> candidates, std::span<IndependenceTest> tests, Budget &budget,
                   Finish &&finish) {
    const Counter &counter = score.counter();
    const std::size_t r = counter.arity(target);
    std::fill(tests.begin(), tests.end(), IndependenceTest{nan, nan, nan});
    if (budget.exhausted()) {
        return false;
    }
    std::uint64_t made = 0;
    const auto use = [&](std::size_t i, std::span<const std::uint32_t> counts, std::uint32_t largest) {
        const std::size_t rows = counter.arity(candidates[i]);
        const std::size_t stride = counts.size() / rows;
        finish(i, largest, [&](Sum &sum) {
            for (std::size_t first = 0; first < stride; first += r) {
                sum.add(counts.data() + first, rows, stride, r);
            }
        });
        ++made;
    };
    const auto misfit = [&](std::size_t i) {
        finish(i, 1, [&](Sum &sum) { add_sorted(counter.table(), target, given, candidates[i], sum); });
        ++made;
    };
    const bool complete = counter.count({target, given, candidates, use, misfit, &budget});
    score.charge(made, &budget);
    return complete;
}

} // namespace

IndependenceTest sorted_test(const TableView &table, Statistic statistic, Variable target,
                             std::span<const Variable> given, Variable candidate) {
    Sum sum(statistic, 1);
    add_sorted(table, target, given, candidate, sum);
    return sum.result();
}

bool test_independence(const LocalScore &score, Statistic statistic, Variable target, std::span<const Variable> given,
                       std::span<const Variable> candidates, std::span<IndependenceTest> tests, Budget &budget) {
    const auto finish = [&](std::size_t i, std::uint32_t largest, auto &&add) {
        Sum sum(statistic, largest);
        add(sum);
        tests[i] = sum.result();
    };
    const bool complete = for_each_test(score, target, given, candidates, tests, budget, finish);
#ifdef ARCWISE_DEBUG
    const Counter &counter = score.counter();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const IndependenceTest again = sorted_test(counter.table(), statistic, target, given, candidates[i]);
        ARCWISE_ASSERT(std::isnan(tests[i].statistic) ||
                       (close(tests[i].statistic, again.statistic, static_cast<double>(counter.n_observations())) &&
                        tests[i].degrees == again.degrees));
    }
#endif
    return complete;
}

bool test_by_permutations(const LocalScore &score, Statistic statistic, const Permutations &permutations,
                          double log_alpha, Variable target, std::span<const Variable> given,
                          std::span<const Variable> candidates, std::span<IndependenceTest> tests, Budget &budget) {
    std::vector<Variable> conditions(given.begin(), given.end());
    std::ranges::sort(conditions);
    const auto finish = [&](std::size_t i, std::uint32_t largest, auto &&add) {
        if (budget.exhausted()) { // what came before is as good as many other tests
            return;
        }
        PermutedStatistic permuted(statistic);
        Sum sum(statistic, largest);
        sum.keep_margins(permuted, target < candidates[i]);
        add(sum);
        // A test has its own random numbers, so that it does not matter with which others it is made, nor from which
        // side: two draws for one question would make it harder to pass.
        std::uint64_t seed = mixed(permutations.seed);
        for (const Variable variable : conditions) {
            seed ^= mixed(seed + variable);
        }
        const auto [smaller, larger] = std::minmax(target, candidates[i]);
        Random random(mixed(mixed(seed + smaller) + larger));
        tests[i] = permuted.test(sum.statistic(), permutations.draws, log_alpha, random, budget);
    };
    const bool complete = for_each_test(score, target, conditions, candidates, tests, budget, finish);
    return complete &&
           std::none_of(tests.begin(), tests.end(), [](const auto &test) { return std::isnan(test.log_p); });
}

bool weaken_associations(const LocalScore &score, const TestRules &rules, Variable target,
                         std::span<const Variable> always, std::span<const Variable> sometimes,
                         std::span<const Variable> candidates, std::span<double> log_p, Budget &budget) {
    Weakening work{score, rules, target, candidates, log_p};
    const auto arity = [&](Variable variable) { return score.counter().arity(variable); };
    std::vector<Variable> small_first(sometimes.begin(), sometimes.end());
    std::stable_sort(small_first.begin(), small_first.end(), [&](auto u, auto v) { return arity(u) < arity(v); });
    std::vector<Variable> given;
    for (std::size_t size = 0; size <= sometimes.size() && always.size() + size <= rules.max_conditions; ++size) {
        given.assign(always.begin(), always.end());
        given.insert(given.end(), small_first.begin(), small_first.begin() + static_cast<std::ptrdiff_t>(size));
        if (!work.fits(work.cells(given))) {
            break; // no other set of this size or larger has fewer cells
        }
        std::vector<std::size_t> chosen(size);
        std::iota(chosen.begin(), chosen.end(), std::size_t{0});
        do {
            given.resize(always.size());
            std::transform(chosen.begin(), chosen.end(), std::back_inserter(given),
                           [&](std::size_t i) { return sometimes[i]; });
            if (!work.is_open()) {
                return true;
            }
            if (!work.test(given, budget)) {
                return false;
            }
        } while (next_choice(chosen, sometimes.size()));
    }
    return true;
}

} // namespace arcwise
