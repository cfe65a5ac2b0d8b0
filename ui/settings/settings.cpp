// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/settings.h"

#include <QStandardPaths>

namespace ringside {
namespace {

QString userFile() {
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           QStringLiteral("/ringside/window.ini");
}

}  // namespace

Settings::Settings(const QString& path) : m_store(path.isEmpty() ? userFile() : path, QSettings::IniFormat) {}

void Settings::addRecentFile(const QString& path) {
    QStringList files = get(settings::kRecentFiles);
    files.removeAll(path);
    files.prepend(path);
    while (files.size() > kMaxRecentFiles) files.removeLast();
    set(settings::kRecentFiles, files);
}

}  // namespace ringside
