// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace ringside {

// True if the desktop's settings ask programs not to animate. Qt does not provide this setting on Linux, so it is read
// from the configuration files of GTK and KDE in `configFolder`.
bool desktopReducesMotion(const QString& configFolder);

}  // namespace ringside
