#include "arcwise/permuted_statistic.hpp"

#include "arcwise/count_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace arcwise {
namespace {

double n_log_n(double n) { return n > 0.0 ? n * std::log(n) : 0.0; }

const CountTable<double> &table_of_n_log_n() {
    static const CountTable<double> table(CountTable<double>::max_entries, n_log_n);
    return table;
}

const CountTable<double> &table_of_log_factorials() {
    static const CountTable<double> table(CountTable<double>::max_entries, [](double n) { return log_gamma(n + 1.0); });
    return table;
}

} // namespace

void PermutedStatistic::add_configuration(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns) {
    const auto occurs = [](std::uint32_t n) { return n > 0; };
    const std::size_t first = margins_.size();
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(margins_), occurs);
    const std::size_t n_rows = margins_.size() - first;
    std::copy_if(columns.begin(), columns.end(), std::back_inserter(margins_), occurs);
    const std::uint32_t total = std::accumulate(columns.begin(), columns.end(), std::uint32_t{0});
    configurations_.push_back({n_rows, margins_.size() - first - n_rows, first, total});
    largest_ = std::max(largest_, total);
    if (statistic_ == Statistic::chi2) {
        of_margins_ -= total;
        return;
    }
    const CountTable<double>::Values value = table_of_n_log_n().up_to(total);
    of_margins_ += 2.0 * value(total);
    for (std::size_t i = first; i < margins_.size(); ++i) {
        of_margins_ -= 2.0 * value(margins_[i]);
    }
}

std::uint32_t PermutedStatistic::hypergeometric(std::uint32_t with_one, std::uint32_t with_other, std::uint32_t all,
                                                Random &random) const {
    const std::uint32_t least = with_one + with_other > all ? with_one + with_other - all : 0;
    const std::uint32_t most = std::min(with_one, with_other);
    if (least == most) {
        return least;
    }
    const double one = with_one;
    const double other = with_other;
    const double neither = static_cast<double>(all) - one - other; // with none in common
    const auto mode = std::clamp(
        static_cast<std::uint32_t>((one + 1.0) * (other + 1.0) / (static_cast<double>(all) + 2.0)), least, most);
    const CountTable<double>::Values log_factorial = table_of_log_factorials().up_to(largest_);
    const auto log_choices = [&](std::uint32_t n, std::uint32_t k) {
        return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
    };
    const double at_mode = std::exp(log_choices(with_one, mode) + log_choices(all - with_one, with_other - mode) -
                                    log_choices(all, with_other));
    // Probabilities are taken away from the uniform number, from the mode on both sides.
    double left = random.fraction() - at_mode;
    std::uint32_t low = mode;
    std::uint32_t high = mode;
    double of_low = at_mode;
    double of_high = at_mode;
    while (left >= 0.0 && (low > least || high < most)) {
        if (high < most) {
            const double k = high++;
            of_high *= (one - k) * (other - k) / ((k + 1.0) * (neither + k + 1.0));
            left -= of_high;
            if (left < 0.0) {
                return high;
            }
        }
        if (low > least) {
            const double k = low--;
            of_low *= k * (neither + k) / ((one - k + 1.0) * (other - k + 1.0));
            left -= of_low;
            if (left < 0.0) {
                return low;
            }
        }
    }
    return mode; // at once, or where rounding has left something over
}

double PermutedStatistic::draw(Random &random) {
    const CountTable<double>::Values value = table_of_n_log_n().up_to(largest_);
    double sum = of_margins_;
    for (const Configuration &configuration : configurations_) {
        const std::uint32_t *rows = margins_.data() + configuration.first;
        const std::uint32_t *columns = rows + configuration.rows;
        left_.assign(columns, columns + configuration.columns);
        std::uint32_t left_of_all = configuration.total;
        for (std::size_t x = 0; x < configuration.rows; ++x) {
            // The row's observations fall on what is left of the columns, one column after the other.
            std::uint32_t of_row = rows[x];
            std::uint32_t of_rest = left_of_all;
            left_of_all -= of_row;
            for (std::size_t t = 0; t < configuration.columns; ++t) {
                const std::uint32_t n = hypergeometric(of_row, left_[t], of_rest, random);
                of_row -= n;
                of_rest -= left_[t];
                left_[t] -= n;
                if (n > 0 && statistic_ == Statistic::g2) {
                    sum += 2.0 * value(n);
                } else if (n > 0) {
                    const double expected = static_cast<double>(rows[x]) / configuration.total * columns[t];
                    sum += n * (n / expected);
                }
            }
        }
    }
    return std::max(0.0, sum);
}

IndependenceTest PermutedStatistic::test(double observed, std::size_t draws, double log_alpha, Random &random,
                                         const Budget &budget) {
    if (configurations_.empty()) { // nothing can vary
        return {0.0, 0.0, 0.0};
    }
    const double tie = observed - 1e-9 * (1.0 + observed); // but for rounding
    const double enough = std::exp(log_alpha) * (static_cast<double>(draws) + 1.0);
    double no_smaller = 1.0; // the observed one counts too
    double sum = 0.0;
    for (std::size_t drawn = 1; drawn <= draws; ++drawn) {
        if (drawn % 64 == 0 && budget.exhausted()) {
            constexpr double nan = std::numeric_limits<double>::quiet_NaN();
            return {nan, nan, nan};
        }
        const double statistic = draw(random);
        sum += statistic;
        no_smaller += statistic >= tie ? 1.0 : 0.0;
        if (no_smaller > enough) {
            const double p = no_smaller / (static_cast<double>(drawn) + 1.0);
            return {observed, sum / static_cast<double>(drawn), std::log(p)};
        }
    }
    const double degrees = sum / static_cast<double>(draws);
    return {observed, degrees, std::min(log_alpha, log_chi2_survival(observed, degrees))};
}

} // namespace arcwise
