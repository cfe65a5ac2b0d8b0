// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch/interpreters.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace ringside {
namespace {

// number of folders that are searched for virtual environments: the script's folder and two above it
constexpr int kMaxFolders = 3;

void add(QStringList& found, const QString& path) {
    if (QFileInfo(path).isExecutable() && !found.contains(path)) found << path;
}

}  // namespace

InterpreterPlaces interpreterPlaces() {
    return {qEnvironmentVariable("VIRTUAL_ENV"), qEnvironmentVariable("CONDA_PREFIX"),
            QStandardPaths::findExecutable(QStringLiteral("python3"))};
}

QStringList interpretersFor(const QString& script, const InterpreterPlaces& places) {
    QStringList found;
    QDir folder = QFileInfo(script).dir();
    for (int level = 0; !script.isEmpty() && level < kMaxFolders; ++level) {
        for (const char* name : {".venv", "venv", "env"})
            add(found, folder.absoluteFilePath(QLatin1String(name) + QStringLiteral("/bin/python")));
        if (!folder.cdUp()) break;
    }
    for (const QString& environment : {places.virtualEnv, places.condaEnv})
        if (!environment.isEmpty()) add(found, environment + QStringLiteral("/bin/python"));
    if (!places.path.isEmpty()) add(found, places.path);
    return found;
}

}  // namespace ringside
