// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include "base/errors/result.h"

namespace ringside {

// What `ringside` was asked for on the command line.
struct StartOptions {
    QString file;  // experiment, data file or run directory to open
    QString screenshot;
    QString page;
    QString config;
    QString runDirectory;
    QString theme;  // light | dark, empty: as remembered
    QSize size{1280, 800};
    bool showHelp = false;
    bool showVersion = false;

    static Result<StartOptions> parse(const QStringList& arguments);  // without the program's name
    static QString helpText();
};

}  // namespace ringside
