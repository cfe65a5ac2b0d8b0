// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include "base/errors/result.h"

namespace ringside {

// Options of the `ringside` command line.
struct StartOptions {
    QString file;  // path of an experiment, data file or run directory to open
    QString screenshot;
    QString page;
    QString config;
    QString runDirectory;
    QString theme;        // light | dark; empty: the theme in the settings file
    QString typePercent;  // type size in percent of the normal size; empty: the size in the settings file
    QSize size{1280, 800};
    bool showHelp = false;
    bool showVersion = false;

    // Parses the command-line arguments; `arguments` must not contain the program name.
    static Result<StartOptions> parse(const QStringList& arguments);
    static QString helpText();
};

}  // namespace ringside
