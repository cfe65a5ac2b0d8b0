// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace ringside {

// True if animations are off in the desktop's settings. Qt does not provide this setting on Linux, so this function
// reads it from the configuration files of GTK and KDE in `configFolder`.
bool desktopReducesMotion(const QString& configFolder);

}  // namespace ringside
