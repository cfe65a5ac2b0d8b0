// SPDX-License-Identifier: Apache-2.0
// Restart of all ranks from the last checkpoint after one of them failed.
#include <algorithm>

#include "launch/channels/shared_memory.h"
#include "run/supervise/outcome.h"
#include "run/supervise/supervisor.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLongestBackOff{30000};

// True if a restart may succeed. A wrong configuration or a diverged loss would fail again.
bool isRestartable(int exitCode) {
    for (const ExitCode code :
         {ExitCode::kCommunicationFailed, ExitCode::kDeviceFailed, ExitCode::kRankDied, ExitCode::kRankHung}) {
        if (exitCode == static_cast<int>(code)) return true;
    }
    return false;
}

}  // namespace

bool Supervisor::restartRanks() {
    const std::int64_t most = m_run.config.parallel.maxRestarts;
    if (m_restarts >= most || m_stops.isRequested() || m_adopted || !m_directoryLost.empty() || m_recorder.fullDisk())
        return false;
    const RunEnded end = conclusion();
    if (end.state != RunOutcome::kFailed || !isRestartable(end.exitCode)) return false;
    const auto& last = m_recorder.data().lastStep();
    const std::optional<CheckpointThere> checkpoint =
        newestRecorded(m_paths.directory, last ? last->step : m_run.stepsBefore);
    ++m_restarts;
    const milliseconds pause =
        std::min(m_options.backOff * (std::int64_t{1} << std::min<std::int64_t>(m_restarts - 1, 10)), kLongestBackOff);
    log(LogLevel::kWarning, end.verdict);
    log(LogLevel::kWarning, "restart " + std::to_string(m_restarts) + " of " + std::to_string(most) + " in " +
                                std::to_string(pause.count()) + " ms: all ranks continue from " +
                                (checkpoint ? checkpoint->path + ", step " + std::to_string(checkpoint->step)
                                            : std::string("the start, because there is no checkpoint yet")));
    m_recorder.countRestart();
    record(Controlled{.command = ControlKind::kRestart,
                      .value = static_cast<double>(m_restarts),
                      .step = checkpoint ? checkpoint->step : m_run.stepsBefore,
                      .epoch = checkpoint ? checkpoint->epochsDone : 0,
                      .after = {},
                      .timeUs = nowUs()});
    if (!waitToRestart(pause)) return false;
    m_resume = checkpoint ? (m_paths.directory / checkpoint->path).string() : m_run.config.training.resume;
    startAfresh();
    return true;
}

// Records the restarts of a group that was ended and started again as a whole: a class, or ranks started through ssh.
void Supervisor::readEarlierRestarts() {
    m_restarts = m_options.restart;
    if (m_restarts == 0) return;
    for (std::int64_t i = 0; i < m_restarts; ++i) m_recorder.countRestart();
    record(Controlled{.command = ControlKind::kRestart,
                      .value = static_cast<double>(m_restarts),
                      .step = m_run.stepsBefore,
                      .epoch = m_run.epochsBefore,
                      .after = {},
                      .timeUs = nowUs()});
}

// Waits before a restart. False if a stop was requested during the pause: the run then stays failed.
bool Supervisor::waitToRestart(milliseconds pause) {
    const TimePoint until = steady_clock::now() + pause;
    m_waitsToRestart = true;
    while (!m_givesUp && steady_clock::now() < until) {
        waitForInput();
        flushIfDue();
    }
    m_waitsToRestart = false;
    return !m_givesUp;
}

void Supervisor::startAfresh() {
    const auto worldSize = static_cast<int>(m_run.config.parallel.worldSize);
    m_ranks.clear();  // kills processes that are still running
    m_store = StoreServer();
    if (m_shared) m_shared = createSharedMemory(sharedMemoryBytes(worldSize));
    m_phase = Phase::kRunning;
    m_phaseDeadline = {};
    m_witnessedAt.reset();
    m_verdict.reset();
    m_lastLines.clear();
    m_ends = 0;
    std::error_code ignored;
    std::filesystem::remove(m_paths.summary(), ignored);  // a provisional summary of the failure
    setDeadlines();
    for (int rank = 0; rank < worldSize; ++rank) startRank(rank);
    m_lastTick = steady_clock::now();
}

}  // namespace ringside
