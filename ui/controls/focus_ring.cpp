// SPDX-License-Identifier: GPL-3.0-or-later
#include "controls/focus_ring.h"

#include <QApplication>
#include <QFocusEvent>
#include <QPainter>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kPen = 2;

bool isByKey(Qt::FocusReason reason) {
    return reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason;
}

}  // namespace

FocusRing::FocusRing(QWidget& window) : QWidget(&window), m_window(window) {
    setObjectName(QStringLiteral("focusRing"));
    setProperty("overlay", true);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    hide();
    qApp->installEventFilter(this);
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::FocusIn: {
            auto* control = qobject_cast<QWidget*>(watched);
            if (!control || control->window() != &m_window) break;
            if (isByKey(static_cast<QFocusEvent*>(event)->reason())) {
                frame(control);
            } else {
                clear();
            }
            break;
        }
        case QEvent::FocusOut:
            if (watched == m_control) clear();
            break;
        case QEvent::MouseButtonPress:
            clear();
            break;
        case QEvent::Move:
        case QEvent::Resize:
        case QEvent::Hide: {  // the control, or a widget that contains it, has changed: the outline is placed again
            auto* moved = qobject_cast<QWidget*>(watched);
            if (m_control && moved && moved != this && (moved == m_control || moved->isAncestorOf(m_control)))
                placeRing();
            break;
        }
        default:
            break;
    }
    return false;
}

void FocusRing::frame(QWidget* control) {
    m_control = control;
    placeRing();
}

// Places the outline around the visible part of the control. Hides it if scrolling has moved the control out of view.
void FocusRing::placeRing() {
    QRect seen = m_control->rect();
    for (const QWidget* above = m_control; above != &m_window && above->parentWidget(); above = above->parentWidget())
        seen =
            seen.intersected(QRect(m_control->mapFrom(above->parentWidget(), QPoint()), above->parentWidget()->size()));
    if (seen.isEmpty() || !m_control->isVisible()) return hide();
    setGeometry(QRect(m_control->mapTo(&m_window, seen.topLeft()), seen.size()).adjusted(-kPen, -kPen, kPen, kPen));
    show();
    raise();
}

void FocusRing::clear() {
    m_control = nullptr;
    hide();
}

void FocusRing::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette().color(QPalette::Highlight), kPen));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), Theme::kCorner, Theme::kCorner);
}

}  // namespace ringside
