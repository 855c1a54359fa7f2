// The best graphs of few variables, each of another equivalence class.
#pragma once

#include "arcwise/budget.hpp"
#include "arcwise/set_list.hpp"

#include <cstddef>
#include <vector>

namespace arcwise {

struct ScoredGraph {
    double score = 0.0;
    std::vector<std::vector<Variable>> parents;
};

struct BestClasses {
    std::vector<ScoredGraph> graphs; // best first; none when the budget ended the search
    StopReason stopped_by = StopReason::none;
};

// The k classes that score most, each by its best graph over the table (Chen & Tian 2014, "Finding the k-best
// equivalence classes of Bayesian network structures for model averaging", AAAI).
//
// The k best classes over a set W of variables are among those that the k best over W \ v make with v as a sink, v in
// W: with the same new sink and the same parents, equivalent graphs stay equivalent and others stay different. This
// holds for any table, also one that has not all graphs of a class or does not score them the same.
[[nodiscard]] BestClasses best_classes(const SetTable &table, std::size_t k, std::size_t workers, Budget &budget);

// What it allocates, at most.
[[nodiscard]] double best_classes_bytes(const SetTable &table, std::size_t k);

// Parents are bits of a 16-bit number.
inline constexpr std::size_t max_class_variables = 16;

} // namespace arcwise
