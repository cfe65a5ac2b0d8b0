// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch/watch_choice.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <algorithm>

#include "watch/watched_command.h"

namespace ringside {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("WatchChoice", text);
}

// True if the program exists. `program` is a path, which may be relative to `folder`, or the name of a program in PATH.
bool isProgram(const QString& program, const QString& folder) {
    if (program.contains(QLatin1Char('/'))) return QFileInfo(QDir(folder).absoluteFilePath(program)).isExecutable();
    return !QStandardPaths::findExecutable(program).isEmpty();
}

}  // namespace

QStringList WatchChoice::words() const {
    const QStringList typed = QProcess::splitCommand(arguments);
    const QString path = script.isEmpty() ? QString() : QFileInfo(script).absoluteFilePath();
    switch (launcher) {
        case WatchLauncher::kPython:
            return QStringList{interpreter, path} + typed;
        case WatchLauncher::kTorchrun:
            return QStringList{interpreter,
                               QStringLiteral("-m"),
                               QStringLiteral("torch.distributed.run"),
                               QStringLiteral("--standalone"),
                               QStringLiteral("--nproc_per_node"),
                               QString::number(ranks),
                               path} +
                   typed;
        case WatchLauncher::kCommand:
            return QProcess::splitCommand(command);
    }
    return {};
}

QString WatchChoice::folder() const {
    const QString of =
        launcher == WatchLauncher::kCommand ? watchedCommand(words(), QDir::currentPath()).script : script;
    return of.isEmpty() ? QDir::currentPath() : QFileInfo(of).absolutePath();
}

QString WatchChoice::problem() const {
    if (launcher == WatchLauncher::kCommand) {
        const QStringList all = words();
        if (all.isEmpty()) return translated("Type the command, for example: torchrun --nproc-per-node 4 train.py");
        return isProgram(all.first(), folder())
                   ? QString()
                   : translated("The program %1 was not found: check the first word of the command.").arg(all.first());
    }
    if (script.isEmpty()) return translated("Choose the script to watch.");
    const QFileInfo file(script);
    if (!file.exists()) return translated("%1 does not exist: choose another script.").arg(file.absoluteFilePath());
    if (!file.isFile()) return translated("%1 is not a file: choose a Python script.").arg(file.absoluteFilePath());
    if (!file.isReadable()) return translated("%1 cannot be read: check its permissions.").arg(file.absoluteFilePath());
    if (interpreter.isEmpty()) return translated("Choose a Python interpreter with PyTorch.");
    return isProgram(interpreter, file.absolutePath())
               ? QString()
               : translated("%1 is not a Python interpreter on this computer: choose another one.").arg(interpreter);
}

WatchRequest WatchChoice::request(bool isCheck) const {
    const QStringList all = words();
    const QString found = launcher == WatchLauncher::kCommand ? watchedCommand(all, folder()).script : script;
    return {all, folder(), found.isEmpty() ? all.value(0) : found, isCheck};
}

QStringList WatchChoice::toTexts() const {
    return {QLatin1String(kWatchLauncherNames.at(static_cast<std::size_t>(launcher))), QString::number(ranks),
            interpreter, arguments, command};
}

void WatchChoice::takeTexts(const QStringList& texts) {
    const auto name = std::ranges::find(kWatchLauncherNames, texts.value(0).toStdString());
    if (name != kWatchLauncherNames.end())
        launcher = static_cast<WatchLauncher>(std::distance(kWatchLauncherNames.begin(), name));
    ranks = std::max(1, texts.value(1, QStringLiteral("2")).toInt());
    interpreter = texts.value(2);
    arguments = texts.value(3);
    command = texts.value(4);
}

}  // namespace ringside
