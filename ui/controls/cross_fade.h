// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVariantAnimation>
#include <QWidget>

namespace ringside {

class Theme;

// An old picture going away over the new one, which is there from the start. Does nothing where motion is not wanted.
class CrossFade : public QObject {
    Q_OBJECT
  public:
    CrossFade(const Theme& theme, QWidget& widget);

    void hold();    // what is seen now will be replaced
    void arrive();  // the new picture is there
    void stop();
    bool isHeld() const { return m_held; }
    double opacity() const;  // of the old picture; 0 when it has gone

  private:
    const Theme& m_theme;
    bool m_held = false;
    QVariantAnimation m_animation;
};

}  // namespace ringside
