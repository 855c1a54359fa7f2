// The csv reader under libFuzzer and the sanitizers; `fuzz/text_table` builds and runs it.
#include "arcwise/text_table.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

// The first byte says how the text is laid out.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::size_t layout = data[0];
    std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
    text += '\n';
    text.shrink_to_fit();
    const std::vector<std::string> missing{"NA", "?", "-99", "a text of more than eight bytes"};
    const std::size_t most = (layout >> 2U & 3U) == 3U ? static_cast<std::size_t>(-1) : layout >> 2U & 3U;
    const char separator = (layout & 2U) != 0 ? ';' : ',';
    arcwise::TextTable table = arcwise::read_text(text, {separator, (layout & 1U) != 0, layout >> 6U, most}, missing);
    if (table.fault.kind != arcwise::TextFault::Kind::none) {
        if (table.fault.begin >= text.size()) {
            std::abort();
        }
        return 0;
    }
    for (arcwise::TextColumn &column : table.columns) {
        if (column.n_rows() != table.n_rows || column.lost_texts()) {
            std::abort();
        }
        const std::size_t n_texts = column.texts().size();
        std::size_t sum = 0; // reads every byte, so that the sanitizer sees texts that are gone
        for (const std::string_view each : column.texts()) {
            for (const char sign : each) {
                sum += static_cast<unsigned char>(sign);
            }
            sum += each.size();
        }
        if (n_texts > 0 && sum == 0) {
            std::abort();
        }
        const bool by_row = column.by_row();
        const std::size_t n_values = by_row ? table.n_rows : n_texts + 1;
        if ((column.form() == arcwise::TextForm::whole && column.wholes().size() != n_values) ||
            (column.form() == arcwise::TextForm::number && column.numbers().size() != n_values)) {
            std::abort();
        }
        for (const std::uint32_t code : column.take_wide()) {
            if (code > n_texts) {
                std::abort();
            }
        }
    }
    return 0;
}
