// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/pictures/strategy_canvas.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "theme/theme.h"

namespace ringside {

StrategyCanvas::StrategyCanvas(const QString& name, Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName(name);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
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
    painter.setPen(m_theme.colors().muted);
    painter.setFont(m_theme.smallFont());
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, m_empty);
}

std::vector<Identity> StrategyCanvas::identitiesAt(const QPoint& point) const {
    const auto found = std::find_if(m_named.rbegin(), m_named.rend(),
                                    [&point](const Named& part) { return part.where.contains(point); });
    return found == m_named.rend() ? std::vector<Identity>() : found->things;
}

bool StrategyCanvas::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    // Searches backwards, because the part of the picture that was drawn last is on top.
    const auto found = std::find_if(m_parts.rbegin(), m_parts.rend(),
                                    [help](const Part& part) { return part.where.contains(help->pos()); });
    if (found == m_parts.rend())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), found->what, this, found->where.toAlignedRect());
    return true;
}

}  // namespace ringside
