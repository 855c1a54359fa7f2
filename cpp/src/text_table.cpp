#include "arcwise/text_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace arcwise {

namespace {

constexpr bool is_space(char sign) noexcept { return sign == ' ' || sign == '\t'; }

std::string_view stripped(std::string_view text) noexcept {
    while (!text.empty() && is_space(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_space(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

// A field, and where it ends: at a separator or a line feed.
struct Field {
    std::string_view text;
    std::size_t end = 0;
    bool has_doubled = false; // the text is that of the reader, until it reads another one
};

class Reader {
  public:
    Reader(std::string_view text, const TextLayout &layout, std::span<const std::string> missing)
        : text_(text), layout_(layout), missing_(missing) {
        ends_.fill(false);
        for (const char sign : {'\n', '"', layout.separator}) {
            ends_[static_cast<unsigned char>(sign)] = true;
        }
    }

    // `as_texts` says which columns are not kept as numbers.
    TextTable read(const std::vector<bool> &as_texts) {
        table_ = TextTable{};
        table_.n_fields = layout_.n_fields;
        n_records_ = 0;
        std::size_t n_blank = 0;
        for (std::size_t at = 0; at < text_.size() && table_.fault.kind == TextFault::Kind::none;) {
            if (text_[at] == '\n') {
                n_blank += n_records_ > 0 ? 1 : 0;
                ++at;
                continue;
            }
            if (n_blank > 0 && table_.n_fields == 1) {
                for (; n_blank > 0; --n_blank) {
                    add_empty(as_texts);
                }
            }
            n_blank = 0;
            at = read_record(at, as_texts);
        }
        return std::move(table_);
    }

  private:
    [[nodiscard]] bool is_names() const noexcept { return layout_.has_names && n_records_ == 0; }

    void make_columns(std::size_t n, const std::vector<bool> &as_texts) {
        for (std::size_t v = table_.columns.size(); v < n; ++v) {
            const bool stays_text = v < as_texts.size() && as_texts[v];
            table_.columns.emplace_back(missing_, stays_text ? static_cast<std::size_t>(-1) : layout_.most_texts);
        }
    }

    void add_empty(const std::vector<bool> &as_texts) {
        make_columns(1, as_texts);
        table_.columns[0].add({}, true);
        ++table_.n_rows;
        ++n_records_;
    }

    std::size_t read_record(std::size_t begin, const std::vector<bool> &as_texts) {
        std::size_t at = begin, n_fields = 0;
        if (n_records_ == 0) {
            first_begin_ = begin;
        }
        for (;; ++at) {
            const Field field = next_field(at);
            if (table_.fault.kind != TextFault::Kind::none) {
                return at;
            }
            if (is_names()) {
                table_.names.emplace_back(field.text);
            } else if (table_.n_fields == 0 || n_fields < table_.n_fields) {
                if (n_fields >= table_.columns.size()) {
                    make_columns(std::max(n_fields + 1, table_.n_fields), as_texts);
                }
                table_.columns[n_fields].add(stripped(field.text), !field.has_doubled);
            }
            ++n_fields;
            at = field.end;
            if (text_[at] == '\n') {
                break;
            }
        }
        if (table_.n_fields == 0) {
            table_.n_fields = n_fields;
        } else if (n_fields != table_.n_fields) {
            table_.fault = {TextFault::Kind::field_count, begin, first_begin_, n_fields};
        }
        table_.n_rows += is_names() ? 0 : 1;
        ++n_records_;
        return at + 1;
    }

    Field next_field(std::size_t begin) {
        if (text_[begin] == '"') {
            return quoted_field(begin);
        }
        std::size_t at = begin;
        for (;; ++at) {
            while (!ends_[static_cast<unsigned char>(text_[at])]) {
                ++at;
            }
            if (text_[at] != '"' || layout_.separator == '"') {
                return {text_.substr(begin, at - begin), at, false};
            }
            if (std::all_of(text_.data() + begin, text_.data() + at, is_space)) {
                std::size_t end = at;
                while (text_[end] != '\n' && text_[end] != layout_.separator) {
                    ++end;
                }
                table_.fault = {TextFault::Kind::space_before, begin, end, at};
                return {};
            }
        }
    }

    Field quoted_field(std::size_t begin) {
        std::size_t at = begin + 1;
        bool has_doubled = false;
        while (true) {
            const void *found = at < text_.size() ? std::memchr(text_.data() + at, '"', text_.size() - at) : nullptr;
            if (found == nullptr) {
                table_.fault = {TextFault::Kind::open_quote, begin, begin, 0};
                return {};
            }
            at = static_cast<std::size_t>(static_cast<const char *>(found) - text_.data());
            if (at + 1 == text_.size() || text_[at + 1] != '"') {
                break;
            }
            has_doubled = true;
            at += 2; // behind both
        }
        const std::size_t end = at + 1;
        if (end == text_.size() || (text_[end] != '\n' && text_[end] != layout_.separator)) {
            table_.fault = {TextFault::Kind::after_quote, begin, end, 0};
            return {};
        }
        const std::string_view inside = text_.substr(begin + 1, at - begin - 1);
        if (!has_doubled) {
            return {inside, end, false};
        }
        single_.clear();
        for (std::size_t i = 0; i < inside.size(); ++i) {
            single_.push_back(inside[i]);
            i += inside[i] == '"' ? 1 : 0;
        }
        return {single_, end, true};
    }

    std::string_view text_;
    const TextLayout &layout_;
    std::span<const std::string> missing_;
    std::array<bool, 256> ends_{};
    std::string single_;
    TextTable table_;
    std::size_t n_records_ = 0;
    std::size_t first_begin_ = 0;
};

} // namespace

TextTable read_text(std::string_view text, const TextLayout &layout, std::span<const std::string> missing) {
    Reader reader(text, layout, missing);
    std::vector<bool> as_texts;
    for (;;) {
        TextTable table = reader.read(as_texts);
        bool again = false;
        as_texts.resize(table.columns.size(), false);
        for (std::size_t v = 0; v < table.columns.size(); ++v) {
            if (!as_texts[v] && table.columns[v].lost_texts()) {
                as_texts[v] = again = true;
            }
        }
        if (!again || table.fault.kind != TextFault::Kind::none) {
            return table;
        }
    }
}

} // namespace arcwise
