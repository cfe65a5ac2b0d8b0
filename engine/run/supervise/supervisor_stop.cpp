// SPDX-License-Identifier: Apache-2.0
// Stop of a run: by request, or because its run directory was lost.
#include <algorithm>
#include <csignal>
#include <utility>

#include "base/system/files.h"
#include "run/supervise/supervisor.h"
#include "run/supervise/waiting_for_text.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kMaxLogInterval{60000};

}  // namespace

void Supervisor::requestStop() {
    m_givesUp = m_givesUp || m_waitsToRestart;
    if (m_verdict || m_phase == Phase::kKilled) return;
    take(m_stops.request(steady_clock::now()));
}

void Supervisor::hangUp() {
    m_givesUp = m_givesUp || m_waitsToRestart;
    if (m_verdict || m_phase == Phase::kKilled) return;
    take(m_stops.hangUp(steady_clock::now()));
}

void Supervisor::take(StopRequests::Meaning meaning) {
    switch (meaning) {
        case StopRequests::Meaning::kBegin:
            return beginStop();
        case StopRequests::Meaning::kTell:
            if (m_phase == Phase::kStopping) logStopCost();
            return;
        case StopRequests::Meaning::kCutShort:
            if (m_phase != Phase::kStopping) return;
            m_cutShort = true;
            log(LogLevel::kWarning, "third stop request: terminating the ranks without saving");
            return terminate();
        case StopRequests::Meaning::kNothing:
            return;
    }
}

void Supervisor::beginStop() {
    if (someRankLoads()) {
        m_stoppedLoading = true;
        log(LogLevel::kInfo, "stop requested before the first step: the ranks stop reading their data");
        return terminate();
    }
    m_phase = Phase::kStopping;
    m_logInterval = m_options.waitLogInterval;
    m_logAt = steady_clock::now() + m_logInterval;
    log(LogLevel::kInfo, "stop requested: the ranks stop together after the current step");
    // Rank 0 decides the step after which all stop; the other ranks only leave their pauses of slow motion.
    for (auto& rank : m_ranks) rank->sendControl(encodeControl({ControlKind::kStop}));
    writeSummaryEarly(outcomeIfKilledNow(evidence()));
}

void Supervisor::logStopCost() {
    const std::optional<CheckpointThere> last = newestCheckpoint(m_paths.directory);
    const std::int64_t since = std::max<std::int64_t>(m_recorder.stepsDone() - (last ? last->step : 0), 0);
    log(LogLevel::kWarning, "already stopping: waiting for " + waitingForText(fates(), m_paths.directory) +
                                ". Another stop request within " + std::to_string(StopRequests::kMind.count()) +
                                " s ends the ranks immediately and discards " +
                                (since == 0 ? "the current step" : std::to_string(since) + " trained steps") +
                                (last ? ": the last checkpoint is " + last->path : ": there is no checkpoint yet"));
}

void Supervisor::logWaiting() {
    const TimePoint now = steady_clock::now();
    if (now < m_logAt) return;
    m_logInterval = std::min(2 * m_logInterval, kMaxLogInterval);
    m_logAt = now + m_logInterval;
    log(LogLevel::kWarning, "stopping: waiting for " + waitingForText(fates(), m_paths.directory));
}

// True if some rank still loads its data. No rank has then done a step, because each step takes all ranks.
bool Supervisor::someRankLoads() const {
    const auto& ranks = m_recorder.data().ranks();
    return std::any_of(ranks.begin(), ranks.end(),
                       [](const RankData& rank) { return rank.state == RankStage::kLoading; });
}

void Supervisor::terminate() {
    m_phase = Phase::kTerminating;
    m_phaseDeadline = steady_clock::now() + m_options.terminateGrace;
    for (auto& rank : m_ranks) rank->signal(SIGTERM);
}

// Logs which rank a stop waits for, and kills terminated ranks after the grace period. A stop has no deadline of its
// own: steps and saves that make progress may take long, and judgeRanks() detects hung ranks.
void Supervisor::enforceStop() {
    if (m_phase == Phase::kStopping) return logWaiting();
    if (m_phase == Phase::kTerminating && steady_clock::now() >= m_phaseDeadline) killAll();
}

// Counts growing checkpoint files as progress of the ranks that save, once a second.
void Supervisor::trackSaveProgress() {
    const TimePoint now = steady_clock::now();
    const auto saves = [](const auto& rank) { return !rank->end() && rank->movement.isSaving(); };
    if (now < m_lookAtSavesAt || std::ranges::none_of(m_ranks, saves)) return;
    m_lookAtSavesAt = now + milliseconds(1000);
    const std::uintmax_t bytes = bytesSaved(m_paths.directory);
    if (std::exchange(m_savedBytes, bytes) == bytes) return;
    for (const auto& rank : m_ranks) {
        if (saves(rank)) rank->movement.restart(now);
    }
}

void Supervisor::watchDirectory() {
    if (m_phase == Phase::kKilled || m_cannotRecord || !m_directory.isLost(steady_clock::now())) return;
    startDirectoryAgain();
    log(LogLevel::kError,
        m_directoryLost + (m_cannotRecord
                               ? ": the ranks stop and save their weights elsewhere"
                               : ": the ranks stop and save their weights there again; the earlier records are lost"));
    if (m_stops.hangUp(steady_clock::now()) == StopRequests::Meaning::kBegin) beginStop();
}

// Creates a run directory that was deleted after the last check again, so that the outcome can be written.
void Supervisor::checkDirectory() {
    if (m_cannotRecord || m_directory.isThere()) return;
    try {
        startDirectoryAgain();
    } catch (const IoError& error) {
        if (!m_verdict) m_verdict = Verdict{ExitCode::kBadConfiguration, -1, error.what()};
    }
}

// Creates the lost directory again, for the ranks' last checkpoint, its configuration and a new record. If that fails,
// the ranks save elsewhere (SavePlaces), and the rest of the run is not recorded. Throws IoError if another run uses
// the directory now.
void Supervisor::startDirectoryAgain() {
    m_directoryLost = "the run directory " + m_paths.directory.string() + " was deleted or moved during the run";
    std::error_code error;
    std::filesystem::create_directories(m_paths.directory, error);
    if (!error && std::filesystem::exists(m_paths.config(), error)) {
        throw IoError(m_directoryLost + ", and another run uses it now");
    }
    try {
        if (error) throw IoError("it cannot be created again (" + error.message() + ")");
        writeFileAtomically(m_paths.config(), m_run.config.toText(2) + "\n");
        m_recorder.startAgain(encode(runLine()));
        m_directory.begin();
    } catch (const IoError& cause) {
        m_cannotRecord = true;
        m_directoryLost += std::string("; ") + cause.what();
    }
}

}  // namespace ringside
