#include "arcwise/text_column.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace arcwise {

namespace {

constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t odd = 0x9e3779b97f4a7c15ULL;

// The bytes themselves where there are at most eight.
std::uint64_t key_of(std::string_view text) noexcept {
    std::uint64_t key = 0;
    if (text.size() <= 8) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            key |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
        }
        return key;
    }
    const char *at = text.data();
    std::size_t left = text.size();
    key = odd * left;
    for (; left >= 8; at += 8, left -= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        key = (key ^ word) * odd;
        key ^= key >> 32U;
    }
    std::uint64_t word = 0;
    std::memcpy(&word, at, left);
    key = (key ^ word) * odd;
    return key ^ (key >> 32U);
}

std::size_t slot_of(std::uint64_t key, std::size_t length, std::size_t mask) noexcept {
    const std::uint64_t mixed = (key ^ length) * odd;
    return static_cast<std::size_t>(mixed >> 32U) & mask;
}

} // namespace

void TextColumn::add(std::string_view text, bool stays) {
    if (by_row_) {
        add_number(text);
        return;
    }
    push(text.empty() ? 0 : code_of(text, stays));
    if (texts_.size() > most_ && all_numbers_) {
        keep_by_row();
    }
}

bool TextColumn::is_missing(std::string_view text) const noexcept {
    return text.empty() || std::ranges::any_of(missing_, [&](const std::string &each) { return text == each; });
}

std::uint32_t TextColumn::code_of(std::string_view text, bool stays) {
    const std::uint64_t key = key_of(text);
    const auto length = static_cast<std::uint32_t>(text.size());
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = slot_of(key, length, mask);
    while (slots_[at].place != empty) {
        const Slot &slot = slots_[at];
        if (slot.key == key && slot.length == length) {
            if (slot.place == gap) {
                return 0;
            }
            if (length <= 8 || texts_[slot.place] == text) {
                return slot.place + 1;
            }
        }
        at = (at + 1) & mask;
    }
    // Texts of more than eight bytes that count as missing are not kept: another text might share their key.
    if (is_missing(text)) {
        if (length <= 8) {
            slots_[at] = {key, length, gap};
            ++used_;
            grow();
        }
        return 0;
    }
    const auto place = static_cast<std::uint32_t>(texts_.size());
    slots_[at] = {key, length, place};
    ++used_;
    texts_.push_back(stays ? text : std::string_view(owned_.emplace_front(text)));
    if (all_numbers_) {
        learn(number_in(text));
    }
    grow();
    return place + 1;
}

void TextColumn::learn(const TextNumber &number) {
    all_numbers_ = number.kind != TextNumber::Kind::none;
    all_whole_ = all_whole_ && (number.kind == TextNumber::Kind::whole || number.kind == TextNumber::Kind::large);
    too_large_ = too_large_ || number.kind == TextNumber::Kind::large;
    if (all_numbers_) {
        read_.push_back(number);
    } else {
        std::vector<TextNumber>().swap(read_);
    }
}

void TextColumn::grow() {
    if (2 * used_ <= slots_.size()) {
        return;
    }
    std::vector<Slot> larger(2 * slots_.size());
    const std::size_t mask = larger.size() - 1;
    for (const Slot &slot : slots_) {
        if (slot.place != empty) {
            std::size_t at = slot_of(slot.key, slot.length, mask);
            while (larger[at].place != empty) {
                at = (at + 1) & mask;
            }
            larger[at] = slot;
        }
    }
    slots_ = std::move(larger);
}

void TextColumn::push(std::uint32_t code) {
    if (!wide_.empty()) {
        wide_.push_back(code);
    } else if (code <= 0xff) {
        narrow_.push_back(static_cast<std::uint8_t>(code));
    } else {
        wide_.reserve(std::max<std::size_t>(2 * narrow_.size(), 1024));
        wide_.assign(narrow_.begin(), narrow_.end());
        std::vector<std::uint8_t>().swap(narrow_);
        wide_.push_back(code);
    }
}

void TextColumn::keep_by_row() {
    const auto keep = [&](std::uint32_t code) {
        const TextNumber number = code == 0 ? TextNumber{} : read_[code - 1];
        gaps_.push_back(code == 0 ? 1 : 0);
        if (all_whole_ && !too_large_) {
            row_wholes_.push_back(number.whole);
        } else {
            row_numbers_.push_back(code == 0 ? missing_number : number.number);
        }
    };
    by_row_ = true;
    std::ranges::for_each(narrow_, keep);
    std::ranges::for_each(wide_, keep);
    std::vector<std::uint8_t>().swap(narrow_);
    std::vector<std::uint32_t>().swap(wide_);
    std::vector<TextNumber>().swap(read_);
    std::vector<Slot>(16).swap(slots_);
    std::vector<std::string_view>().swap(texts_);
    owned_.clear();
}

void TextColumn::add_number(std::string_view text) {
    const TextNumber number = number_in(text);
    const bool is_number = number.kind != TextNumber::Kind::none;
    // A number can be what stands for missing values, such as -99.
    const bool is_gap = is_missing(text);
    if (!is_number && !is_gap) {
        lost_ = true;
    }
    gaps_.push_back(is_gap ? 1 : 0);
    if (!is_gap && is_number) {
        const bool whole = number.kind == TextNumber::Kind::whole, large = number.kind == TextNumber::Kind::large;
        if (!row_wholes_.empty() && !whole) { // numbers by row from now on
            row_numbers_.reserve(row_wholes_.capacity());
            for (std::size_t row = 0; row < row_wholes_.size(); ++row) {
                row_numbers_.push_back(gaps_[row] != 0 ? missing_number : static_cast<double>(row_wholes_[row]));
            }
            std::vector<std::int64_t>().swap(row_wholes_);
        }
        all_whole_ = all_whole_ && (whole || large);
        too_large_ = too_large_ || large;
    }
    if (!row_wholes_.empty()) {
        row_wholes_.push_back(is_gap ? 0 : number.whole);
    } else {
        row_numbers_.push_back(is_gap ? missing_number : number.number);
    }
}

TextForm TextColumn::form() const noexcept {
    if (by_row_) {
        return row_wholes_.empty() ? TextForm::number : TextForm::whole;
    }
    if (texts_.empty()) {
        return TextForm::nothing;
    }
    if (!all_numbers_ || (all_whole_ && too_large_)) {
        return TextForm::label;
    }
    return all_whole_ ? TextForm::whole : TextForm::number;
}

std::vector<std::int64_t> TextColumn::wholes() const {
    if (by_row_) {
        return row_wholes_;
    }
    std::vector<std::int64_t> values{0};
    std::ranges::transform(read_, std::back_inserter(values), &TextNumber::whole);
    return values;
}

std::vector<double> TextColumn::numbers() const {
    if (by_row_) {
        return row_numbers_;
    }
    std::vector<double> values{missing_number};
    std::ranges::transform(read_, std::back_inserter(values), &TextNumber::number);
    return values;
}

} // namespace arcwise
