// Numbers in text: which texts are numbers, and which they are.
#pragma once

#include <cstdint>
#include <string_view>

namespace arcwise {

// 0 and numbers that begin with another digit, with a minus or none, are whole: 007 is a label. Other numbers have a
// sign or none, digits without zeros before others, a point or an exponent; and there is inf.
struct TextNumber {
    enum class Kind : std::uint8_t { none, number, whole, large }; // large: whole, and beyond 64 bits
    Kind kind = Kind::none;
    double number = 0.0;    // as near as doubles are
    std::int64_t whole = 0; // of Kind::whole
};

[[nodiscard]] TextNumber number_in(std::string_view text);

} // namespace arcwise
