// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>

#include "diagnostics/event_times.h"

namespace ringside {

// An application that times every event from delivery to return while somebody watches: for so long nothing else can
// be answered.
class TimedApplication : public QApplication {
    Q_OBJECT
  public:
    using QApplication::QApplication;

    EventTimes& times() { return m_times; }
    bool notify(QObject* receiver, QEvent* event) override;

  private:
    bool timed(QObject* receiver, QEvent* event);

    EventTimes m_times;
    bool m_inside = false;  // an event delivered inside another is part of that one's time
};

}  // namespace ringside
