// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QEvent>
#include <string>
#include <vector>

namespace ringside {

// How long the GUI thread was busy with each event it delivered, and with each frame of the window. Costs nothing
// while nobody watches.
class EventTimes {
  public:
    static constexpr double kSlowMs = 5;  // nothing on the GUI thread should take longer
    static constexpr std::size_t kFrames = 240;
    static constexpr std::size_t kMostSlow = 10'000;

    struct Event {
        std::string receiver;  // its class
        QEvent::Type type = QEvent::None;
        double ms = 0;
        double processorMs = 0;  // of this thread: what a busy machine does not lengthen
    };

    void setWatching(bool watching);  // forgets what was seen
    bool isWatching() const { return m_watching; }
    void add(const Event& event);
    void clear();

    std::size_t count() const { return m_count; }
    const Event& longest() const { return m_longest; }             // in processor time
    const std::vector<Event>& slow() const { return m_slow; }      // longer than kSlowMs in processor time
    const std::vector<Event>& frames() const { return m_frames; }  // the last kFrames, in no order
    double frameMs() const { return m_lastFrameMs; }
    double frameP99Ms() const;

  private:
    bool m_watching = false;
    std::size_t m_count = 0, m_frameCount = 0;
    double m_lastFrameMs = 0;
    Event m_longest;
    std::vector<Event> m_slow, m_frames;
};

// The share-th smallest: 0.99 of 100 values is the 99th. Zero for none.
double quantile(std::vector<double> values, double share);

}  // namespace ringside
