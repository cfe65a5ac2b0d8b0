// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/run_journal.h"

#include <chrono>
#include <utility>

#include "base/time/monotonic.h"
#include "run/record/reopened_record.h"

namespace ringside {
namespace {

constexpr std::chrono::milliseconds kFlushInterval{80};

std::int64_t lastRecordedStep(const RunPaths& paths) {
    std::error_code ignored;
    return std::filesystem::exists(paths.metrics(), ignored) ? readRecordedProgress(paths).steps : -1;
}

}  // namespace

RunJournal::RunJournal(const RunPaths& paths, const PreparedRun& run, std::int64_t runStartUs)
    : m_paths(paths),
      m_run(recordedRun(run)),
      m_earlierSteps(lastRecordedStep(paths)),
      m_recorder(paths, m_run),
      m_runStartUs(runStartUs) {}

std::int64_t RunJournal::nowUs() const {
    return monotonicUs() - m_runStartUs;
}

RunStarted RunJournal::runLine() const {
    using std::chrono::milliseconds;
    const auto wallClock = std::chrono::system_clock::now().time_since_epoch();
    const std::int64_t unixMs = std::chrono::duration_cast<milliseconds>(wallClock).count();
    return ringside::runLine(m_paths, m_run, unixMs - nowUs() / 1000);
}

std::string RunJournal::missingStepsText() const {
    if (m_earlierSteps < 0 || m_earlierSteps + m_run.logEvery > m_run.stepsBefore) return {};
    return "the record ends at step " + std::to_string(m_earlierSteps) + ", and the checkpoint was saved after step " +
           std::to_string(m_run.stepsBefore) +
           ": the earlier run ended before it recorded the steps after the record's end. Training is not affected";
}

void RunJournal::log(LogLevel level, const std::string& text) {
    record(LogLine{-1, level, text, nowUs()});
}

void RunJournal::flush(TimePoint now) {
    m_lastFlush = now;
    m_recorder.flush();
}

void RunJournal::flushIfDue(TimePoint now) {
    if (now - m_lastFlush >= kFlushInterval) flush(now);
}

unsigned RunJournal::takeChanges() {
    return std::exchange(m_changes, 0U);
}

}  // namespace ringside
