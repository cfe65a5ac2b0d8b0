// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/restarts.h"

#include "run/supervise/restart_policy.h"

namespace ringside {

Restarts::Restarts(const RunPaths& paths, const PreparedRun& run, const SupervisorOptions& options, RunJournal& journal)
    : m_paths(paths),
      m_run(run),
      m_journal(journal),
      m_maxRestarts(run.config.parallel.maxRestarts),
      m_backOff(options.backOff),
      m_count(options.restart),
      m_checkpoint(run.config.training.resume) {}

void Restarts::recordEarlier() {
    if (m_count == 0) return;
    for (std::int64_t i = 0; i < m_count; ++i) m_journal.recorder().countRestart();
    record(m_run.stepsBefore, m_run.epochsBefore);
}

std::optional<std::chrono::milliseconds> Restarts::next(const RunEnded& end, std::int64_t plannedSteps) {
    if (!canRestart() || end.state != RunOutcome::kFailed || !isRestartable(end.exitCode)) return {};
    const auto& last = m_journal.data().lastStep();
    m_from = newestRecordedCheckpoint(m_paths.directory, last ? last->step : m_run.stepsBefore);
    if (m_from && m_from->step >= plannedSteps) {
        m_journal.log(LogLevel::kInfo, "no restart: " + m_from->path + " has the weights of the last planned step");
        return {};
    }
    const std::chrono::milliseconds pause = restartDelay(m_count + 1, m_backOff);
    m_journal.log(LogLevel::kWarning, end.verdict);
    m_journal.log(LogLevel::kWarning, "restart " + std::to_string(m_count + 1) + " of " +
                                          std::to_string(m_maxRestarts) + " in " + std::to_string(pause.count()) +
                                          " ms: all ranks continue from " +
                                          (m_from ? m_from->path + ", step " + std::to_string(m_from->step)
                                                  : std::string("the start, because there is no checkpoint yet")));
    return pause;
}

void Restarts::begin() {
    ++m_count;
    m_journal.recorder().countRestart();
    record(m_from ? m_from->step : m_run.stepsBefore, m_from ? m_from->epochsDone : 0);
    m_checkpoint = m_from ? (m_paths.directory / m_from->path).string() : m_run.config.training.resume;
}

void Restarts::record(std::int64_t step, std::int64_t epoch) {
    m_journal.record(Controlled{.command = ControlKind::kRestart,
                                .value = static_cast<double>(m_count),
                                .step = step,
                                .epoch = epoch,
                                .after = {},
                                .timeUs = m_journal.nowUs()});
}

}  // namespace ringside
