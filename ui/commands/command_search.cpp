// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/command_search.h"

#include <QVariant>
#include <algorithm>
#include <vector>

#include "commands/keys_dialog.h"

namespace ringside {
namespace {

constexpr const char* kSynonyms = "synonyms";
constexpr int kMaxNear = 4;
constexpr int kNoMatch = 1000;

QStringList wordsOf(const QAction& action) {
    return (plainText(action) + QLatin1Char(' ') + action.property(kSynonyms).toString())
        .toLower()
        .split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

// Returns the edit distance of two words: the number of insertions, deletions and replacements that turn the first word
// into the second.
int distanceBetween(const QString& a, const QString& b) {
    std::vector<int> row(static_cast<std::size_t>(b.size()) + 1);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<int>(i);
    for (const QChar letter : a) {
        int corner = row[0]++;
        for (std::size_t i = 1; i < row.size(); ++i) {
            const int replaced = corner + (b[static_cast<qsizetype>(i) - 1] == letter ? 0 : 1);
            corner = row[i];
            row[i] = std::min({row[i] + 1, row[i - 1] + 1, replaced});
        }
    }
    return row.back();
}

bool startsAWord(const QStringList& words, const QString& typed) {
    return std::ranges::any_of(words, [&](const QString& word) { return word.startsWith(typed); });
}

bool holdsLetters(const QString& text, const QString& typed) {
    qsizetype from = 0;
    for (const QChar letter : typed) {
        if (letter.isSpace()) continue;
        from = text.indexOf(letter, from, Qt::CaseInsensitive) + 1;
        if (from == 0) return false;
    }
    return true;
}

// Returns how well an action matches the typed query; smaller is better. 0: the action's text starts with the query. 1:
// each word of the query is the start of a word of the text. 2: each word of the query is the start of a word of the
// text or of a synonym. kNoMatch: no match.
int rankOf(const QAction& action, const QString& typed) {
    const QString text = plainText(action).toLower();
    if (text.startsWith(typed)) return 0;
    const QStringList own = text.split(QLatin1Char(' '), Qt::SkipEmptyParts), all = wordsOf(action);
    const QStringList wanted = typed.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const auto each = [&](const QStringList& words) {
        return std::ranges::all_of(wanted, [&](const QString& word) { return startsAWord(words, word); });
    };
    if (each(own)) return 1;
    return each(all) ? 2 : kNoMatch;
}

// Returns how much an action differs from the typed query: the edit distance between the query and the nearest word of
// the action if this distance is at most 2; 3 if the action's text contains the letters of the query in their order;
// more than 3 otherwise.
int matchDistance(const QAction& action, const QString& typed) {
    constexpr int kTypingErrors = 2;
    int least = kNoMatch;
    for (const QString& word : wordsOf(action)) least = std::min(least, distanceBetween(typed, word));
    if (least <= kTypingErrors) return least;
    return holdsLetters(plainText(action), typed) ? kTypingErrors + 1 : kTypingErrors + 1 + least;
}

template <class Cost>
QList<QAction*> byCost(const QList<QAction*>& actions, Cost cost) {
    std::vector<std::pair<int, QAction*>> ranked;
    for (QAction* action : actions) {
        if (const int own = cost(*action); own < kNoMatch) ranked.emplace_back(own, action);
    }
    std::ranges::stable_sort(ranked, {}, &std::pair<int, QAction*>::first);
    QList<QAction*> result;
    for (const auto& [own, action] : ranked) result << action;
    return result;
}

}  // namespace

void setSynonyms(QAction& action, const QString& words) {
    action.setProperty(kSynonyms, words);
}

FoundCommands findCommands(const QList<QAction*>& actions, const QString& typed) {
    const QString wanted = typed.trimmed().toLower();
    if (wanted.isEmpty()) return {actions};
    FoundCommands found{byCost(actions, [&](const QAction& action) { return rankOf(action, wanted); })};
    if (!found.actions.isEmpty()) return found;
    return {byCost(actions, [&](const QAction& action) { return matchDistance(action, wanted); })
                .first(std::min<qsizetype>(kMaxNear, actions.size())),
            true};
}

}  // namespace ringside
