// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRect>
#include <QString>
#include <QWidget>

#include "identity/identity.h"

namespace ringside {

class Theme;

constexpr double kZoomPerNotch = 1.25;  // zoom factor of one notch of the mouse wheel or one key press
// distance in pixels; a press that moves the pointer farther is a drag, otherwise it is a click
constexpr double kDragThreshold = 4;

// Base of widgets that draw data: repaints itself when the theme changes, and shows a tooltip for the part of the
// picture under the pointer.
class Picture : public QWidget, public IdentitySource {
    Q_OBJECT
  public:
    // The theme must outlive this widget.
    explicit Picture(const Theme& theme, QWidget* parent = nullptr);

  protected:
    struct Tip {
        QString text;     // text of the tooltip; empty: no tooltip
        QRect part = {};  // area of the widget in which the tooltip stays visible; empty: Qt hides it when the pointer
                          // moves away
    };
    virtual Tip tipAt(const QPoint& point) const;  // returns the tooltip at a position of the widget; none by default
    virtual void restyle() { update(); }           // called when colors or fonts of the theme have changed
    const Theme& theme() const { return m_theme; }
    bool event(QEvent* event) override;

  private:
    const Theme& m_theme;
};

}  // namespace ringside
