// Scores already computed, by child and parent set.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "arcwise/table_view.hpp"

namespace arcwise {

// A parent set as 128 random bits: the exclusive or of one random number per member, so that a set's key does not
// depend on its order and one more member is one more operation. Two different sets share a key with probability
// 2^-128.
struct SetKey {
    std::uint64_t low;
    std::uint64_t high;

    friend bool operator==(const SetKey &, const SetKey &) noexcept = default;
    friend SetKey operator^(const SetKey &a, const SetKey &b) noexcept { return {a.low ^ b.low, a.high ^ b.high}; }
};

// One shard per child, each with a lock of its own. When the memory limit does not let a shard grow, it forgets what
// it has and starts anew.
class ScoreCache {
  public:
    ScoreCache(std::size_t n_variables, std::size_t max_bytes);

    class Shard {
      public:
        [[nodiscard]] std::optional<double> find(SetKey key) const noexcept;
        void insert(SetKey key, double score, ScoreCache &owner);

      private:
        friend class ScoreCache;
        struct Entry {
            SetKey key;
            double score;
        };
        // The slot that holds the key, or the empty one where it belongs.
        [[nodiscard]] std::size_t slot(SetKey key) const noexcept;
        void make_room(ScoreCache &owner);

        std::mutex mutex_;
        std::vector<Entry> entries_; // open addressing; a key of zeros is an empty slot
        std::size_t used_ = 0;
    };

    // Exclusive use of a child's shard for as long as the handle lives.
    class Handle {
      public:
        Handle(ScoreCache &owner, Shard &shard) : owner_(owner), shard_(shard), lock_(shard.mutex_) {}
        [[nodiscard]] std::optional<double> find(SetKey key) const noexcept { return shard_.find(key); }
        void insert(SetKey key, double score) { shard_.insert(key, score, owner_); }

      private:
        ScoreCache &owner_;
        Shard &shard_;
        std::scoped_lock<std::mutex> lock_;
    };

    [[nodiscard]] Handle lock(Variable child) { return {*this, shards_[child]}; }

    [[nodiscard]] SetKey key(std::span<const Variable> set) const noexcept {
        SetKey all = empty_set_;
        for (const Variable member : set) {
            all = all ^ members_[member];
        }
        return all;
    }
    [[nodiscard]] SetKey member_key(Variable variable) const noexcept { return members_[variable]; }

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

  private:
    SetKey empty_set_;
    std::vector<SetKey> members_;
    std::size_t max_bytes_;
    std::atomic<std::size_t> bytes_{0};
    std::unique_ptr<Shard[]> shards_;
};

} // namespace arcwise
