// For families already looked at: the best variables as one more parent, whether or not they improve it, remembered.
#pragma once

#include "arcwise/local_score.hpp"
#include "arcwise/team.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace arcwise {

// The first of all candidates by their scores. A longer row of the same family begins with the same variables.
struct LeadingRow {
    std::vector<double> scores; // best first; of equal ones the smaller variable is first
    std::vector<Variable> variables;
    bool is_whole = true;             // nobody was left out
    bool has_all_improvements = true; // whoever was left out does not improve the family, but for rounding
};

// So many are kept at first: the best few are all that a move is chosen from, unless they close cycles.
inline constexpr std::size_t leading_length = 32;

// The given number of candidates with the best scores; all of them where leaving out some would save little. The
// candidates are ascending.
[[nodiscard]] LeadingRow leading_row(std::span<const Variable> candidates, std::span<const double> scores,
                                     std::size_t length);

// One shard per child, each with a lock of its own. Rows depend on nothing but their family: whoever asks first, the
// numbers are the same. When the memory limit does not let a shard grow, it forgets what it has; whoever uses a row
// still has it.
class LeadingRows {
  public:
    using Row = std::shared_ptr<const LeadingRow>;

    LeadingRows(const LocalScore &score, std::size_t max_bytes);
    ~LeadingRows();

    // At least so many of the variables outside a family, or all of them. None when the budget ended the counting,
    // which the team shares.
    [[nodiscard]] Row row(const Family &family, std::size_t length, Budget &budget, Team &team);
    // The same where only improvements are of interest, which takes less time: all of them, or at least the first ones.
    [[nodiscard]] Row improvements(const Family &family, Budget &budget, Team &team);
    // Asks for the improvements of a batch at once, as far as the budget allows, and keeps them as long as memory does.
    void prepare(std::span<const Family> batch, Budget &budget, Team &team);

    [[nodiscard]] const LocalScore &score() const noexcept { return score_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

  private:
    struct Shard;
    Row keep(Shard &shard, SetKey key, LeadingRow row);
    [[nodiscard]] std::optional<LeadingRow> counted(const Family &family, std::size_t length, Budget &budget,
                                                    Team &team) const;

    const LocalScore &score_;
    std::size_t max_bytes_;
    std::atomic<std::size_t> bytes_{0};
    std::unique_ptr<Shard[]> shards_;
};

} // namespace arcwise
