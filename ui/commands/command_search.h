// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <QString>

namespace ringside {

// Other words for a command, which find it too: "pause halt" for Stop.
void setSynonyms(QAction& action, const QString& words);

struct FoundCommands {
    QList<QAction*> actions;  // best first
    bool near = false;        // none has what was typed: these come nearest to it
};

// Those whose text or synonyms hold the typed words, before those that hold its letters in this order; without any, the
// ones with the most alike words. Never empty while there are actions.
FoundCommands findCommands(const QList<QAction*>& actions, const QString& typed);

}  // namespace ringside
