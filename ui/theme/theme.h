// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>

namespace ringside {

// Every colour, size and font of the window, in one place. Values: the table in the design page "what people see".
struct ThemeColors {
    QColor window, panel, border, text, muted, grid, accent, accentSoft, onAccent, good, warning, danger, field;
    QColor goodText, warningText;  // good and warning where they are text: at least 4.5:1 on panel and window
};

class Theme : public QObject {
    Q_OBJECT
  public:
    enum class Mode { Light, Dark };
    Q_ENUM(Mode)

    explicit Theme(QObject* parent = nullptr);

    Mode mode() const { return m_mode; }
    void setMode(Mode mode);  // applies palette and style sheet to the application, then tells changed()
    const ThemeColors& colors() const { return m_colors; }

    QColor rankColor(int rank) const;  // Okabe-Ito for 0-7, lightness steps beyond
    QColor classColor(int label) const;

    // Motion is at most kMotionMs and off until the window allows it, so that pictures and tests see the end at once.
    static constexpr int kMotionMs = 200;
    bool allowsMotion() const { return m_motion; }
    void setMotion(bool allowed) { m_motion = allowed; }

    QFont noteFont() const;    // 11
    QFont bodyFont() const;    // 13
    QFont titleFont() const;   // 15, semibold
    QFont numberFont() const;  // 13, semibold, tabular figures

    static constexpr int kSpace1 = 4, kSpace2 = 8, kSpace3 = 12, kSpace4 = 16, kSpace5 = 24;
    static constexpr int kCorner = 6;
    static constexpr int kControlHeight = 28;

  Q_SIGNALS:
    void changed();

  private:
    void applyToApplication();

    Mode m_mode = Mode::Light;
    ThemeColors m_colors;
    bool m_styled = false;
    bool m_motion = false;
};

}  // namespace ringside
