// Random numbers that are the same on every platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace arcwise {

// 2^64 divided by the golden ratio, and odd: its multiples are spread evenly.
inline constexpr std::uint64_t golden_step = 0x9e37'79b9'7f4a'7c15U;

// 64 bits that look random, one-to-one: what SplitMix64 (Steele, Lea & Flood 2014) draws first from this seed.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t bits) noexcept {
    bits += golden_step;
    bits = (bits ^ (bits >> 30)) * 0xbf58'476d'1ce4'e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d0'49bb'1331'11ebU;
    return bits ^ (bits >> 31);
}

// SplitMix64 itself: short and quick, for numbers that need no more than to be unlike each other.
class SplitMix {
  public:
    explicit constexpr SplitMix(std::uint64_t seed) noexcept : state_(seed) {}

    [[nodiscard]] constexpr std::uint64_t next() noexcept {
        const std::uint64_t drawn = mixed(state_);
        state_ += golden_step;
        return drawn;
    }

  private:
    std::uint64_t state_;
};

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

    // All orders of the values are equally likely.
    template <class T> void shuffle(std::vector<T> &values) {
        for (std::size_t left = values.size(); left > 1; --left) {
            std::swap(values[left - 1], values[below(left)]);
        }
    }

    // A uniform number from 0 to below 1.
    [[nodiscard]] double fraction() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

  private:
    std::mt19937_64 engine_;
};

} // namespace arcwise
