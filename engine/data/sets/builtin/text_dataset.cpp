// SPDX-License-Identifier: Apache-2.0
#include "data/sets/builtin/text_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/number_text.h"
#include "data/readers/byte_source.h"
#include "data/readers/text_file.h"

extern "C" {
extern const char ringsideSonnetsBegin[];
extern const char ringsideSonnetsEnd[];
}

namespace ringside {
namespace {

constexpr std::size_t kCodePoints = 0x110000;
constexpr std::size_t kTextBetweenChecks = std::size_t{1} << 20;  // bytes between checks of the stop token

// One UTF-8 character and its length in bytes; a length of 0 means that the bytes are not a valid character.
struct Decoded {
    char32_t character = 0;
    std::size_t bytes = 0;
};

Decoded decode(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
    char32_t character = lead & (0xffU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) return {};
        character = character << 6 | (byte(i) & 0x3fU);
    }
    constexpr std::array<char32_t, 5> kMin = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = character >= 0xd800 && character <= 0xdfff;
    return character < kMin[bytes] || character > 0x10ffff || surrogate ? Decoded{} : Decoded{character, bytes};
}

void encode(char32_t c, std::string& text) {
    if (c < 0x80) {
        text += static_cast<char>(c);
        return;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    const unsigned mark = (0xff00U >> (more + 1)) & 0xffU;
    text += static_cast<char>(mark | c >> (6 * more));
    for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80U | (c >> (6 * i) & 0x3fU));
}

// Calls visit(character) for each character in order.
template <class Visit>
Result<bool> forEachCharacter(std::string_view text, const std::string& what, const std::stop_token& stop,
                              Visit visit) {
    std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;  // skips a byte order mark
    for (std::size_t nextCheck = at; at < text.size();) {
        if (at >= nextCheck) {
            if (stop.stop_requested()) return stoppedReading(what);
            nextCheck += kTextBetweenChecks;
        }
        const Decoded one = decode(text.substr(at));
        if (one.bytes == 0)
            return Problem{what, "is not UTF-8 text: byte " + std::to_string(at) + " does not start a character",
                           "save the text as UTF-8"};
        visit(one.character);
        at += one.bytes;
    }
    return true;
}

Problem tooShort(const std::string& what, std::int64_t characters, std::int64_t contextLength, std::int64_t least) {
    return {what,
            "has " + grouped(characters) + " characters; the minimum with dataset.context_length " +
                std::to_string(contextLength) + " is " + grouped(least),
            "use a longer text or lower dataset.context_length"};
}

}  // namespace

// Reads the text twice, so that a large text is never stored as 32-bit characters.
Result<std::shared_ptr<const Dataset>> TextDataset::make(std::string_view text, std::int64_t contextLength,
                                                         const std::string& what, const std::stop_token& stop) {
    std::vector<bool> seen(kCodePoints);
    std::int64_t count = 0;
    const auto counted = forEachCharacter(text, what, stop, [&](char32_t c) {
        seen[c] = true;
        ++count;
    });
    if (!counted) return counted.problem();
    // A text must contain at least two samples: one for training and one for validation.
    const std::int64_t least = 2 * contextLength + 1;
    if (count < least) return tooShort(what, count, contextLength, least);
    std::vector<char32_t> different;
    for (char32_t c = 0; c < kCodePoints; ++c)
        if (seen[c]) different.push_back(c);
    if (different.size() < 2 || different.size() > kMaxCharacters)
        return Problem{what,
                       "has " + grouped(static_cast<std::int64_t>(different.size())) +
                           " distinct characters; the limits are 2 to " + grouped(kMaxCharacters),
                       "choose another text"};
    std::vector<std::uint16_t> numbers(kCodePoints);
    for (std::size_t i = 0; i < different.size(); ++i) numbers[different[i]] = static_cast<std::uint16_t>(i);
    std::vector<std::uint16_t> tokens;
    tokens.reserve(static_cast<std::size_t>(count));
    const auto numbered = forEachCharacter(text, what, stop, [&](char32_t c) { tokens.push_back(numbers[c]); });
    if (!numbered) return numbered.problem();
    return std::shared_ptr<const Dataset>(new TextDataset(std::move(different), std::move(tokens), contextLength));
}

std::span<const std::uint16_t> TextDataset::tokensOf(std::int64_t index) const {
    RINGSIDE_ASSERT(index >= 0 && index < size());
    return std::span(m_tokens).subspan(static_cast<std::size_t>(index * m_length),
                                       static_cast<std::size_t>(m_length + 1));
}

std::string TextDataset::className(std::int64_t label) const {
    RINGSIDE_ASSERT(label >= 0 && label < classCount());
    const char32_t character = m_characters[static_cast<std::size_t>(label)];
    if (character == ' ') return "space";
    if (character == '\n') return "\\n";
    if (character == '\t') return "\\t";
    std::string text;
    if (character >= 0x20 && character != 0x7f) {
        encode(character, text);
        return text;
    }
    return fmt::format("\\x{:02x}", static_cast<unsigned>(character));
}

void TextDataset::features(std::int64_t index, std::span<float> out) const {
    std::ranges::copy(tokensOf(index).first(out.size()), out.begin());
}

void TextDataset::targets(std::int64_t, std::span<float>) const {
    RINGSIDE_ASSERT(!"a text has no targets");
}

std::int64_t TextDataset::label(std::int64_t index) const {
    return tokensOf(index).back();
}

void TextDataset::labels(std::int64_t index, std::span<std::int64_t> out) const {
    std::ranges::copy(tokensOf(index).last(out.size()), out.begin());
}

std::string TextDataset::text(std::int64_t index) const {
    std::string text;
    const auto tokens = tokensOf(index);
    for (const std::uint16_t token : tokens.first(tokens.size() - 1)) encode(m_characters[token], text);
    return text;
}

std::string_view builtInText() {
    return {ringsideSonnetsBegin, static_cast<std::size_t>(ringsideSonnetsEnd - ringsideSonnetsBegin)};
}

Result<std::shared_ptr<const Dataset>> loadText(const std::filesystem::path& file, std::int64_t contextLength,
                                                const std::stop_token& stop) {
    if (file.empty()) return TextDataset::make(builtInText(), contextLength, "the built-in text");
    const Result<std::string> content = readTextFile(file, kMaxTextBytes, stop);
    if (!content) return content.problem();
    return TextDataset::make(content.value(), contextLength, file.string(), stop);
}

}  // namespace ringside
