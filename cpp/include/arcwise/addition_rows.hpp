// For families already looked at: which one more parent improves them, remembered.
#pragma once

#include "arcwise/local_score.hpp"
#include "arcwise/set_list.hpp"
#include "arcwise/team.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace arcwise {

// The improvements of a family, as they are kept.
struct AdditionRow {
    double own;
    std::span<const double> scores;
    std::span<const Variable> variables;
};

// One shard per child, each with a lock of its own. Rows depend on nothing but their family: whoever asks first, the
// numbers are the same. When the memory limit does not let a shard grow, it forgets what it has.
class AdditionRows {
  public:
    AdditionRows(const LocalScore &score, std::size_t max_bytes);

    // Exclusive use of a child's rows for as long as the handle lives.
    class Handle {
      public:
        // Valid until the next call. None when the budget ended the counting, which the team shares.
        [[nodiscard]] std::optional<AdditionRow> row(std::span<const Variable> parents, Budget &budget, Team &team);
        [[nodiscard]] std::optional<AdditionRow> row(std::span<const Member> parents, Budget &budget, Team &team) {
            return row(std::vector<Variable>(parents.begin(), parents.end()), budget, team);
        }

      private:
        friend class AdditionRows;
        struct Shard;
        AdditionRow keep(SetKey key, const Improvements &found);
        Handle(AdditionRows &rows, Variable child);

        AdditionRows &rows_;
        Variable child_;
        Shard &shard_;
        std::unique_lock<std::mutex> lock_;
    };

    [[nodiscard]] Handle lock(Variable child) { return {*this, child}; }
    // Asks for the rows of a batch at once, as far as the budget allows, and keeps them as long as memory does.
    void prepare(std::span<const Family> batch, Budget &budget, Team &team);
    [[nodiscard]] const LocalScore &score() const noexcept { return score_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
    ~AdditionRows();

  private:
    const LocalScore &score_;
    std::size_t max_bytes_;
    std::atomic<std::size_t> bytes_{0};
    std::unique_ptr<Handle::Shard[]> shards_;
};

} // namespace arcwise
