// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/desktop_motion.h"

#include <QSettings>

namespace ringside {

bool desktopReducesMotion(const QString& configFolder) {
    for (const char* version : {"gtk-3.0", "gtk-4.0"}) {
        const QSettings gtk(QStringLiteral("%1/%2/settings.ini").arg(configFolder, QLatin1String(version)),
                            QSettings::IniFormat);
        const QString animated = gtk.value(QStringLiteral("Settings/gtk-enable-animations"), 1).toString();
        if (animated == QLatin1String("0") || animated == QLatin1String("false")) return true;
    }
    const QSettings kde(configFolder + QStringLiteral("/kdeglobals"), QSettings::IniFormat);
    bool known = false;
    const double factor = kde.value(QStringLiteral("KDE/AnimationDurationFactor"), 1).toDouble(&known);
    return known && factor == 0;
}

}  // namespace ringside
