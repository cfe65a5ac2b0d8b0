// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QTimer>
#include <functional>

#include "diagnostics/event_times.h"
#include "pages/page.h"

namespace ringside {

// A small panel over the window with what drawing costs right now. Watches events only while it is shown.
class DebugOverlay : public QFrame {
    Q_OBJECT
  public:
    DebugOverlay(EventTimes& times, std::function<PageFigures()> figures, QWidget* parent);

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;  // begins anew
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void refresh();
    void moveToCorner();

    EventTimes& m_times;
    std::function<PageFigures()> m_figures;
    QLabel* m_text = nullptr;
    QTimer m_timer;
};

// Resident memory of this process in bytes, 0 where /proc does not tell.
qint64 residentBytes();

}  // namespace ringside
