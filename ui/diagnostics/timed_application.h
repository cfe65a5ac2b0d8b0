// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>

#include "diagnostics/event_times.h"

namespace ringside {

// Application that measures the time from delivery to return of every event, during which the window cannot respond.
// Measures only while EventTimes is watching.
class TimedApplication : public QApplication {
    Q_OBJECT
  public:
    using QApplication::QApplication;

    EventTimes& times() { return m_times; }
    bool notify(QObject* receiver, QEvent* event) override;

  private:
    bool timed(QObject* receiver, QEvent* event);

    EventTimes m_times;
    bool m_inside = false;  // true during an event; nested events count as part of the outer one
};

}  // namespace ringside
