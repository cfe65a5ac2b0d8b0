// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QTimer>
#include <functional>

#include "diagnostics/event_times.h"
#include "pages/page.h"

namespace ringside {

// Panel on top of the window with the present drawing times, for developers. Measures only while the panel is visible.
class DebugOverlay : public QFrame {
    Q_OBJECT
  public:
    DebugOverlay(EventTimes& times, std::function<PageFigures()> figures, QWidget* parent);

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;  // clears the measurements
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void refresh();
    void moveToCorner();

    EventTimes& m_times;
    std::function<PageFigures()> m_figures;
    QLabel* m_text = nullptr;
    QTimer m_timer;
};

// Returns the resident memory (RSS) of this process in bytes; 0 if it cannot be read from /proc.
qint64 residentBytes();

}  // namespace ringside
