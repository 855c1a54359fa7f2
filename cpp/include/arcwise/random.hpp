// Random numbers that are the same on every platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace arcwise {

class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    // A uniform number below `bound`, which is positive. (std::uniform_int_distribution differs between libraries.)
    [[nodiscard]] std::size_t below(std::size_t bound) {
        const std::uint64_t range = bound;
        const std::uint64_t unfair =
            (std::uint64_t{0} - range) % range; // 2^64 mod range values would come up too often
        std::uint64_t drawn = engine_();
        while (drawn < unfair) {
            drawn = engine_();
        }
        return static_cast<std::size_t>(drawn % range);
    }

  private:
    std::mt19937_64 engine_;
};

} // namespace arcwise
