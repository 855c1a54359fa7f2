// Rows that a family's parents and more and more other variables do not tell apart although they differ in the child.
#pragma once

#include "arcwise/counter.hpp"
#include "arcwise/score_terms.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// The rows of a table in groups: those that are the same in the parents, and in each variable by which they were split.
// Groups with one state of the child have a likelihood of 1, and keep it however they are split: their rows are left
// out. So the more variables, the fewer rows there are to look at.
class TailRows {
  public:
    // Rows in the groups of the parents.
    void begin(const Counter &counter, Variable child, std::span<const Variable> parents);
    // Splits the groups by one more variable.
    void split(Variable variable);

    // The log-likelihood of the child given the group, in the units of the table, which has n ln n.
    [[nodiscard]] std::int64_t likelihood(const ScoreTable &entropy) const;
    // How many configurations of the parents, and of the variable by which they were split last, have a row that is
    // left.
    [[nodiscard]] std::size_t n_mixed();

  private:
    struct Row {
        std::uint32_t place; // in the table
        std::uint32_t group;
        std::uint32_t parents; // number of their configuration
        std::uint32_t weight;
        std::uint16_t state; // of the child
        std::uint16_t code;  // of the variable by which they were split last
    };

    // Numbers the groups in which the child has more than one state; the rows of others are left out by the next split.
    void number_mixed();

    const Counter *counter_ = nullptr;
    Variable child_ = 0;
    std::size_t n_groups_ = 0;         // that are mixed
    std::size_t n_configurations_ = 0; // of the parents
    std::size_t n_states_ = 0;         // of the variable by which they were split last
    std::vector<Row> rows_;
    std::vector<std::uint32_t> number_; // new numbers of groups, by old number and code
    std::vector<std::uint32_t> mixed_;  // the number among mixed groups of each group
    std::vector<std::uint32_t> counts_; // by mixed group and state of the child
    std::vector<std::uint8_t> seen_;
};

} // namespace arcwise
