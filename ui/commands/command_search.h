// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <QString>

namespace ringside {

// Sets the synonyms of a command, such as "pause halt" for Stop. The command finder also finds the command by its
// synonyms.
void setSynonyms(QAction& action, const QString& words);

struct FoundCommands {
    QList<QAction*> actions;  // found actions, best match first
    // true if no action matches the typed text; `actions` then contains the most similar ones
    bool onlySimilar = false;
};

// Returns the actions whose text or synonyms contain the typed words, followed by the actions whose text contains the
// typed letters in their order. If no action matches, returns the most similar actions. Empty only if `actions` is
// empty.
FoundCommands findCommands(const QList<QAction*>& actions, const QString& typed);

}  // namespace ringside
