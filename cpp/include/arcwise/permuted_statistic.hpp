// How a statistic of independence is distributed over random tables with the same margins.
#pragma once

#include "arcwise/independence.hpp"
#include "arcwise/random.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// Permuting a variable within the configurations of the conditions keeps the margins there; every permutation is as
// probable as another when the variable is independent of the other one. So the tables are drawn directly, whatever the
// number of observations.
class PermutedStatistic {
  public:
    explicit PermutedStatistic(Statistic statistic) : statistic_(statistic) {}

    // One configuration of the conditions: how often each state of both variables occurs there.
    void add_configuration(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns);

    // The test of an observed statistic. With b of the draws no smaller, p = (b + 1) / (draws + 1) (Phipson & Smyth
    // 2010, doi:10.2202/1544-6115.1585). Draws end as soon as p must be above alpha, and log p is then what they say.
    // Otherwise there are too few to tell small p apart: log p is that of χ² with as many degrees of freedom as the
    // drawn statistics have on average (Tsamardinos & Borboudakis 2010, ECML), and at most log alpha. NaN when the
    // budget ended it early.
    [[nodiscard]] IndependenceTest test(double observed, std::size_t draws, double log_alpha, Random &random,
                                        const Budget &budget);

  private:
    // A number of observations with two properties, when so many have each.
    [[nodiscard]] std::uint32_t hypergeometric(std::uint32_t with_one, std::uint32_t with_other, std::uint32_t all,
                                               Random &random) const;
    [[nodiscard]] double draw(Random &random);

    struct Configuration {
        std::size_t rows;
        std::size_t columns;
        std::size_t first; // of its margins: rows, then columns
        std::uint32_t total;
    };

    Statistic statistic_;
    std::vector<Configuration> configurations_;
    std::vector<std::uint32_t> margins_;
    double of_margins_ = 0.0; // what the statistic has but for the cells
    std::uint32_t largest_ = 0;
    std::vector<std::uint32_t> left_; // of the columns, while a table is drawn
};

} // namespace arcwise
