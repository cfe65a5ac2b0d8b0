// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <array>

namespace ringside {

// Colours of the window; Theme adds its sizes and fonts. The values come from the table in the design page "what
// people see".
struct ThemeColors {
    QColor window, panel, border, text, muted, grid, accent, accentSoft, onAccent, good, warning, danger, field;
    QColor goodText, warningText;  // colours of texts that are good or a warning: contrast of at least 4.5:1 on panel
                                   // and window
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

    // Size of all type in percent of the normal size; lengths of type_length.h follow. The size takes effect at once
    // and emits changed().
    static constexpr std::array<int, 5> kTypeSizes{90, 100, 110, 125, 150};
    static constexpr int kNormalType = 100;
    int typePercent() const;
    void setTypePercent(int percent);  // sets the type size to the nearest one of kTypeSizes
    // Returns the type size in percent that is `steps` entries after the present one in kTypeSizes, or before it if
    // `steps` is negative; the largest or smallest entry if there is no such entry.
    int nextTypePercent(int steps) const;

    // Returns the colour of a rank: a colour of the Okabe-Ito palette for ranks 0-7, and lighter or darker variants of
    // these eight colours for higher ranks.
    QColor rankColor(int rank) const;
    QColor classColor(int label) const;

    // Duration of animations in milliseconds. Animations are off until the window enables them, so that screenshots
    // and tests show the final state at once.
    static constexpr int kMotionMs = 200;
    bool allowsMotion() const { return m_motion; }
    void setMotion(bool allowed) { m_motion = allowed; }

    QFont smallFont() const;   // returns the font of 11 px; all sizes here are those at the normal type size
    QFont bodyFont() const;    // returns the font of 13 px
    QFont titleFont() const;   // returns the font of 15 px, semibold
    QFont numberFont() const;  // returns the font of 13 px, semibold, with tabular figures

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
