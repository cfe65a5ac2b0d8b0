// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVariantAnimation>
#include <QWidget>

namespace ringside {

class Theme;

// Animates the opacity with which a widget draws its old picture over its new picture, so that the old picture fades
// out. Does nothing if animations are off.
class CrossFade : public QObject {
    Q_OBJECT
  public:
    CrossFade(const Theme& theme, QWidget& widget);

    void prepareFade();  // call before the picture changes; ends a running fade
    void startFade();    // starts the fade; call when the new picture can be drawn
    void stop();
    bool isPrepared() const { return m_prepared; }
    double opacity() const;  // returns the opacity of the old picture; 0 after the fade

  private:
    const Theme& m_theme;
    bool m_prepared = false;
    QVariantAnimation m_animation;
};

}  // namespace ringside
