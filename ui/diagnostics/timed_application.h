// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>

#include "diagnostics/event_times.h"

namespace ringside {

// QApplication that measures how long the handling of each event takes, because the window cannot respond during this
// time. Measures only while EventTimes is switched on.
class TimedApplication : public QApplication {
    Q_OBJECT
  public:
    using QApplication::QApplication;

    EventTimes& times() { return m_times; }
    bool notify(QObject* receiver, QEvent* event) override;

  private:
    bool timed(QObject* receiver, QEvent* event);

    EventTimes m_times;
    bool m_inside = false;  // true while an event is handled; events that are handled within it count as a part of it
};

}  // namespace ringside
