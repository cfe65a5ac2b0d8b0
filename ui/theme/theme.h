// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <array>

namespace ringside {

// Colours of the window in one mode of the theme (light or dark).
struct ThemeColors {
    QColor window, panel, border, text, muted, grid, accent, accentSoft, onAccent, good, warning, danger, field;
    QColor goodText, warningText;  // colours of texts with the tone "good" or "warning"; contrast of at least 4.5:1 on
                                   // `panel` and `window`
};

class Theme : public QObject {
    Q_OBJECT
  public:
    enum class Mode { Light, Dark };
    Q_ENUM(Mode)

    explicit Theme(QObject* parent = nullptr);

    Mode mode() const { return m_mode; }
    void setMode(Mode mode);  // applies palette and style sheet to the application and emits changed()
    const ThemeColors& colors() const { return m_colors; }

    // Type sizes that the user can choose, in percent of the normal size. All fonts and the lengths of type_length.h
    // grow with the type size.
    static constexpr std::array<int, 5> kTypeSizes{90, 100, 110, 125, 150};
    static constexpr int kNormalType = 100;
    int typePercent() const;
    // sets the type size to the nearest entry of kTypeSizes, applies it at once, and emits changed()
    void setTypePercent(int percent);
    // Returns the entry of kTypeSizes that is `steps` entries after the present type size (before it if `steps` is
    // negative); the last or first entry if there are not enough entries.
    int nextTypePercent(int steps) const;

    // Returns the colour of a rank: a colour of the Okabe-Ito palette for ranks 0-7, and lighter or darker variants of
    // these eight colours for higher ranks.
    QColor rankColor(int rank) const;
    QColor classColor(int label) const;

    // Duration of animations in milliseconds. Animations are off until the window enables them, because screenshots and
    // tests must show the final state at once.
    static constexpr int kMotionMs = 200;
    bool allowsMotion() const { return m_motion; }
    void setMotion(bool allowed) { m_motion = allowed; }

    QFont smallFont()
        const;               // returns the font of 11 px; the sizes in these comments are those at the normal type size
    QFont bodyFont() const;  // returns the font of 13 px
    QFont titleFont() const;   // returns the font of 15 px, semibold
    QFont numberFont() const;  // returns the font of 13 px, semibold, with tabular figures

    static constexpr int kSpace1 = 4, kSpace2 = 8, kSpace3 = 12, kSpace4 = 16, kSpace5 = 24;
    static constexpr int kCorner = 6;
    static constexpr int kControlHeight = 28;

  Q_SIGNALS:
    void changed();

  private:
    static void removeStyleSheet();
    void applyToApplication();

    Mode m_mode = Mode::Light;
    ThemeColors m_colors;
    bool m_styled = false;
    bool m_motion = false;
};

}  // namespace ringside
