// How questions about a discrete network are answered: which tables are multiplied and summed, in which order.
#pragma once

#include "arcwise/clique_kernels.hpp"
#include "arcwise/elimination.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace arcwise {

// A network whose nodes all have tables.
struct DiscreteNetwork {
    DiscreteNetwork(std::vector<std::uint32_t> arities, const std::vector<Scope> &parents,
                    std::vector<std::vector<double>> tables);

    [[nodiscard]] std::size_t size() const noexcept { return arities.size(); }

    std::vector<std::uint32_t> arities;
    std::vector<Scope> families;                     // the parents and then the node
    std::vector<std::vector<std::uint32_t>> strides; // of the members of a family in its table; the node's is 1
    std::vector<std::vector<double>> tables;         // distributions that sum to 1
    std::vector<std::uint32_t> order;                // parents before children
};

// What is known of a node in the rows that share a plan. A node that is known in all of them is cut out of the tables;
// one that is known in some, or of which there is soft evidence, has a likelihood for each of its states.
enum class Known : char { never, in_part, always };

struct Question {
    enum class Kind { posteriors, most_probable, draws };

    Kind kind = Kind::posteriors;
    std::vector<Scope> sets; // whose joint posteriors are asked for; those of a set are counted in its order
};

// What must be computed, told before any table is made.
struct CliqueCost {
    double cells = 0.0; // of all cliques
    double largest_cells = 0.0;
    std::size_t largest_nodes = 0;
};

// Memory that is given back all at once.
template <class T> class Arena {
  public:
    [[nodiscard]] T *allocate(std::size_t n) {
        if (blocks_.empty() || used_ + n > size_) {
            size_ = std::max(n, std::min(block_size, std::size_t{64} << std::min<std::size_t>(blocks_.size(), 20)));
            used_ = 0;
            blocks_.push_back(std::make_unique<T[]>(size_));
        }
        T *const found = blocks_.back().get() + used_;
        used_ += n;
        return found;
    }

  private:
    static constexpr std::size_t block_size = 1 << 14;

    std::vector<std::unique_ptr<T[]>> blocks_;
    std::size_t size_ = 0;
    std::size_t used_ = 0;
};

// A plan for all rows in which the same is known. Evidence and answers of several rows at a time are in a workspace, a
// number for each lane in every cell of it.
//
// Cliques are those of a junction tree of what is left when nodes that are always known are cut out, and nodes that
// neither the evidence nor the question depend on (Shachter 1986) are left out. Messages go to the roots and back
// (Jensen, Lauritzen & Olesen 1990), but a clique's own table is never stored: it is made again, cell by cell, from the
// tables that come in, and each cell is added to all tables that go out. So all that a row needs is what cliques share.
class CliquePlan {
  public:
    // A family that contains known nodes: cell c of its table in the workspace is offsets[c] after where the known ones
    // point to.
    struct Cut {
        std::uint32_t node;
        std::size_t begin;
        std::vector<std::uint32_t> offsets;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> known; // nodes and their strides
    };

    struct Likelihood {
        std::uint32_t node;
        std::size_t begin;
    };

    // A table in the workspace that is rescaled when it is done. Those on the way to the root count: the probability of
    // the evidence needs their exponents.
    struct Scaling {
        std::size_t begin;
        std::size_t cells;
        bool counts;
        std::size_t divisor; // what it is then divided by, or nothing
    };

    struct Step {
        static constexpr std::size_t nothing = SIZE_MAX;

        CliquePass pass;
        std::vector<std::pair<std::size_t, std::size_t>> outputs; // begin and cells: set to 0 first
        std::vector<Scaling> scalings;
    };

    // Where the answer for a set is in the workspace, and where it goes in the row of an answer: cell c to offsets[c]
    // after where the known ones point to.
    struct Answer {
        std::size_t begin;
        std::vector<std::uint32_t> offsets;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> known;
    };

    // A clique on the way back from the root, where states are chosen: its nodes, and the step that has its table.
    struct Choice {
        std::uint32_t clique;
        std::size_t step;
        std::size_t n_shared; // cells
    };

    // Only what it costs is found here. `ranks` is an order of elimination for all nodes, or empty to find a good one.
    CliquePlan(const DiscreteNetwork &network, const Question &question, std::span<const Known> known,
               std::span<const std::uint32_t> ranks);
    CliquePlan(const CliquePlan &) = delete;
    CliquePlan &operator=(const CliquePlan &) = delete;

    [[nodiscard]] const CliqueCost &cost() const noexcept { return cost_; }

    // Makes tables and steps; only for plans of less than 2^32 cells in all.
    void prepare();

    [[nodiscard]] std::size_t workspace_cells() const noexcept { return n_cells_; }
    [[nodiscard]] std::size_t fixed_cells() const noexcept { return n_fixed_; }

    CliqueForest forest;
    std::vector<Cut> cuts;
    std::vector<Cut> constants; // families of which all is known: one cell, not in the workspace
    std::vector<Likelihood> likelihoods;
    std::vector<Step> steps;
    std::vector<std::size_t> totals; // of the parts: where their probability is
    std::vector<Answer> answers;
    std::vector<Choice> choices;       // from the roots on
    std::vector<std::uint32_t> remote; // nodes that are drawn from their own tables afterwards, parents first

  private:
    struct Operand {
        Scope scope;
        std::size_t begin;
        std::size_t cells;
    };

    void find_relevant();
    void find_forest(std::span<const std::uint32_t> ranks);
    [[nodiscard]] Scope unknown_of(const Scope &scope) const;
    [[nodiscard]] std::size_t cells_of(const Scope &scope) const;
    [[nodiscard]] std::size_t reserve(std::size_t cells);
    void add_tables();
    void add_cut(std::uint32_t node, std::uint32_t home);
    void place_answers();
    void merge_operands(std::uint32_t clique);
    void collect();
    void distribute();
    void add_pass(std::uint32_t clique, const std::vector<Operand> &in, const std::vector<Operand> &out);
    void add_product(const Scope &scope, const std::vector<Operand> &in, const Operand &out);
    void make_fixed(std::uint32_t clique);
    [[nodiscard]] const LaneTable *lane_tables(const Scope &scope, std::size_t n_trailing,
                                               const std::vector<Operand> &operands, std::size_t &n_inner,
                                               std::size_t &n_outer);
    [[nodiscard]] const std::uint32_t *positions(std::span<const std::uint32_t> nodes, const Scope &scope,
                                                 bool &varies);
    [[nodiscard]] const std::uint32_t *zeros(std::size_t n);

    const DiscreteNetwork &network_;
    const Question &question_;
    std::span<const Known> known_;
    std::vector<char> is_relevant_;
    std::vector<std::uint32_t> relevant_; // nodes whose families take part; they are the first scopes
    std::vector<Scope> scopes_;
    CliqueCost cost_;

    // Of each clique.
    std::vector<std::vector<Operand>> operands_;
    std::vector<std::vector<std::uint32_t>> whole_families_; // nothing of which is known
    std::vector<Scope> members_;
    std::vector<Operand> up_;   // to the parent
    std::vector<Operand> down_; // from it
    struct Fixed {
        const double *table;
        Scope scope;
    };
    std::vector<Fixed> fixed_;
    // For each answer its table, and the clique that makes it; or the clique from whose shared table it is summed.
    std::vector<std::vector<Operand>> made_here_;
    std::vector<std::vector<Operand>> made_between_;

    std::size_t n_cells_ = 0;
    std::size_t n_fixed_ = 0;
    Arena<std::uint32_t> indices_;
    Arena<LaneTable> tables_;
    Arena<double> numbers_;
    std::vector<std::uint32_t> where_; // scratch: the stride of each node in a table
    const std::uint32_t *zeros_ = nullptr;
    std::size_t n_zeros_ = 0;
};

} // namespace arcwise
