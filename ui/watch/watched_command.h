// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

namespace ringside {

// Command of a watched run, as recorded in the file launch.json of its run directory.
struct WatchedCommand {
    QStringList words;      // program and its arguments
    QString folder;         // working directory of the command
    QString script;         // path of the first .py file among the words; empty: there is none
    QStringList arguments;  // arguments of the command after the script

    // Returns the absolute path of a source file whose path in a finding is relative to the folder of the script; empty
    // if the file does not exist.
    QString pathBesideScript(const QString& file) const;
};

// Reads the command of a watched run; empty if the run directory does not contain it, for example because an older
// version of Ringside recorded the run.
std::optional<WatchedCommand> readWatchedCommand(const QString& runDirectory);

// Splits a command into the parts of a WatchedCommand. The working directory is `folder`.
WatchedCommand watchedCommand(const QStringList& words, const QString& folder);

// Returns the words as one command line for display; words with blanks are quoted as in a shell.
QString commandLine(const QStringList& words);

}  // namespace ringside
