// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/attempt_numbers.h"

#include <algorithm>

#include "telemetry/events/script_topic.h"
#include "watch/evidence/fact_reader.h"

namespace ringside {
namespace {

constexpr int kMaxAttempts = 64;

}  // namespace

void AttemptNumbers::apply(const Event& event) {
    if (const auto* control = std::get_if<Controlled>(&event);
        control != nullptr && control->command == ControlKind::kRestart) {
        m_recordedRestarts = std::min(m_recordedRestarts + 1, kMaxAttempts - 1);
    }
    const auto* facts = std::get_if<ScriptFacts>(&event);
    if (facts == nullptr || topicOf(*facts) != ScriptTopic::kProcess) return;
    const Json json = Json::parse(facts->facts, nullptr, false);
    applyProcess(facts->rank, json.is_object() ? numberOf(json, "restart") : std::nullopt);
}

int AttemptNumbers::attemptOf(int rank) const {
    const auto found = m_processes.find(rank);
    return found == m_processes.end() ? 0 : found->second.attempt;
}

void AttemptNumbers::applyProcess(int rank, std::optional<std::int64_t> launcherRestart) {
    const auto before = m_processes.find(rank);
    int attempt =
        before == m_processes.end() ? attemptOfFirst(launcherRestart) : attemptOfNext(before->second, launcherRestart);
    attempt = std::clamp(attempt, m_recordedRestarts, kMaxAttempts - 1);
    m_processes[rank] = {attempt, launcherRestart};
    m_highest = std::max(m_highest, attempt);
    if (launcherRestart) m_launcherAttempts[*launcherRestart] = attempt;
}

// Returns the attempt number of a process that replaces `before`, an earlier process of the same rank. An attempt is
// one start of all ranks by the launcher. The restart number that the launcher passes can stay the same: on several
// hosts, each torchrun counts only the failures on its own host.
int AttemptNumbers::attemptOfNext(const Process& before, std::optional<std::int64_t> launcherRestart) const {
    const int next = before.attempt + 1;
    if (!launcherRestart || !before.launcherRestart || *launcherRestart <= *before.launcherRestart) return next;
    const auto known = m_launcherAttempts.find(*launcherRestart);
    if (known != m_launcherAttempts.end() && known->second > before.attempt) return known->second;
    const bool isOneFurther = *launcherRestart - *before.launcherRestart == 1;
    return isOneFurther ? next : std::max(next, m_highest + 1);
}

// Returns the attempt number of the first process of a rank. An attempt is one start of all ranks by the launcher.
int AttemptNumbers::attemptOfFirst(std::optional<std::int64_t> launcherRestart) const {
    if (!launcherRestart || m_launcherAttempts.empty()) return 0;
    const auto known = m_launcherAttempts.find(*launcherRestart);
    if (known != m_launcherAttempts.end()) return known->second;
    return m_launcherAttempts.rbegin()->first < *launcherRestart ? m_highest + 1 : m_highest;
}

}  // namespace ringside
