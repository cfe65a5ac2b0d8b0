// SPDX-License-Identifier: GPL-3.0-or-later
#include "controls/cross_fade.h"

#include "theme/theme.h"

namespace ringside {

CrossFade::CrossFade(const Theme& theme, QWidget& widget) : m_theme(theme) {
    m_animation.setStartValue(1.0);
    m_animation.setEndValue(0.0);
    m_animation.setDuration(Theme::kMotionMs);
    connect(&m_animation, &QVariantAnimation::valueChanged, &widget, qOverload<>(&QWidget::update));
}

void CrossFade::prepareFade() {
    m_animation.stop();
    m_prepared = m_theme.allowsMotion();
}

void CrossFade::startFade() {
    if (!m_prepared) return;
    m_prepared = false;
    m_animation.start();
}

void CrossFade::stop() {
    m_prepared = false;
    m_animation.stop();
}

double CrossFade::opacity() const {
    return m_animation.state() == QAbstractAnimation::Running ? m_animation.currentValue().toDouble() : 0;
}

}  // namespace ringside
