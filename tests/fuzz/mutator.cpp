// SPDX-License-Identifier: Apache-2.0
#include "mutator.h"

namespace ringside::fuzz {

Mutator::Mutator(std::vector<std::string> corpus, std::vector<std::string> words, std::uint32_t seed)
    : m_corpus(std::move(corpus)), m_words(std::move(words)), m_random(seed) {}

std::string Mutator::next() {
    std::string text = m_corpus[below(m_corpus.size())];
    for (std::size_t i = 1 + below(6); i > 0; --i) damage(text);
    return text;
}

void Mutator::damage(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(text.size() - at, 40) + 1);
    const std::string piece = text.substr(at, length);
    const std::string& other = m_corpus[below(m_corpus.size())];
    switch (below(7)) {
        case 0:
            if (at < text.size()) text[at] = static_cast<char>(text[at] ^ static_cast<char>(1U << below(8)));
            break;
        case 1:
            text.erase(at, length);
            break;
        case 2:
            text.insert(at, piece);
            break;
        case 3:
            text.insert(at, m_words[below(m_words.size())]);
            break;
        case 4:
            text.replace(at, length, m_words[below(m_words.size())]);
            break;
        case 5:
            text.insert(at, other.substr(below(other.size()), below(60)));
            break;
        default:
            text.resize(at);
            break;
    }
}

}  // namespace ringside::fuzz
