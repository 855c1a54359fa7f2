// Scores that are computed by a function in Python.
#pragma once

#include "arcwise/score_engine.hpp"

#include <nanobind/nanobind.h>

namespace arcwise::bindings {

// The function, and what it promises.
struct FamilyFunction {
    nanobind::callable answer; // (child, parents, counts): a finite float; parents ascend, counts may be None
    bool wants_counts;
    bool is_equivalent;
    double relative_rounding; // of the largest score of a variable without parents
};

// The interpreter lets one thread run at a time: more of them would wait for each other. Locks of kernels come before
// that of the interpreter: whoever calls a kernel has released it. What the function raises goes through the kernels to
// their caller as a nanobind::python_error, which any thread may destroy.
class PythonEngine final : public ScoreEngine {
  public:
    // Scores every variable without parents, to learn how large scores are. Whoever has the engine keeps the function
    // alive, and lets the garbage collector see that.
    PythonEngine(TableView table, const BitKernels &kernels, const FamilyFunction &function);

    [[nodiscard]] std::size_t n_variables() const noexcept override { return counter_.table().n_variables(); }
    [[nodiscard]] double rounding() const noexcept override { return rounding_; }
    // Not where other rows count for each child.
    [[nodiscard]] bool is_equivalent() const noexcept override {
        return is_equivalent_ && counter_.table().masks == nullptr;
    }
    [[nodiscard]] std::size_t bytes() const noexcept override { return counter_.bytes(); }
    [[nodiscard]] double seconds_per_addition(std::size_t /*n_parents*/) const noexcept override { return 0.0; }

    [[nodiscard]] double score(const Family &family) const override;
    bool additions(const Family &family, std::span<const Variable> candidates, std::span<double> scores,
                   const Bounds *bounds, const Budget *budget) const override;
    void removals(const Family &family, std::span<const std::size_t> chosen, std::span<double> scores) const override;

    // Of the table, whatever the function makes of it.
    [[nodiscard]] const Counter *counter() const noexcept override { return &counter_; }

  private:
    // One row for each configuration of the parents that occurs; None where these are too many.
    [[nodiscard]] nanobind::object counts(Variable child, std::span<const Variable> parents) const;

    Counter counter_;
    nanobind::handle answer_;
    bool wants_counts_;
    bool is_equivalent_;
    double rounding_ = 0.0;
};

} // namespace arcwise::bindings
