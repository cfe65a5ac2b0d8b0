// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

namespace ringside {

// Returns the program and the arguments that open a file at a line in `editor`, the value of $VISUAL or $EDITOR. Empty
// if the editor runs in a terminal (vim, nano) or is not known; openInEditor() then uses the desktop's default program.
std::optional<QStringList> editorCommand(const QString& editor, const QString& file, int line);

// Opens a file at a line in the user's editor. Returns a sentence if no program can open it; empty otherwise.
QString openInEditor(const QString& file, int line);

}  // namespace ringside
