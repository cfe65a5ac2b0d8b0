// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/pictures/strategy_canvas.h"

#include <QPainter>
#include <algorithm>

#include "theme/theme.h"

namespace ringside {

StrategyCanvas::StrategyCanvas(const QString& name, Theme& theme, QWidget* parent) : Picture(theme, parent) {
    setObjectName(name);
}

void StrategyCanvas::setScene(const StrategyScene& scene) {
    m_scene = scene;
    sceneChanged();
    motionChanged();
    update();
}

void StrategyCanvas::setMotion(const std::optional<StepMotion>& motion) {
    m_scene.motion = motion;
    motionChanged();
    update();
}

void StrategyCanvas::paintEvent(QPaintEvent*) {
    m_parts.clear();
    m_named.clear();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_scene.cost) return draw(painter);
    painter.setPen(theme().colors().muted);
    painter.setFont(theme().smallFont());
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, m_empty);
}

std::vector<Identity> StrategyCanvas::identitiesAt(const QPoint& point) const {
    const auto found = std::find_if(m_named.rbegin(), m_named.rend(),
                                    [&point](const Named& part) { return part.where.contains(point); });
    return found == m_named.rend() ? std::vector<Identity>() : found->things;
}

Picture::Tip StrategyCanvas::tipAt(const QPoint& point) const {
    // Searches the parts of the picture in reverse order, because a part that was drawn later is above earlier parts.
    const auto found = std::find_if(m_parts.rbegin(), m_parts.rend(),
                                    [&point](const Part& part) { return part.where.contains(point); });
    return found == m_parts.rend() ? Tip{} : Tip{found->what, found->where.toAlignedRect()};
}

}  // namespace ringside
