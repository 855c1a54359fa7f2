// Scores already computed, by child and parent set.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "arcwise/set_key.hpp"
#include "arcwise/table_view.hpp"

namespace arcwise {

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

    [[nodiscard]] const SetKeys &keys() const noexcept { return keys_; }

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

  private:
    SetKeys keys_;
    std::size_t max_bytes_;
    std::atomic<std::size_t> bytes_{0};
    std::unique_ptr<Shard[]> shards_;
};

} // namespace arcwise
