// The joint distribution of a few variables that factors make, when it has too many states to list: variables are
// eliminated one by one, and states are drawn backwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// A factor over some of the variables, by ascending number; the last one varies fastest.
struct LogFactor {
    std::vector<std::uint32_t> scope;
    std::vector<double> logarithms;
};

class GapElimination {
  public:
    // Throws std::length_error where a table would have more than `most_cells` cells.
    GapElimination(std::span<const std::size_t> arities, std::vector<LogFactor> factors, std::size_t most_cells);

    // The logarithm of the sum of the product of all factors; minus infinity where all states are impossible.
    [[nodiscard]] double log_sum() const noexcept { return log_sum_; }

    // `n_points` points at equal distances of the cumulative distribution, the first one at `offset` (from 0 to below
    // 1) of a distance. Calls use(states, points) for every joint state that has some of them.
    template <class Use> void draw(std::size_t n_points, double offset, const Use &use) const {
        std::vector<std::uint16_t> states(arities_.size(), 0);
        hand_down(steps_.size(), 0.0, 1.0, {static_cast<double>(n_points), offset}, states, use);
    }

  private:
    // What a variable was eliminated from: the product of the factors that had it, itself the last of the scope.
    struct Step {
        std::uint32_t variable;
        LogFactor product;
    };
    struct Points {
        double number;
        double offset;
        // How many are below a place between 0 and 1.
        [[nodiscard]] std::size_t below(double place) const noexcept;
    };

    [[nodiscard]] LogFactor product_of(const std::vector<LogFactor> &factors, std::uint32_t variable,
                                       std::size_t most_cells) const;
    [[nodiscard]] double cells_with(const std::vector<LogFactor> &factors, std::uint32_t variable) const;
    // The distribution of a step's variable given the states of those that were eliminated later.
    void weigh(const Step &step, std::span<const std::uint16_t> states, std::vector<double> &shares) const;

    template <class Use>
    void hand_down(std::size_t n_left, double begin, double end, const Points &points,
                   std::vector<std::uint16_t> &states, const Use &use) const {
        const std::size_t n_here = points.below(end) - points.below(begin);
        if (n_here == 0) {
            return;
        }
        if (n_left == 0) {
            use(std::span<const std::uint16_t>(states), n_here);
            return;
        }
        const Step &step = steps_[n_left - 1];
        std::vector<double> shares(arities_[step.variable]);
        weigh(step, states, shares);
        double from = begin;
        double sum = 0.0;
        for (std::size_t state = 0; state < shares.size(); ++state) {
            sum += shares[state];
            // Rounding must not leave a point behind the last one.
            const double to = state + 1 == shares.size() ? end : std::min(end, begin + (end - begin) * sum);
            states[step.variable] = static_cast<std::uint16_t>(state);
            if (shares[state] > 0.0) {
                hand_down(n_left - 1, from, to, points, states, use);
                from = to;
            }
        }
    }

    std::vector<std::size_t> arities_;
    std::vector<Step> steps_;
    double log_sum_ = 0.0;
};

} // namespace arcwise
