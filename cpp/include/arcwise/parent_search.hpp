// Candidate parent sets of one variable: a search over the lattice of its possible parents.
#pragma once

#include "arcwise/budget.hpp"
#include "arcwise/local_score.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// Which set is expanded next. The first three are those of Perez & Mauá (2016, section 3).
enum class Selection {
    sequential,   // the smallest: level by level
    greedy,       // the one with the best score
    independence, // the one whose best extension has the best estimated score
    balanced // the one with the best score among those of one size, the sizes in turn; last, sets that a subset beats
};

struct ParentSearchOptions {
    Selection selection = Selection::sequential;
    std::size_t max_parents = 0;
    std::size_t max_sets = 0;  // kept in the end: the best ones, and besides the smallest set
    std::size_t max_bytes = 0; // for the sets that are remembered
};

// Sets of parents, best first, none of which is beaten by a subset of its own in the list; beaten is also what does not
// win by more than rounding.
struct ParentSetList {
    std::vector<double> scores;
    std::vector<std::uint16_t> members; // ascending within a set
    std::vector<std::size_t> begin{0};  // of each set's members, and the end

    [[nodiscard]] std::size_t size() const noexcept { return scores.size(); }
    [[nodiscard]] std::span<const std::uint16_t> set(std::size_t i) const noexcept {
        return std::span(members).subspan(begin[i], begin[i + 1] - begin[i]);
    }
    void push_back(double score, std::span<const std::uint16_t> set);
    // Leaves the first `n` sets, and `last` behind them if it is not among them.
    void cut(std::size_t n, double last_score, std::span<const std::uint16_t> last);
};

struct ParentSearchResult {
    ParentSetList sets;
    std::uint64_t scored = 0;
    StopReason stopped_by = StopReason::none;
    // Every set of at most max_parents candidates is in the list or beaten by a subset of its own.
    bool is_complete = false;
    bool was_cut = false; // to max_sets
};

// All sets contain the `required` parents; the others come from `candidates`.
[[nodiscard]] ParentSearchResult search_parents(const LocalScore &score, Variable child,
                                                std::span<const Variable> required,
                                                std::span<const Variable> candidates,
                                                const ParentSearchOptions &options, Budget &budget);

// Which sets of a list score more than each of their subsets in it, by more than rounding.
[[nodiscard]] std::vector<bool> undominated(const ParentSetList &sets, double rounding = 0.0);

} // namespace arcwise
