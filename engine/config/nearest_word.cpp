// SPDX-License-Identifier: Apache-2.0
#include "config/nearest_word.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace ringside {
namespace {

// Length of the longest word that is compared, in bytes. Longer words are not typing errors, and the limit bounds the
// time that a malicious file can cost.
constexpr std::size_t kLongest = 64;

std::string folded(std::string_view word) {
    std::string out;
    for (const char c : word) {
        out += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return out;
}

// Returns the optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours.
std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[a.size()][b.size()];
}

// Returns the edit distance between two words. If `word` is a part of a longer word ("batch" for batch_size), the
// missing part counts as one mistake.
std::size_t distanceBetween(const std::string& typed, const std::string& candidate) {
    if (typed.size() >= 3 && typed != candidate && candidate.find(typed) != std::string::npos) return 1;
    return editDistance(typed, candidate);
}

}  // namespace

std::string nearestWord(std::string_view word, std::span<const std::string> candidates) {
    if (word.empty() || word.size() > kLongest) return {};
    const std::string typed = folded(word);
    const std::size_t most = word.size() <= 3 ? 1 : std::max<std::size_t>(2, word.size() / 3);
    std::size_t best = most + 1;
    std::string nearest;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = distanceBetween(typed, folded(candidate));
        if (distance < best) {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

}  // namespace ringside
