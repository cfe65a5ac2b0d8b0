// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/paint_stages.h"

#include <QEvent>
#include <utility>

namespace ringside {

PaintStages::PaintStages(QWidget& window, const QList<QWidget*>& parts, QObject* parent)
    : QObject(parent), m_window(window), m_parts(parts.begin(), parts.end()) {
    m_turn.setSingleShot(true);
    m_turn.setInterval(0);  // with interval 0, the timer fires after the paint event of the previous part was handled
    connect(&m_turn, &QTimer::timeout, this, &PaintStages::next);
    for (QWidget* part : parts) part->installEventFilter(this);
}

void PaintStages::beginWithFirstPaint() {
    for (QWidget* part : m_parts) part->setUpdatesEnabled(false);
    m_waiting = true;
    m_window.installEventFilter(this);
}

bool PaintStages::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &m_window && event->type() == QEvent::Paint) {
        m_window.removeEventFilter(this);
        m_waiting = false;
        m_turn.start();
    } else if (watched != &m_window && event->type() == QEvent::Resize &&
               static_cast<QWidget*>(watched)->isVisibleTo(&m_window)) {
        if (std::exchange(m_windowSize, m_window.size()) == m_window.size()) begin();
    }
    return false;
}

// Disables painting of all parts and starts the timer that paints one part after another. Marks each part as opaque
// until it is painted; its parent then does not clear the area of the part.
void PaintStages::begin() {
    if (m_waiting || !m_window.isVisible()) return;
    for (QWidget* part : m_parts) {
        if (part == nullptr) continue;
        part->setAttribute(Qt::WA_OpaquePaintEvent);
        part->setUpdatesEnabled(false);
    }
    m_next = 0;
    m_turn.start();
}

void PaintStages::next() {
    if (QWidget* part = m_parts[m_next]) {
        part->setAttribute(Qt::WA_OpaquePaintEvent, false);
        part->setUpdatesEnabled(true);
    }
    if (++m_next < m_parts.size()) m_turn.start();
}

}  // namespace ringside
