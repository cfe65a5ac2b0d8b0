// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/stop_sequence.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "launch/channels/control_command.h"
#include "run/supervise/outcome.h"
#include "run/supervise/waiting_for_text.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kMaxLogInterval{60000};
constexpr milliseconds kKillPatience{2000};

}  // namespace

StopSequence::StopSequence(const RunPaths& paths, const SupervisorOptions& options, const RankWatch::Ranks& ranks,
                           const RankWatch& watch, RunJournal& journal, std::function<void()> onStopping)
    : m_paths(paths),
      m_options(options),
      m_ranks(ranks),
      m_watch(watch),
      m_journal(journal),
      m_onStopping(std::move(onStopping)) {}

void StopSequence::request() {
    handleRequest(m_requests.request(steady_clock::now()));
}

void StopSequence::requestOnce() {
    handleRequest(m_requests.requestOnce(steady_clock::now()));
}

void StopSequence::beginOnce() {
    if (m_requests.requestOnce(steady_clock::now()) == StopRequests::Meaning::kBegin) beginStop();
}

void StopSequence::handleRequest(StopRequests::Meaning meaning) {
    switch (meaning) {
        case StopRequests::Meaning::kBegin:
            return beginStop();
        case StopRequests::Meaning::kLogCost:
            if (m_phase == Phase::kStopping) logCost();
            return;
        case StopRequests::Meaning::kTerminate:
            if (m_phase != Phase::kStopping) return;
            m_cutShort = true;
            m_journal.log(LogLevel::kWarning, "third stop request: terminating the ranks without saving");
            return terminateRanks();
        case StopRequests::Meaning::kIgnore:
            return;
    }
}

void StopSequence::beginStop() {
    if (isAnyRankLoading()) {
        m_stoppedLoading = true;
        m_journal.log(LogLevel::kInfo, "stop requested before the first step: the ranks stop reading their data");
        return terminateRanks();
    }
    m_phase = Phase::kStopping;
    m_logInterval = m_options.waitLogInterval;
    m_logAt = steady_clock::now() + m_logInterval;
    m_journal.log(LogLevel::kInfo, "stop requested: the ranks stop together after the current step");
    // All ranks get the request, so that none waits in a pause of slow motion. Rank 0 alone decides after which step
    // all ranks stop.
    for (const auto& rank : m_ranks) rank->sendControl(encodeControl({ControlKind::kStop}));
    m_onStopping();
}

void StopSequence::terminateRanks() {
    m_phase = Phase::kTerminating;
    m_deadline = steady_clock::now() + m_options.terminateGrace;
    for (const auto& rank : m_ranks) rank->signal(SIGTERM);
}

void StopSequence::killAll() {
    m_phase = Phase::kKilled;
    m_deadline = steady_clock::now() + kKillPatience;
    for (const auto& rank : m_ranks) rank->signal(SIGKILL);
}

void StopSequence::reset() {
    m_phase = Phase::kRunning;
    m_deadline = {};
}

bool StopSequence::hasKillTimedOut() const {
    return m_phase == Phase::kKilled && steady_clock::now() > m_deadline;
}

void StopSequence::tick() {
    if (m_phase == Phase::kStopping) return logWaiting();
    if (m_phase == Phase::kTerminating && steady_clock::now() >= m_deadline) killAll();
}

void StopSequence::logCost() {
    const std::optional<StoredCheckpoint> last = newestCheckpoint(m_paths.directory);
    const std::int64_t since = std::max<std::int64_t>(m_journal.recorder().stepsDone() - (last ? last->step : 0), 0);
    m_journal.log(LogLevel::kWarning,
                  "already stopping: waiting for " + waitingForText(m_watch.conditions(), m_paths.directory) +
                      ". Another stop request within " + std::to_string(StopRequests::kConfirmTime.count()) +
                      " s ends the ranks immediately and discards " +
                      (since == 0 ? "the current step" : std::to_string(since) + " trained steps") +
                      (last ? ": the last checkpoint is " + last->path : ": there is no checkpoint yet"));
}

void StopSequence::logWaiting() {
    const TimePoint now = steady_clock::now();
    if (now < m_logAt) return;
    m_logInterval = std::min(2 * m_logInterval, kMaxLogInterval);
    m_logAt = now + m_logInterval;
    m_journal.log(LogLevel::kWarning,
                  "stopping: waiting for " + waitingForText(m_watch.conditions(), m_paths.directory));
}

// True if at least one rank is still loading its data. No rank has then done a step, because each step needs all ranks.
bool StopSequence::isAnyRankLoading() const {
    return std::ranges::any_of(m_journal.data().ranks(),
                               [](const RankData& rank) { return rank.state == RankStage::kLoading; });
}

}  // namespace ringside
