// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <QString>

namespace ringside {

// Sets synonyms by which the command can be found, such as "pause halt" for Stop.
void setSynonyms(QAction& action, const QString& words);

struct FoundCommands {
    QList<QAction*> actions;   // found actions, best match first
    bool onlySimilar = false;  // true if nothing matches; the actions are then the most similar ones
};

// Returns the actions whose text or synonyms contain the typed words, followed by the actions whose text contains the
// typed letters in their order. If no action matches, returns the most similar actions. Empty only if `actions` is
// empty.
FoundCommands findCommands(const QList<QAction*>& actions, const QString& typed);

}  // namespace ringside
