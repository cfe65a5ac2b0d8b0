// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text/number_text.h"
#include "data/preview/preview.h"
#include "data/sets/builtin/text_dataset.h"

namespace ringside {
namespace {

constexpr std::size_t kShownLines = 20;
constexpr std::size_t kMaxShownLine = 200;

std::vector<std::vector<std::string>> firstLines(std::string_view text) {
    std::vector<std::vector<std::string>> lines;
    while (!text.empty() && lines.size() < kShownLines) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back({std::string(line.substr(0, kMaxShownLine))});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// Removes an incomplete UTF-8 character at the end of the part read: it would be reported as damaged.
std::string_view wholeCharacters(std::string_view text) {
    for (int bytes = 1; bytes < 4 && !text.empty(); ++bytes) {
        const auto last = static_cast<unsigned char>(text.back());
        if (last < 0x80) break;
        text.remove_suffix(1);
        if (last >= 0xc0) break;
    }
    return text;
}

}  // namespace

DataPreview previewCharacters(const std::string& text, const std::string& what, bool partial,
                              const DatasetConfig& choices) {
    DataPreview preview;
    preview.dataset.kind = DatasetKind::kText;
    preview.partial = partial;
    preview.columns = {{.name = "text", .type = ColumnType::kText}};
    preview.rows = firstLines(text);
    preview.shape = {.features = choices.contextLength, .isSequence = true};
    const std::string_view whole = partial ? wholeCharacters(text) : std::string_view(text);
    const auto data = TextDataset::make(whole, choices.contextLength, what);
    if (!data) {
        preview.summary = "a text";
        preview.notes.push_back(data.problem().text());
        return preview;
    }
    preview.sampleCount = data.value()->size();
    preview.summary = grouped(preview.sampleCount) + " samples of " + grouped(choices.contextLength) + " characters" +
                      (partial ? " in the part of the file that was read, " : ", ") +
                      grouped(data.value()->classCount()) +
                      " distinct characters; the model predicts each character from the previous ones";
    return preview;
}

}  // namespace ringside
