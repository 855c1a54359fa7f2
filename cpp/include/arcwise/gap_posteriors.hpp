// What is known of the cells of a table that are missing, given those that are there: the E-step of EM.
#pragma once

#include "arcwise/budget.hpp"
#include "arcwise/gap_table.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace arcwise {

// A network over the variables of a table: the parents of each node, and the logarithms of its probabilities, with an
// axis for each parent in their order and a last one for the node, which varies fastest.
struct NetworkTables {
    std::vector<std::vector<Variable>> parents;
    std::vector<std::vector<double>> logarithms;
};

// How exactly gaps are filled.
struct GapLimits {
    std::size_t most_cells; // joint states of gaps that depend on each other: up to so many are all kept, exactly
    std::size_t most_bytes; // for all of them together
    std::uint64_t seed;     // where only some of them are kept
};

// Some of the missing cells of a row, which depend on each other given the row, and on no others. Two gaps are joined
// where a family of the network contains both (its moral graph, restricted to what is missing). Their joint posterior
// is a list of entries: the state of each member, and a probability.
struct GapComponent {
    std::span<const Variable> members;     // ascending
    std::span<const double> probabilities; // of the entries; they sum to 1
    std::span<const std::uint16_t> states; // of each entry those of all members
};

// The posteriors of all gaps. Components are independent of each other given what is there, so that what is expected of
// any set of variables is a product of one factor from each component that it meets.
//
// A component with at most `most_cells` joint states is enumerated, depth first. A larger one is eliminated variable by
// variable, which gives its exact probability, and so many entries are then drawn from its exact posterior at equal
// distances (systematic sampling: the first point is random, and an entry as probable as k distances has k or k + 1
// of them).
class GapPosteriors {
  public:
    // Throws std::length_error where memory does not suffice even with few cells, or a component is too wide for
    // elimination.
    GapPosteriors(std::shared_ptr<const GapTable> table, const NetworkTables &network, GapLimits limits,
                  Budget &budget);

    // Whether the budget has lasted; nothing else may be asked otherwise.
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
    [[nodiscard]] const GapTable &table() const noexcept { return *table_; }
    [[nodiscard]] const std::shared_ptr<const GapTable> &shared_table() const noexcept { return table_; }

    // The logarithm of the probability of what is there: in each row, and in all of them with their weights.
    [[nodiscard]] std::span<const double> row_log_likelihoods() const noexcept { return row_log_likelihoods_; }
    [[nodiscard]] double log_likelihood() const noexcept { return log_likelihood_; }

    // The component of a gap of a row, and which member the gap is; components of a row are numbered ascending.
    struct Place {
        std::uint32_t component;
        std::uint32_t member;
    };
    [[nodiscard]] Place place(std::size_t gap) const noexcept { return places_[gap]; }
    [[nodiscard]] GapComponent component(std::size_t row, std::uint32_t number) const noexcept {
        return view(blocks_[row / rows_per_block], number);
    }

    // The distribution of each gap of a variable, by ascending rows, one behind the other.
    [[nodiscard]] std::span<const double> marginals(Variable variable) const noexcept { return marginals_[variable]; }

    // Up to how many joint states components were enumerated: fewer than asked for where memory is short.
    [[nodiscard]] std::size_t most_cells() const noexcept { return most_cells_; }
    [[nodiscard]] std::size_t n_entries() const noexcept;
    // Rows with a component of which only some entries are kept.
    [[nodiscard]] std::size_t n_drawn_rows() const noexcept;
    [[nodiscard]] std::size_t bytes() const noexcept;

    // All gaps filled with one draw from their posterior: the codes, column by column.
    [[nodiscard]] std::vector<std::uint16_t> draw(std::uint64_t seed) const;

  private:
    friend class GapFiller;
    static constexpr std::size_t rows_per_block = 128;

    // All vectors are one component behind the other.
    struct Extent {
        std::size_t members;
        std::size_t n_members;
        std::size_t entries;
        std::size_t n_entries;
        std::size_t states;
    };
    struct Block {
        std::vector<Extent> components;
        std::vector<Variable> members;
        std::vector<double> probabilities;
        std::vector<std::uint16_t> states;
        std::size_t n_drawn_rows = 0;
    };

    [[nodiscard]] static GapComponent view(const Block &block, std::uint32_t number) noexcept;

    std::shared_ptr<const GapTable> table_;
    std::size_t most_cells_;
    bool is_complete_ = false;
    double log_likelihood_ = 0.0;
    std::vector<double> row_log_likelihoods_;
    std::vector<Place> places_;
    std::vector<Block> blocks_;
    std::vector<std::vector<double>> marginals_;
};

} // namespace arcwise
