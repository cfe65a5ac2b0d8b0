// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

namespace ringside {

class Settings;
class Theme;
struct WindowActions;

// Theme, type size and motion: the actions of the View menu, and the settings that keep them.
class Appearance final : public QObject {
    Q_OBJECT
  public:
    // All arguments must outlive this object.
    Appearance(const WindowActions& actions, Theme& theme, Settings& settings, QObject* parent = nullptr);

    // Restores type size and motion of the last session. The theme is chosen before the window is created.
    void restore();

  Q_SIGNALS:
    void messageReady(const QString& sentence);

  private:
    void toggleTheme();
    void nameTheme();
    void setTypePercent(int percent);
    void setReduceMotion(bool reduce);

    const WindowActions& m_actions;
    Theme& m_theme;
    Settings& m_settings;
};

}  // namespace ringside
