// A column of a text, as its fields come in.
#pragma once

#include "arcwise/text_number.hpp"

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arcwise {

// What all texts of a column can be read as.
enum class TextForm : std::uint8_t { nothing, whole, number, label };

// The different texts of a column, each with a code from 1 on; 0 is a gap.
//
// Texts are found by a table of places (open addressing). One of at most eight bytes is its own key, so that it is
// compared without looking at the text.
class TextColumn {
  public:
    TextColumn(std::span<const std::string> missing, std::size_t most_texts) : missing_(missing), most_(most_texts) {}

    // Texts refer to strings that the column owns, which a copy would not share; moved, they stay where they are.
    TextColumn(const TextColumn &) = delete;
    TextColumn &operator=(const TextColumn &) = delete;
    TextColumn(TextColumn &&) = default;
    TextColumn &operator=(TextColumn &&) = default;
    ~TextColumn() = default;

    // The text of a row; `stays` says that the memory of the text outlives the column.
    void add(std::string_view text, bool stays);

    // Whether fields were kept as numbers before one came that is none, so that all must be read again as texts.
    [[nodiscard]] bool lost_texts() const noexcept { return lost_ || (by_row_ && all_whole_ && too_large_); }
    [[nodiscard]] std::size_t n_rows() const noexcept {
        return by_row_ ? gaps_.size() : wide_.empty() ? narrow_.size() : wide_.size();
    }
    [[nodiscard]] TextForm form() const noexcept;
    [[nodiscard]] bool by_row() const noexcept { return by_row_; }
    [[nodiscard]] const std::vector<std::string_view> &texts() const noexcept { return texts_; }

    // Codes of the rows, in one of the two; numbers of the texts behind a first one for gaps, or of the rows.
    std::vector<std::uint8_t> take_narrow() { return std::move(narrow_); }
    std::vector<std::uint32_t> take_wide() { return std::move(wide_); }
    [[nodiscard]] std::vector<std::int64_t> wholes() const;
    [[nodiscard]] std::vector<double> numbers() const;
    std::vector<char> take_gaps() { return std::move(gaps_); }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t length = 0;
        std::uint32_t place = empty; // among the texts, or gap
    };
    static constexpr std::uint32_t empty = 0xffffffff, gap = 0xfffffffe;

    [[nodiscard]] std::uint32_t code_of(std::string_view text, bool stays);
    [[nodiscard]] bool is_missing(std::string_view text) const noexcept;
    void push(std::uint32_t code);
    void grow();
    void learn(const TextNumber &number);
    void keep_by_row();
    void add_number(std::string_view text);

    std::span<const std::string> missing_;
    std::size_t most_;
    std::vector<Slot> slots_ = std::vector<Slot>(16);
    std::size_t used_ = 0;
    std::vector<std::string_view> texts_;
    std::forward_list<std::string> owned_;
    std::vector<TextNumber> read_; // what each text is, as long as all are numbers
    std::vector<std::uint8_t> narrow_;
    std::vector<std::uint32_t> wide_;
    bool all_numbers_ = true, all_whole_ = true, too_large_ = false;
    bool by_row_ = false, lost_ = false;
    std::vector<std::int64_t> row_wholes_; // as long as all are whole
    std::vector<double> row_numbers_;
    std::vector<char> gaps_;
};

} // namespace arcwise
