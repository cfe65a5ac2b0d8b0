// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/session/live_runs.h"

#include <QDir>

#include "run/read/default_run_directory.h"
#include "run/read/run_life.h"

namespace ringside {
namespace {

constexpr qsizetype kMaxLooked = 500;  // maximum number of subfolders of each folder that are checked

}  // namespace

QStringList liveRuns(QStringList folders) {
    folders << QString::fromStdString(runsDirectory().string());
    QStringList found, seen;
    for (const QString& folder : folders) {
        const QDir directory(folder);
        if (folder.isEmpty() || !directory.exists() || seen.contains(directory.canonicalPath())) continue;
        seen << directory.canonicalPath();
        const QStringList names = directory.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name | QDir::Reversed);
        for (const QString& name : names.first(std::min(kMaxLooked, names.size()))) {
            const QString run = directory.filePath(name);
            if (isRunAlive(run.toStdString())) found << run;
        }
    }
    return found;
}

}  // namespace ringside
