#include "arcwise/text_table.hpp"

#include "arrays.hpp"
#include "bindings.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace arcwise::bindings {

namespace {

// The table, with the text that its columns refer to; a copy would refer to the text of another one.
struct ReadText {
    ReadText(nb::bytes whole, std::vector<std::string> gaps) : text(std::move(whole)), missing(std::move(gaps)) {}
    ReadText(const ReadText &) = delete;
    ReadText &operator=(const ReadText &) = delete;

    nb::bytes text;
    std::vector<std::string> missing;
    TextTable table;
};

ReadText *read(const nb::bytes &text, const std::string &separator, bool has_names, std::size_t n_fields,
               std::size_t most_texts, std::vector<std::string> missing) {
    const std::string_view whole(text.c_str(), text.size());
    if (separator.size() != 1 || separator == "\n" || separator == "\"") {
        throw std::invalid_argument("the separator must be one sign, and not a quote or a line feed");
    }
    if (whole.empty() || whole.back() != '\n') {
        throw std::invalid_argument("the text must end with a line feed");
    }
    auto made = std::make_unique<ReadText>(text, std::move(missing));
    const nb::gil_scoped_release release;
    made->table = read_text(whole, {separator[0], has_names, n_fields, most_texts}, made->missing);
    return made.release();
}

nb::object fault(const ReadText &read) {
    const TextFault &found = read.table.fault;
    if (found.kind == TextFault::Kind::none) {
        return nb::none();
    }
    static constexpr const char *names[] = {"", "open quote", "after quote", "space before", "field count"};
    return nb::make_tuple(names[static_cast<std::size_t>(found.kind)], found.begin, found.end, found.count);
}

TextColumn &column_of(ReadText &read, std::size_t column) {
    if (column >= read.table.columns.size()) {
        throw nb::index_error("there is no such column");
    }
    return read.table.columns[column];
}

nb::list texts(ReadText &read, std::size_t column) {
    nb::list found;
    for (const std::string_view text : column_of(read, column).texts()) {
        found.append(nb::str(text.data(), text.size()));
    }
    return found;
}

nb::object codes(ReadText &read, std::size_t column) {
    TextColumn &own = column_of(read, column);
    if (own.by_row()) {
        return nb::none();
    }
    std::vector<std::uint8_t> narrow = own.take_narrow();
    return narrow.empty() ? nb::cast(to_numpy(own.take_wide())) : nb::cast(to_numpy(std::move(narrow)));
}

nb::object numbers(ReadText &read, std::size_t column) {
    const TextColumn &own = column_of(read, column);
    switch (own.form()) {
    case TextForm::whole:
        return nb::cast(to_numpy(own.wholes()));
    case TextForm::number:
        return nb::cast(to_numpy(own.numbers()));
    default:
        return nb::none();
    }
}

nb::object gaps(ReadText &read, std::size_t column) {
    TextColumn &own = column_of(read, column);
    return own.by_row() ? nb::cast(to_numpy(own.take_gaps())) : nb::none();
}

// Numbers that all of some texts are, whole ones if all are; none if one is not a number, or too large a whole one.
nb::object numbers_of(const std::vector<std::string> &texts) {
    std::vector<TextNumber> found;
    bool all_whole = true, too_large = false;
    for (const std::string &text : texts) {
        found.push_back(number_in(text));
        const TextNumber::Kind kind = found.back().kind;
        if (kind == TextNumber::Kind::none) {
            return nb::none();
        }
        all_whole = all_whole && kind != TextNumber::Kind::number;
        too_large = too_large || kind == TextNumber::Kind::large;
    }
    if (all_whole && too_large) {
        return nb::none();
    }
    if (all_whole) {
        std::vector<std::int64_t> wholes;
        std::ranges::transform(found, std::back_inserter(wholes), &TextNumber::whole);
        return nb::cast(to_numpy(std::move(wholes)));
    }
    std::vector<double> numbers;
    std::ranges::transform(found, std::back_inserter(numbers), &TextNumber::number);
    return nb::cast(to_numpy(std::move(numbers)));
}

} // namespace

void bind_text(nb::module_ &module) {
    nb::class_<ReadText>(module, "TextTable", "Columns of text with separators; each can be taken out of it once.")
        .def(nb::new_(&read), "text"_a, "separator"_a, "has_names"_a, "n_fields"_a, "most_texts"_a, "missing"_a)
        .def_prop_ro("n_rows", [](const ReadText &read) { return read.table.n_rows; })
        .def_prop_ro("n_fields", [](const ReadText &read) { return read.table.n_fields; })
        .def_prop_ro(
            "names", [](const ReadText &read) { return read.table.names; }, "The first record, where it is not a row.")
        .def_prop_ro("fault", &fault, nb::sig("def fault(self) -> tuple[str, int, int, int] | None"),
                     "Why it is not a table, where in the text, and how many fields there are.")
        .def("texts", &texts, "column"_a, nb::sig("def texts(self, column: int) -> list[str]"),
             "The different texts of a column, in the order in which they come.")
        .def("codes", &codes, "column"_a,
             nb::sig("def codes(self, column: int) -> NDArray[numpy.uint8] | NDArray[numpy.uint32] | None"),
             "Of each row 1 and the place of its text, 0 for a gap; None where numbers are kept row by row.")
        .def("numbers", &numbers, "column"_a,
             nb::sig("def numbers(self, column: int) -> NDArray[numpy.int64] | NDArray[numpy.float64] | None"),
             "Numbers of the texts behind one for gaps, or of the rows; None where not all are numbers.")
        .def("gaps", &gaps, "column"_a, nb::sig("def gaps(self, column: int) -> NDArray[numpy.bool_] | None"),
             "Where a column whose numbers are kept row by row has gaps.");
    module.def("numbers_in", &numbers_of, "texts"_a,
               nb::sig("def numbers_in(texts: Sequence[str]) -> NDArray[numpy.int64] | NDArray[numpy.float64] | None"),
               "Numbers that all of some texts are, whole ones if all are; None if one is not a number.");
}

} // namespace arcwise::bindings
