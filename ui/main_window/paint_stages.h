// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointer>
#include <QTimer>
#include <QWidget>

namespace ringside {

// Lets the parts of a window paint one after another, each in an event of its own, where all of them in one event would
// keep the window from answering for longer than it should.
class PaintStages final : public QObject {
  public:
    PaintStages(QWidget& window, const QList<QWidget*>& parts, QObject* parent);

    void beginWhenShown();  // from the window's first picture on
    void begin();           // before much is drawn anew; until its turn comes a part keeps its picture

    // Whether every part has had its turn.
    bool isDone() const { return !m_waiting && m_next >= m_parts.size(); }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void next();

    QWidget& m_window;
    QList<QPointer<QWidget>> m_parts;
    qsizetype m_next = 0;
    bool m_waiting = false;  // for the window's first picture
    // Parts that are resized within a window of the same size make way for one another: all change. Hidden ones do not:
    // what draws the window into a picture resizes them.
    QSize m_windowSize;
    QTimer m_turn;
};

}  // namespace ringside
