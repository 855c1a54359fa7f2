#include "gap_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace arcwise {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

bool has(const LogFactor &factor, std::uint32_t variable) {
    return std::ranges::find(factor.scope, variable) != factor.scope.end();
}

} // namespace

GapElimination::GapElimination(std::span<const std::size_t> arities, std::vector<LogFactor> factors,
                               std::size_t most_cells)
    : arities_(arities.begin(), arities.end()) {
    std::vector<std::uint32_t> left(arities_.size());
    std::iota(left.begin(), left.end(), 0U);
    while (!left.empty()) {
        // The one whose product is smallest.
        const auto chosen =
            std::ranges::min_element(left, {}, [&](std::uint32_t variable) { return cells_with(factors, variable); });
        const std::uint32_t variable = *chosen;
        left.erase(chosen);
        Step step{variable, product_of(factors, variable, most_cells)};
        std::erase_if(factors, [&](const LogFactor &factor) { return has(factor, variable); });
        const std::size_t r = arities_[variable];
        LogFactor message{step.product.scope, {}};
        message.scope.pop_back();
        for (std::size_t begin = 0; begin < step.product.logarithms.size(); begin += r) {
            const std::span<const double> row(step.product.logarithms.data() + begin, r);
            const double most = *std::ranges::max_element(row);
            double sum = 0.0;
            for (const double value : row) {
                sum += most == minus_infinity ? 0.0 : std::exp(value - most);
            }
            message.logarithms.push_back(most == minus_infinity ? minus_infinity : most + std::log(sum));
        }
        if (message.scope.empty()) {
            log_sum_ += message.logarithms.front();
        } else {
            factors.push_back(std::move(message));
        }
        steps_.push_back(std::move(step));
    }
}

double GapElimination::cells_with(const std::vector<LogFactor> &factors, std::uint32_t variable) const {
    std::vector<bool> is_in(arities_.size(), false);
    double cells = 1.0;
    for (const LogFactor &factor : factors) {
        if (has(factor, variable)) {
            for (const std::uint32_t v : factor.scope) {
                cells *= is_in[v] ? 1.0 : static_cast<double>(arities_[v]);
                is_in[v] = true;
            }
        }
    }
    return cells;
}

LogFactor GapElimination::product_of(const std::vector<LogFactor> &factors, std::uint32_t variable,
                                     std::size_t most_cells) const {
    const double n_cells = cells_with(factors, variable);
    if (n_cells > static_cast<double>(most_cells)) {
        throw std::length_error("the gaps of a row depend on each other in tables of " +
                                std::to_string(static_cast<std::uint64_t>(std::min(n_cells, 1e18))) + " cells");
    }
    LogFactor product;
    std::vector<const LogFactor *> with_it;
    for (const LogFactor &factor : factors) {
        if (has(factor, variable)) {
            with_it.push_back(&factor);
            product.scope.insert(product.scope.end(), factor.scope.begin(), factor.scope.end());
        }
    }
    std::ranges::sort(product.scope);
    const auto repeated = std::ranges::unique(product.scope);
    product.scope.erase(repeated.begin(), repeated.end());
    std::erase(product.scope, variable);
    product.scope.push_back(variable);
    product.logarithms.assign(static_cast<std::size_t>(n_cells), 0.0);
    for (const LogFactor *factor : with_it) {
        // How far a step along each axis of the product goes in the factor.
        std::vector<std::size_t> strides(product.scope.size(), 0);
        std::size_t stride = 1;
        for (std::size_t axis = factor->scope.size(); axis-- > 0;) {
            const auto place = std::ranges::find(product.scope, factor->scope[axis]) - product.scope.begin();
            strides[static_cast<std::size_t>(place)] = stride;
            stride *= arities_[factor->scope[axis]];
        }
        std::vector<std::size_t> digits(product.scope.size(), 0);
        std::size_t at = 0;
        for (double &value : product.logarithms) {
            value += factor->logarithms[at];
            for (std::size_t axis = digits.size(); axis-- > 0;) { // the next joint state
                at += strides[axis];
                if (++digits[axis] < arities_[product.scope[axis]]) {
                    break;
                }
                at -= strides[axis] * digits[axis];
                digits[axis] = 0;
            }
        }
    }
    return product;
}

void GapElimination::weigh(const Step &step, std::span<const std::uint16_t> states, std::vector<double> &shares) const {
    std::size_t at = 0;
    for (const std::uint32_t v : step.product.scope) {
        at = at * arities_[v] + (v == step.variable ? 0 : states[v]);
    }
    const std::span<const double> row(step.product.logarithms.data() + at, shares.size());
    const double most = *std::ranges::max_element(row);
    double sum = 0.0;
    for (std::size_t state = 0; state < shares.size(); ++state) {
        shares[state] = most == minus_infinity ? 1.0 : std::exp(row[state] - most);
        sum += shares[state];
    }
    for (double &share : shares) {
        share /= sum;
    }
}

std::size_t GapElimination::Points::below(double place) const noexcept {
    const double first_after = std::ceil(place * number - offset);
    return static_cast<std::size_t>(std::clamp(first_after, 0.0, number));
}

} // namespace arcwise
