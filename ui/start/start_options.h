// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include "base/errors/result.h"

namespace ringside {

// Options of the `ringside` command line.
struct StartOptions {
    QString file;  // experiment, data file or run directory to open
    QString screenshot;
    QString page;
    QString config;
    QString runDirectory;
    QString theme;        // light | dark, empty: as remembered
    QString typePercent;  // empty: as remembered
    QSize size{1280, 800};
    bool showHelp = false;
    bool showVersion = false;

    static Result<StartOptions> parse(const QStringList& arguments);  // arguments without the program name
    static QString helpText();
};

}  // namespace ringside
