#include "arcwise/text_number.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <version>

namespace arcwise {

namespace {

constexpr std::array<double, 23> powers_of_ten = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr double infinite = std::numeric_limits<double>::infinity();

constexpr bool is_digit(char sign) noexcept { return sign >= '0' && sign <= '9'; }

// The nearest double of digits with a point or an exponent; where it is too large or small, `is_huge` says which.
double nearest(std::string_view digits, bool is_huge) {
    double value = 0.0;
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc::result_out_of_range ? (is_huge ? infinite : 0.0) : value;
#else // libc++ has it for whole numbers only
    std::istringstream stream{std::string(digits)};
    stream.imbue(std::locale::classic());
    stream >> value;
    return stream.fail() && is_huge ? infinite : value;
#endif
}

} // namespace

TextNumber number_in(std::string_view text) {
    const char *at = text.data();
    const char *const end = at + text.size();
    const bool has_sign = at != end && (*at == '+' || *at == '-');
    const bool negative = has_sign && *at == '-';
    at += has_sign ? 1 : 0;
    const std::string_view unsigned_text(at, static_cast<std::size_t>(end - at));
    if (unsigned_text == "inf") {
        return {TextNumber::Kind::number, negative ? -infinite : infinite, 0};
    }

    // The first 19 digits that count, and where the point is.
    std::uint64_t mantissa = 0;
    int n_digits = 0, scale = 0;
    const auto take = [&](char digit) {
        if (n_digits < 19) {
            mantissa = 10 * mantissa + static_cast<std::uint64_t>(digit - '0');
            n_digits += mantissa != 0 ? 1 : 0;
            return true;
        }
        return false;
    };
    bool dropped = false;
    const char *const first = at;
    while (at != end && is_digit(*at)) {
        if (!take(*at)) {
            dropped = true;
            ++scale;
        }
        ++at;
    }
    const auto n_before = at - first;
    if (n_before > 1 && *first == '0') {
        return {};
    }
    if (at == end) {
        if (n_before == 0) {
            return {};
        }
        const bool zero_with_sign = has_sign && mantissa == 0;
        if (zero_with_sign || (has_sign && !negative)) {
            if (!dropped && mantissa < (1ULL << 53U)) {
                const double value = static_cast<double>(mantissa);
                return {TextNumber::Kind::number, negative ? -value : value, 0};
            }
            return {TextNumber::Kind::number, nearest(unsigned_text, true), 0};
        }
        constexpr std::uint64_t most = 0x7fffffffffffffffULL;
        if (dropped || mantissa > most + (negative ? 1U : 0U)) {
            const double value = nearest(unsigned_text, true);
            return {TextNumber::Kind::large, negative ? -value : value, 0};
        }
        // Of a difference of unsigned numbers, so that the least one is right too.
        const auto whole = static_cast<std::int64_t>(negative ? 0U - mantissa : mantissa);
        return {TextNumber::Kind::whole, static_cast<double>(whole), whole};
    }
    std::ptrdiff_t n_after = 0;
    if (*at == '.') {
        ++at;
        while (at != end && is_digit(*at)) {
            if (take(*at)) {
                --scale;
            } else {
                dropped = true;
            }
            ++at;
            ++n_after;
        }
    }
    if (n_before == 0 && n_after == 0) {
        return {};
    }
    int exponent = 0;
    if (at != end && (*at == 'e' || *at == 'E')) {
        ++at;
        const bool down = at != end && *at == '-';
        at += at != end && (*at == '+' || *at == '-') ? 1 : 0;
        if (at == end) {
            return {};
        }
        while (at != end && is_digit(*at)) {
            exponent = exponent < 100000 ? 10 * exponent + (*at - '0') : exponent; // beyond all doubles
            ++at;
        }
        exponent = down ? -exponent : exponent;
    }
    if (at != end) {
        return {};
    }
    const int power = exponent + scale;
    double value = 0.0;
    if (!dropped && mantissa <= (1ULL << 53U) && power >= -22 && power <= 22) {
        // Both are exact as doubles, so that there is one rounding (Clinger 1990, doi:10.1145/93542.93557).
        value = static_cast<double>(mantissa);
        value = power < 0 ? value / powers_of_ten[static_cast<std::size_t>(-power)]
                          : value * powers_of_ten[static_cast<std::size_t>(power)];
    } else if (mantissa != 0) {
        value = nearest(unsigned_text, n_digits + power > 0);
    }
    return {TextNumber::Kind::number, negative ? -value : value, 0};
}

} // namespace arcwise
