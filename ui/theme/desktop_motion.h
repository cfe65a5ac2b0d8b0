// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace ringside {

// Whether the desktop asks programs not to animate. Qt has no such hint on Linux: GTK's and KDE's own settings in the
// folder of configuration files say it.
bool desktopReducesMotion(const QString& configFolder);

}  // namespace ringside
