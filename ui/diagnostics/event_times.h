// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QEvent>
#include <string>
#include <vector>

namespace ringside {

// Measures how long the GUI thread is busy with each event and with each frame of the window. Costs no time while the
// measurement is off.
class EventTimes {
  public:
    static constexpr double kSlowMs = 5;  // processor time in milliseconds above which an event counts as slow
    static constexpr std::size_t kFrames = 240;
    static constexpr std::size_t kMaxSlow = 10'000;

    struct Event {
        std::string receiver;  // name of the class of the object that received the event
        QEvent::Type type = QEvent::None;
        double ms = 0;
        double processorMs = 0;  // processor time of the GUI thread in milliseconds, which other programs on the same
                                 // CPU do not increase
    };

    void setWatching(bool watching);  // starts or stops the measurement, and clears earlier measurements
    bool isWatching() const { return m_watching; }
    void add(const Event& event);
    void clear();

    std::size_t count() const { return m_count; }
    const Event& longest() const { return m_longest; }         // returns the event with the longest processor time
    const std::vector<Event>& slow() const { return m_slow; }  // returns the events above kSlowMs of processor time
    const std::vector<Event>& frames() const {
        return m_frames;
    }  // returns the last kFrames frames, in no particular order
    double frameMs() const { return m_lastFrameMs; }
    double frameP99Ms() const;

  private:
    bool m_watching = false;
    std::size_t m_count = 0, m_frameCount = 0;
    double m_lastFrameMs = 0;
    Event m_longest;
    std::vector<Event> m_slow, m_frames;
};

// Returns the quantile `share` of `values`: for 0.99 and 100 values, the 99th smallest. Zero if there are no values.
double quantile(std::vector<double> values, double share);

}  // namespace ringside
