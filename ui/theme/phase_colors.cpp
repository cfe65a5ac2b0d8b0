// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/phase_colors.h"

#include <QPainter>
#include <algorithm>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr double kHatchStep = 7;
constexpr double kHatchWidth = 1.4;

void drawHatch(QPainter& painter, const QRectF& rect) {
    for (double sum = rect.left() + kHatchStep; sum < rect.right() + rect.height(); sum += kHatchStep) {
        const double from = std::max(rect.left(), sum - rect.height());
        const double to = std::min(rect.right(), sum);
        painter.drawLine(QPointF(from, rect.top() + sum - from), QPointF(to, rect.top() + sum - to));
    }
}

}  // namespace

QColor phaseColor(Phase phase, const Theme& theme) {
    const bool light = theme.mode() == Theme::Mode::Light;
    switch (phase) {
        case Phase::kDataWait:
            return QColor(0xA78BCA);
        case Phase::kCopy:
            return QColor(0xC9A0C4);
        case Phase::kForward:
            return QColor(0x7FB2E5);
        case Phase::kBackward:
            return QColor(0x2F6DB5);
        case Phase::kWaiting:
            return light ? QColor(0xFBEBD3) : QColor(0x3A342B);
        case Phase::kMoving:
            return QColor(0x2BA59B);
        case Phase::kOptimizer:
            return QColor(0x8AB661);
        case Phase::kValidation:
        case Phase::kCheckpoint:
            return QColor(0x8A93A3);
        case Phase::kConnect:
        case Phase::kPaused:
        case Phase::kIdle:
            break;
    }
    return theme.colors().border;
}

QColor hatchColor(const Theme& theme) {
    return theme.mode() == Theme::Mode::Light ? QColor(0xDFA55A) : QColor(0x9C8A6C);
}

QColor onPhaseColor(Phase phase, const Theme& theme) {
    switch (phase) {
        case Phase::kBackward:
            return QColor(0xFFFFFF);
        case Phase::kWaiting:
        case Phase::kConnect:
        case Phase::kPaused:
        case Phase::kIdle:
            return theme.colors().text;
        case Phase::kDataWait:
        case Phase::kCopy:
        case Phase::kForward:
        case Phase::kMoving:
        case Phase::kOptimizer:
        case Phase::kValidation:
        case Phase::kCheckpoint:
            break;
    }
    return QColor(0x10151C);
}

void fillPhase(QPainter& painter, const QRectF& rect, Phase phase, const Theme& theme, double corner) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(phaseColor(phase, theme));
    const double radius = std::min(corner, rect.width() / 2);
    radius > 0.5 ? painter.drawRoundedRect(rect, radius, radius) : painter.drawRect(rect);
    if (phase != Phase::kWaiting) return;
    painter.setPen(QPen(hatchColor(theme), kHatchWidth));
    drawHatch(painter, rect);
}

}  // namespace ringside
