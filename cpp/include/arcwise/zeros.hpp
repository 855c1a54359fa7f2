// A large array of which most stays zero.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace arcwise {

// Numbers that begin as zeros and cost neither time nor memory where nothing is ever written: the system hands out
// pages of zeros when they are touched. A vector would touch all of them at once, a second for ten thousand squared.
class Zeros {
  public:
    // Throws std::bad_alloc where there is not so much memory.
    explicit Zeros(std::size_t size)
        : values_(static_cast<double *>(std::calloc(size == 0 ? 1 : size, sizeof(double)))) { // all bits 0 is 0.0
        if (values_ == nullptr) {
            throw std::bad_alloc();
        }
    }

    [[nodiscard]] double &operator[](std::size_t i) noexcept { return values_[i]; }
    [[nodiscard]] double operator[](std::size_t i) const noexcept { return values_[i]; }
    [[nodiscard]] const double *data() const noexcept { return values_.get(); }

  private:
    struct Free {
        void operator()(double *values) const noexcept { std::free(values); }
    };
    std::unique_ptr<double[], Free> values_;
};

} // namespace arcwise
