// The natural logarithm of one number or of several side by side, the same to the last bit for both and for all
// instruction sets. Files that are compiled with different instructions include it, none of
// whose functions another one may use: hence the unnamed namespace.
#pragma once

#include <bit>
#include <cstdint>

namespace {

// ln x for a positive normal number: x = 2^e m with m between √½ and √2, and ln m = 2 artanh((m − 1) / (m + 1)) as its
// series, which is beyond double precision after 11 terms because the argument is below 0.172. Real is a double and
// Whole an unsigned 64-bit integer, or vectors of as many of them. Within one unit in the last place.
template <class Real, class Whole> inline Real natural_log(const Real &x) {
    constexpr std::uint64_t bits_of_one = 0x3FF0000000000000;
    constexpr std::uint64_t bits_of_least = 0x3FE6A09E667F3BCD; // √½
    constexpr std::uint64_t bits_of_2_52 = 0x4330000000000000;
    constexpr double two_52_and_bias = 0x1p52 + 1023.0;
    constexpr double ln2_high = 0x1.62e42feep-1; // so few digits that its multiples by exponents are exact
    constexpr double ln2_low = 0x1.a39ef35793c76p-33;
    const Whole bits = std::bit_cast<Whole>(x);
    const Whole exponent = (bits + (bits_of_one - bits_of_least)) >> 52; // 1023 more than it is
    const Real mantissa = std::bit_cast<Real>(bits - ((exponent - 1023) << 52));
    const Real e = std::bit_cast<Real>(exponent | bits_of_2_52) - two_52_and_bias;
    const Real f = mantissa - 1.0;
    const Real s = f / (f + 2.0);
    const Real z = s * s;
    const Real w = z * z; // even and odd terms side by side
    Real even = w * (2.0 / 23.0) + 2.0 / 19.0;
    Real odd = w * (2.0 / 21.0) + 2.0 / 17.0;
    even = even * w + 2.0 / 15.0;
    odd = odd * w + 2.0 / 13.0;
    even = even * w + 2.0 / 11.0;
    odd = odd * w + 2.0 / 9.0;
    even = even * w + 2.0 / 7.0;
    odd = odd * w + 2.0 / 5.0;
    even = even * w + 2.0 / 3.0;
    const Real series = even + odd * z;
    // ln m = f − s (f − z · series): f has no error, and what is taken off it is small.
    return e * ln2_high + (f - (s * (f - z * series) - e * ln2_low));
}

} // namespace
