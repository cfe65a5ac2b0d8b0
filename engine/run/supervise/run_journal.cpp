// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/run_journal.h"

#include <chrono>
#include <utility>

#include "base/time/monotonic.h"

namespace ringside {
namespace {

constexpr std::chrono::milliseconds kFlushInterval{80};

}  // namespace

RunJournal::RunJournal(const RunPaths& paths, const PreparedRun& run, std::int64_t epochUs)
    : m_recorder(paths, run), m_epochUs(epochUs) {}

std::int64_t RunJournal::nowUs() const {
    return monotonicUs() - m_epochUs;
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
