// SPDX-License-Identifier: GPL-3.0-or-later
#include "start/display.h"

#include <QFileInfo>

namespace ringside {
namespace {

// True if an X server probably responds at `display`, the value of the variable DISPLAY: always for a remote display;
// for a local display only if the socket file of its X server exists.
bool displayAnswers(const QString& display) {
    if (!display.startsWith(QLatin1Char(':'))) return !display.isEmpty();
    const QString number = display.mid(1).section(QLatin1Char('.'), 0, 0);
    return QFileInfo::exists(QStringLiteral("/tmp/.X11-unix/X") + number);
}

}  // namespace

bool hasDisplay() {
    return displayAnswers(qEnvironmentVariable("DISPLAY")) || qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
           qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

}  // namespace ringside
