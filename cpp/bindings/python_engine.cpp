#include "python_engine.hpp"

#include "arrays.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace arcwise::bindings {
namespace {

// Of an array of counts: a quarter of a gigabyte.
constexpr std::size_t most_cells = std::size_t{1} << 25;

} // namespace

PythonEngine::PythonEngine(TableView table, const BitKernels &kernels, const FamilyFunction &function)
    : counter_(std::move(table), kernels), answer_(function.answer), wants_counts_(function.wants_counts),
      is_equivalent_(function.is_equivalent) {
    double largest = 0.0;
    for (Variable v = 0; v < n_variables(); ++v) {
        largest = std::max(largest, std::abs(score({v, {}})));
    }
    rounding_ = function.relative_rounding * (largest > 0.0 ? largest : 1.0);
}

nb::object PythonEngine::counts(Variable child, std::span<const Variable> parents) const {
    thread_local FamilyTable table;
    if (!counter_.tabulate(child, parents, most_cells, table)) {
        return nb::none();
    }
    std::vector<std::int64_t> observed;
    for (auto row = table.counts.begin(); row != table.counts.end(); row += static_cast<std::ptrdiff_t>(table.r)) {
        const auto end = row + static_cast<std::ptrdiff_t>(table.r);
        if (std::any_of(row, end, [](std::uint32_t n) { return n > 0; })) {
            observed.insert(observed.end(), row, end);
        }
    }
    auto *kept = new std::vector<std::int64_t>(std::move(observed));
    const nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<std::int64_t> *>(p); });
    using Table = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<2>>;
    return nb::cast(Table(kept->data(), {kept->size() / table.r, table.r}, owner));
}

double PythonEngine::score(const Family &family) const {
    // Ascending, so that a number does not depend on the order in which a search has found the parents.
    std::vector<Variable> parents(family.parents.begin(), family.parents.end());
    std::ranges::sort(parents);
    const nb::gil_scoped_acquire acquire;
    nb::list named;
    for (const Variable parent : parents) {
        named.append(parent);
    }
    const nb::object its_counts = wants_counts_ ? counts(family.child, parents) : nb::none();
    return nb::cast<double>(answer_(family.child, nb::tuple(named), its_counts));
}

bool PythonEngine::additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                             const Bounds *bounds, const Budget *budget) const {
    const nb::gil_scoped_acquire once; // for all of them
    return ScoreEngine::additions(family, candidates, scores, bounds, budget);
}

void PythonEngine::removals(const Family &family, std::span<const std::size_t> chosen, std::span<double> scores) const {
    const nb::gil_scoped_acquire once;
    ScoreEngine::removals(family, chosen, scores);
}

} // namespace arcwise::bindings
