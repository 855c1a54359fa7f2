#include "arcwise/random.hpp"
#include "arcwise/text_table.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using namespace arcwise;

namespace {

using Texts = std::vector<std::string>;
using Cells = std::vector<Texts>; // by rows

// The text of each row of a column, nothing for a gap; numbers that are kept by row are not looked at.
std::optional<Texts> texts_of(TextColumn &column) {
    if (column.by_row()) {
        return std::nullopt;
    }
    std::vector<std::uint32_t> codes = column.take_wide();
    for (const std::uint8_t code : column.take_narrow()) {
        codes.push_back(code);
    }
    Texts found;
    for (const std::uint32_t code : codes) {
        found.push_back(code == 0 ? "" : std::string(column.texts()[code - 1]));
    }
    return found;
}

std::string quoted(const std::string &field) {
    std::string text = "\"";
    for (const char sign : field) {
        text += sign == '"' ? std::string("\"\"") : std::string(1, sign);
    }
    return text + "\"";
}

std::string random_field(Random &random) {
    static const Texts pieces{"a", "b", "\"", ",", "\n", "7", "0.5", "long enough to be hashed ", "é"};
    std::string field = "x";
    for (std::size_t i = random.below(4); i > 0; --i) {
        field += pieces[random.below(pieces.size())];
    }
    return field + "y";
}

TextFault::Kind fault_of(const std::string &text) { return read_text(text, {',', true, 0, 100}, {}).fault.kind; }

} // namespace

TEST_CASE("quoted fields come back as they were written") {
    Random random(5);
    for (int trial = 0; trial < 200; ++trial) {
        const std::size_t n_rows = 1 + random.below(400), n_columns = 1 + random.below(4);
        Cells cells(n_rows, Texts(n_columns));
        std::string text;
        for (Texts &row : cells) {
            for (std::size_t v = 0; v < n_columns; ++v) {
                row[v] = random_field(random);
                text += quoted(row[v]) + (v + 1 < n_columns ? "," : "\n");
            }
        }
        TextTable table = read_text(text, {',', false, 0, 10}, {});
        REQUIRE(table.fault.kind == TextFault::Kind::none);
        REQUIRE(table.n_rows == n_rows);
        for (std::size_t v = 0; v < n_columns; ++v) {
            const std::optional<Texts> found = texts_of(table.columns[v]);
            REQUIRE(found.has_value());
            for (std::size_t i = 0; i < n_rows; ++i) {
                CHECK((*found)[i] == cells[i][v]);
            }
        }
    }
}

TEST_CASE("texts with doubled quotes in the first record outlive the columns that come after") {
    TextTable table = read_text("\"p\"\"q\",\"r\"\"s\",\"t\"\"u\",\"v\"\"w\",z\n", {',', false, 0, 10}, {});
    const Texts expected{"p\"q", "r\"s", "t\"u", "v\"w", "z"};
    REQUIRE(table.columns.size() == expected.size());
    for (std::size_t v = 0; v < expected.size(); ++v) {
        CHECK(table.columns[v].texts()[0] == expected[v]);
    }
}

TEST_CASE("any text is a table or has a fault, and nothing beyond its end is read") {
    Random random(6);
    const std::string signs = "ab\",\n 0.e-9";
    for (int trial = 0; trial < 20000; ++trial) {
        std::string text;
        for (std::size_t i = random.below(30); i > 0; --i) {
            text += signs[random.below(signs.size())];
        }
        text += '\n';
        text.shrink_to_fit();
        const Texts missing{"a", "-9"};
        const TextTable table = read_text(text, {',', random.below(2) == 0, 0, random.below(4)}, missing);
        if (table.fault.kind == TextFault::Kind::none) {
            for (const TextColumn &column : table.columns) {
                CHECK(column.n_rows() == table.n_rows);
                CHECK_FALSE(column.lost_texts());
            }
        } else {
            CHECK(table.fault.begin < text.size());
        }
    }
}

TEST_CASE("faults are told apart") {
    CHECK(fault_of("a,b\n1,2\n") == TextFault::Kind::none);
    CHECK(fault_of("a,b\n\"1,2\n") == TextFault::Kind::open_quote);
    CHECK(fault_of("a,b\n\"1\"x,2\n") == TextFault::Kind::after_quote);
    CHECK(fault_of("a,b\n1, \"2\"\n") == TextFault::Kind::space_before);
    CHECK(fault_of("a,b\n1\n") == TextFault::Kind::field_count);
}

TEST_CASE("numbers are kept by row where they are many, and read again as texts where one is none") {
    std::string text = "n,m\n";
    for (int i = 0; i < 50; ++i) {
        text += std::to_string(i) + "," + std::to_string(i) + "\n";
    }
    TextTable table = read_text(text + "50,x\n", {',', true, 0, 10}, {});
    CHECK(table.columns[0].by_row());
    CHECK(table.columns[0].form() == TextForm::whole);
    CHECK(table.columns[0].wholes()[49] == 49);
    CHECK_FALSE(table.columns[1].by_row());
    CHECK(table.columns[1].form() == TextForm::label);
    CHECK(table.columns[1].texts().size() == 51);
}
