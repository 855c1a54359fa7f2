// Text with separators, read in one pass: every column as the different texts in it, or as numbers.
#pragma once

#include "arcwise/text_column.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arcwise {

// Why a text is not a table, and where: places are counted in bytes.
struct TextFault {
    enum class Kind {
        none,
        open_quote,   // a quoted field, which begins at `begin`, does not end
        after_quote,  // something follows at `end` the closing quote of the field that begins at `begin`
        space_before, // the field from `begin` to `end` has spaces before its quote
        field_count,  // the record that begins at `begin` has `count` fields; `end` is where the first record begins
    };
    Kind kind = Kind::none;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t count = 0;
};

struct TextLayout {
    char separator = ',';
    bool has_names = true;      // the first record is not a row
    std::size_t n_fields = 0;   // of each record; 0 for as many as the first has
    std::size_t most_texts = 0; // a column of numbers with more different texts than this is kept row by row
};

struct TextTable {
    std::vector<std::string> names; // the first record, where it is not a row
    std::vector<TextColumn> columns;
    std::size_t n_rows = 0;
    std::size_t n_fields = 0;
    TextFault fault;
};

// The text ends with a line feed, and has no carriage returns. A field is quoted if a quote is its first sign, and ends
// with the next quote that is not doubled; any other quote is a sign like others. Spaces and tabs around fields are
// left out. Empty lines are left out too, but for those between two records of one field, which are empty fields. Empty
// fields, and those that are one of the missing texts, are gaps. What the columns refer to must outlive the table.
[[nodiscard]] TextTable read_text(std::string_view text, const TextLayout &layout,
                                  std::span<const std::string> missing);

} // namespace arcwise
