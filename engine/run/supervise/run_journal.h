// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time/clock.h"
#include "run/record/run_recorder.h"

namespace ringside {

// Record of a live run: stamps the supervisor's own events with the run's time, and collects which parts of the run's
// data have changed.
class RunJournal {
  public:
    // paths must outlive the journal. epochUs: CLOCK_MONOTONIC microseconds, zero of the run's times.
    RunJournal(const RunPaths& paths, const PreparedRun& run, std::int64_t epochUs);

    RunRecorder& recorder() { return m_recorder; }
    const RunRecorder& recorder() const { return m_recorder; }
    const RunData& data() const { return m_recorder.data(); }
    std::int64_t nowUs() const;
    // Returns the first event of the record.
    RunStarted runLine() const;

    // Records an event of the supervisor.
    void record(const Event& event) { m_changes |= m_recorder.add(event); }
    // Records an event that a rank has sent as `line`.
    void take(const Event& event, std::string_view line) { m_changes |= m_recorder.take(event, line); }
    void log(LogLevel level, const std::string& text);
    void flush(TimePoint now);
    void flushIfDue(TimePoint now);

    // Returns the RunChange bits of all events since the last call.
    unsigned takeChanges();

  private:
    const RunPaths& m_paths;
    const RecordedRun m_run;
    RunRecorder m_recorder;
    const std::int64_t m_epochUs;
    unsigned m_changes = 0;
    TimePoint m_lastFlush{};
};

}  // namespace ringside
