// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>
#include <vector>

namespace ringside::fuzz {

// Damages inputs as files get damaged: flipped bits, lost and doubled pieces, pieces of other files, and words that
// often cause errors. The same seed gives the same damage.
class Mutator {
  public:
    Mutator(std::vector<std::string> corpus, std::vector<std::string> words, std::uint32_t seed);

    std::string next();

  private:
    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : m_random() % limit; }
    void damage(std::string& text);

    std::vector<std::string> m_corpus;
    std::vector<std::string> m_words;
    std::mt19937 m_random;
};

}  // namespace ringside::fuzz
