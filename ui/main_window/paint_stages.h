// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointer>
#include <QTimer>
#include <QWidget>

namespace ringside {

// Paints the parts of a window one after another in separate events, because painting all parts in one event would
// block the window for too long.
class PaintStages final : public QObject {
  public:
    PaintStages(QWidget& window, const QList<QWidget*>& parts, QObject* parent);

    void beginWithFirstPaint();  // starts painting part by part at the first paint event of the window
    void begin();  // repaints all parts one after another; each part shows its old picture until it is repainted

    // True if every part has been painted.
    bool isDone() const { return !m_waiting && m_next >= m_parts.size(); }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void next();

    QWidget& m_window;
    QList<QPointer<QWidget>> m_parts;
    qsizetype m_next = 0;
    bool m_waiting = false;  // true from beginWithFirstPaint() until the first paint event of the window
    // Size of the window at the last resize of a part. If a part is resized again while the window has this size,
    // begin() repaints all parts. Resizes of hidden parts are ignored, because taking a screenshot resizes them.
    QSize m_windowSize;
    QTimer m_turn;
};

}  // namespace ringside
