// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVariantAnimation>
#include <QWidget>

namespace ringside {

class Theme;

// Fades out an old picture over the new one. Does nothing if motion is reduced.
class CrossFade : public QObject {
    Q_OBJECT
  public:
    CrossFade(const Theme& theme, QWidget& widget);

    void prepareFade();  // call before the picture changes; stops a fade in progress
    void startFade();    // starts the fade; call when the new picture can be drawn
    void stop();
    bool isHeld() const { return m_held; }
    double opacity() const;  // returns the opacity of the old picture; 0 after the fade

  private:
    const Theme& m_theme;
    bool m_held = false;
    QVariantAnimation m_animation;
};

}  // namespace ringside
