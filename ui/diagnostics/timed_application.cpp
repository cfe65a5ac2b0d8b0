// SPDX-License-Identifier: GPL-3.0-or-later
#include "diagnostics/timed_application.h"

#include <QThread>
#include <chrono>
#include <ctime>

namespace ringside {
namespace {

double wallMs() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double processorMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace

bool TimedApplication::notify(QObject* receiver, QEvent* event) {
    const bool watched = m_times.isWatching() && !m_inside && QThread::currentThread() == thread();
    return watched ? timed(receiver, event) : QApplication::notify(receiver, event);
}

bool TimedApplication::timed(QObject* receiver, QEvent* event) {
    // Copies the name of the receiver's class before the event is delivered, because the event may delete the receiver.
    EventTimes::Event seen{receiver->metaObject()->className(), event->type()};
    m_inside = true;
    const double wall = wallMs(), processor = processorMs();
    const bool taken = QApplication::notify(receiver, event);
    seen.ms = wallMs() - wall;
    seen.processorMs = processorMs() - processor;
    m_inside = false;
    m_times.add(seen);
    return taken;
}

}  // namespace ringside
