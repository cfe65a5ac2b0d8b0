// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time/clock.h"
#include "run/record/run_recorder.h"

namespace ringside {

// Record of a live run. Adds the run's time to the events of the supervisor, and collects which parts of the run's data
// have changed.
class RunJournal {
  public:
    // paths: must outlive this object. runStartUs: start of the run's time, in microseconds of CLOCK_MONOTONIC.
    RunJournal(const RunPaths& paths, const PreparedRun& run, std::int64_t runStartUs);

    RunRecorder& recorder() { return m_recorder; }
    const RunRecorder& recorder() const { return m_recorder; }
    const RunData& data() const { return m_recorder.data(); }
    std::int64_t nowUs() const;
    // Returns the event that begins the record of a run.
    RunStarted runLine() const;
    // Returns a warning that the record in this directory lacks steps before the checkpoint, because the earlier run
    // ended before it had recorded them. Empty if no step is missing.
    std::string missingStepsText() const;

    // Records an event of the supervisor.
    void record(const Event& event) { m_changes |= m_recorder.add(event); }
    // Records an event that a rank has sent; `line` is the event's text.
    void record(const Event& event, std::string_view line) { m_changes |= m_recorder.record(event, line); }
    void log(LogLevel level, const std::string& text);
    void flush(TimePoint now);
    void flushIfDue(TimePoint now);

    // Returns which parts of the run's data have changed since the last call, as RunChange bits.
    unsigned takeChanges();

  private:
    const RunPaths& m_paths;
    const RecordedRun m_run;
    const std::int64_t m_earlierSteps;  // last step in metrics.jsonl at this start; 0: none; -1: there was no such file
    RunRecorder m_recorder;
    const std::int64_t m_runStartUs;
    unsigned m_changes = 0;
    TimePoint m_lastFlush{};
};

}  // namespace ringside
