// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/actions/appearance.h"

#include <QStandardPaths>
#include <utility>

#include "main_window/actions/window_actions.h"
#include "settings/settings.h"
#include "theme/desktop_motion.h"
#include "theme/theme.h"

namespace ringside {

Appearance::Appearance(const WindowActions& actions, Theme& theme, Settings& settings, QObject* parent)
    : QObject(parent), m_actions(actions), m_theme(theme), m_settings(settings) {
    connect(actions.theme, &QAction::triggered, this, &Appearance::toggleTheme);
    for (const auto& [action, steps] : {std::pair(actions.largerType, 1), std::pair(actions.smallerType, -1)}) {
        connect(action, &QAction::triggered, this,
                [this, steps = steps] { setTypePercent(m_theme.nextTypePercent(steps)); });
    }
    connect(actions.normalType, &QAction::triggered, this, [this] { setTypePercent(Theme::kNormalType); });
    connect(actions.reduceMotion, &QAction::toggled, this, &Appearance::setReduceMotion);
    connect(&theme, &Theme::changed, this, &Appearance::nameTheme);
    nameTheme();
}

void Appearance::restore() {
    m_theme.setTypePercent(m_settings.get(settings::kTypePercent));
    const bool reduceMotion = m_settings.get(settings::kReduceMotion);
    m_actions.reduceMotion->setChecked(reduceMotion);
    setReduceMotion(reduceMotion);
}

void Appearance::toggleTheme() {
    const bool dark = m_theme.mode() == Theme::Mode::Light;
    m_theme.setMode(dark ? Theme::Mode::Dark : Theme::Mode::Light);
    m_settings.set(settings::kTheme, dark ? QStringLiteral("dark") : QStringLiteral("light"));
}

void Appearance::nameTheme() {
    const bool light = m_theme.mode() == Theme::Mode::Light;
    m_actions.theme->setText(light ? tr("&Dark theme") : tr("&Light theme"));
    m_actions.theme->setIconText(light ? tr("Dark") : tr("Light"));
}

void Appearance::setTypePercent(int percent) {
    m_theme.setTypePercent(percent);
    m_settings.set(settings::kTypePercent, m_theme.typePercent());
    Q_EMIT messageReady(tr("Type size: %1 %").arg(m_theme.typePercent()));
}

// Stores the setting "reduce motion" and switches animations on or off. Animations are on only if neither this setting
// nor the desktop's setting reduces motion.
void Appearance::setReduceMotion(bool reduce) {
    const QString configFolder = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation);
    m_theme.setMotion(!reduce && !desktopReducesMotion(configFolder));
    m_settings.set(settings::kReduceMotion, reduce);
}

}  // namespace ringside
