// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/sets/common/dataset.h"

namespace ringside {

inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 28;
inline constexpr std::size_t kMaxCharacters = 65535;  // maximum number of different characters

// A text cut into consecutive samples of contextLength characters; the remainder is unused. The label of each character
// is the character after it. Characters are numbered in the order of their code points, as by sorted(set(text)) in
// Python.
class TextDataset final : public Dataset {
  public:
    // Problems: a byte that is not UTF-8 (with its position), a text that is too short.
    static Result<std::shared_ptr<const Dataset>> make(std::string_view text, std::int64_t contextLength,
                                                       const std::string& what, const std::stop_token& stop = {});

    std::int64_t size() const override { return (static_cast<std::int64_t>(m_tokens.size()) - 1) / m_length; }
    SampleShape shape() const override { return {.features = m_length, .isSequence = true}; }
    std::int64_t classCount() const override { return static_cast<std::int64_t>(m_characters.size()); }
    std::int64_t targetCount() const override { return 0; }
    std::string className(std::int64_t label) const override;  // returns the character as text: "a", "space", "\n"
    void features(std::int64_t index, std::span<float> out) const override;
    void targets(std::int64_t index, std::span<float> out) const override;
    // Returns the last label of the sample: the character that follows the sample.
    std::int64_t label(std::int64_t index) const override;
    void labels(std::int64_t index, std::span<std::int64_t> out) const override;
    std::string text(std::int64_t index) const override;

  private:
    TextDataset(std::vector<char32_t> characters, std::vector<std::uint16_t> tokens, std::int64_t length)
        : m_characters(std::move(characters)), m_tokens(std::move(tokens)), m_length(length) {}
    // Returns the tokens of the sample and the token that follows the sample.
    std::span<const std::uint16_t> tokensOf(std::int64_t index) const;

    std::vector<char32_t> m_characters;  // characters of the text, sorted by code point; the index of a character is
                                         // its token
    std::vector<std::uint16_t> m_tokens;
    std::int64_t m_length;
};

// Loads the kind "text": a UTF-8 file, uncompressed or compressed with gzip; an empty path loads the built-in sonnets.
Result<std::shared_ptr<const Dataset>> loadText(const std::filesystem::path& file, std::int64_t contextLength,
                                                const std::stop_token& stop = {});

// Returns twenty-three sonnets by William Shakespeare (1609), in the public domain.
std::string_view builtInText();

}  // namespace ringside
