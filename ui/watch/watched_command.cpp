// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch/watched_command.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "base/json/json.h"
#include "base/text/shell_word.h"
#include "run/read/run_directory.h"

namespace ringside {

WatchedCommand watchedCommand(const QStringList& words, const QString& folder) {
    WatchedCommand command{words, folder, {}, {}};
    const auto script =
        std::ranges::find_if(words, [](const QString& word) { return word.endsWith(QLatin1String(".py")); });
    if (script == words.end()) return command;
    command.script = QDir::cleanPath(QDir(folder).absoluteFilePath(*script));
    command.arguments = QStringList(script + 1, words.end());
    return command;
}

std::optional<WatchedCommand> readWatchedCommand(const QString& runDirectory) {
    const Result<Json> json = readJsonFile(RunPaths(runDirectory.toStdString()).launch());
    if (!json || !json.value().is_object()) return {};
    const auto found = json.value().find("command");
    if (found == json.value().end() || !found->is_array() || found->empty()) return {};
    QStringList words;
    for (const Json& word : *found) {
        if (!word.is_string()) return {};
        words << QString::fromStdString(word.get<std::string>());
    }
    const auto folder = json.value().find("working_directory");
    const bool known = folder != json.value().end() && folder->is_string();
    return watchedCommand(words, known ? QString::fromStdString(folder->get<std::string>()) : QString());
}

QString WatchedCommand::pathBesideScript(const QString& file) const {
    if (file.isEmpty() || script.isEmpty()) return {};
    const QFileInfo found(QFileInfo(script).dir().absoluteFilePath(file));
    return found.isFile() ? QDir::cleanPath(found.absoluteFilePath()) : QString();
}

QString commandLine(const QStringList& words) {
    QStringList quoted;
    for (const QString& word : words) quoted << QString::fromStdString(shellWord(word.toStdString()));
    return quoted.join(QLatin1Char(' '));
}

}  // namespace ringside
