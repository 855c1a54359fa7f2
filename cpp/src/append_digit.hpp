// One more digit of a number in mixed radix. The compiler makes the vector code: each set of bit kernels includes this
// and gets a version in its own instructions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace {

void append_digit(std::uint16_t *ids, const std::uint8_t *codes, std::size_t states, std::size_t n_rows) {
    const auto radix = static_cast<std::uint16_t>(states);
    for (std::size_t row = 0; row < n_rows; ++row) {
        ids[row] = static_cast<std::uint16_t>(ids[row] * radix + codes[row]);
    }
}

} // namespace
