// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

namespace ringside {

class Settings;
class Theme;
struct WindowActions;

// Handles the actions of the View menu for theme, type size and reduced motion, and stores each choice in the settings.
class Appearance final : public QObject {
    Q_OBJECT
  public:
    // All arguments must outlive this object.
    Appearance(const WindowActions& actions, Theme& theme, Settings& settings, QObject* parent = nullptr);

    // Applies the stored type size and the stored setting "reduce motion". The stored theme is applied elsewhere,
    // before the window is created.
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
