// The sum of numbers that change one at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace arcwise {

// A tree of sums: a change takes the logarithm of their number, and the sum depends on the numbers alone, to the last
// bit, and not on how they came about.
class SumTree {
  public:
    explicit SumTree(std::size_t n)
        : first_leaf_(std::bit_ceil(std::max<std::size_t>(1, n))), sums_(2 * first_leaf_, 0.0) {}

    [[nodiscard]] double operator[](std::size_t i) const noexcept { return sums_[first_leaf_ + i]; }
    [[nodiscard]] double sum() const noexcept { return sums_[1]; }

    void set(std::size_t i, double value) noexcept {
        std::size_t at = first_leaf_ + i;
        sums_[at] = value;
        while (at > 1) {
            at /= 2;
            sums_[at] = sums_[2 * at] + sums_[2 * at + 1];
        }
    }

  private:
    std::size_t first_leaf_;
    std::vector<double> sums_; // of two others below; the leaves come last
};

} // namespace arcwise
