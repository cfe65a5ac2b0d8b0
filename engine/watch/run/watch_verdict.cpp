// SPDX-License-Identifier: Apache-2.0
#include "watch/run/watch_verdict.h"

#include "base/json/json.h"
#include "watch/evidence/fact_reader.h"
#include "watch/run/command_process.h"

namespace ringside {
void WatchVerdict::take(const Event& event) {
    if (const auto* state = std::get_if<RankState>(&event)) m_states[state->rank] = state->state;
    const auto* facts = std::get_if<ScriptFacts>(&event);
    if (facts == nullptr || facts->about != "exception") return;
    if (m_isChecked || (m_exception && m_exception->timeUs <= facts->timeUs)) return;
    const Result<Json> parsed = parseJson(facts->facts, "facts");
    if (!parsed || !parsed.value().is_object()) return;
    const Json& json = parsed.value();
    const std::string where = textOf(json, "where");
    const std::string text = textOf(json, "text");
    Failure failure{facts->rank, facts->timeUs, {}, {}};
    failure.text = "rank " + std::to_string(facts->rank) + " failed" + (where.empty() ? "" : " at " + where) + ": " +
                   textOf(json, "type") + (text.empty() ? "" : ": " + text);
    if (const auto stack = json.find("stack"); stack != json.end() && stack->is_array())
        for (const Json& line : *stack)
            if (line.is_string()) failure.stack.push_back(line.get<std::string>());
    m_exception = std::move(failure);
}

bool WatchVerdict::ended(int rank) {
    const auto known = m_states.find(rank);
    const bool hasReported =
        known != m_states.end() && (known->second == RankStage::kFinished || known->second == RankStage::kFailed);
    const bool isLost = !m_isChecked && !m_signal && !hasReported;
    if (isLost && !m_firstLost) m_firstLost = rank;
    return isLost;
}

std::string WatchVerdict::failureText(const ChildEnd& command) const {
    if (m_exception) return m_exception->text;
    const std::string lost = m_firstLost ? "rank " + std::to_string(*m_firstLost) : std::string();
    if (m_hasRestarted && !command.signalled && command.code == 0) return lost + " ended without a last report";
    if (m_isChecked) return lost + " ended without a last report, before the check ended the command";
    return "the command " + command.text() + (m_firstLost ? "; " + lost + " ended first, without a last report" : "");
}

RunEnded WatchVerdict::conclude(const ChildEnd& command, std::int64_t steps) const {
    RunEnded end;
    end.exitCode = shellCode(command);
    const bool hasFailedRank = m_exception || m_firstLost;
    const bool isGood = !command.signalled && command.code == 0;
    if (m_isChecked && !hasFailedRank) {
        end.state = RunOutcome::kStopped;
        end.exitCode = 0;
        end.verdict = "ended by the check after " + std::to_string(steps) + (steps == 1 ? " step" : " steps");
    } else if (isGood && !hasFailedRank) {
        end.state = RunOutcome::kFinished;
        end.verdict = "the script has ended";
    } else if (isGood && m_hasRestarted) {
        end.state = RunOutcome::kFinished;
        end.verdict =
            "the script has ended after a restart, of which nothing is recorded; before it, " + failureText(command);
    } else if (m_signal) {
        end.state = RunOutcome::kStopped;
        end.verdict = "stopped by " + signalName(*m_signal);
    } else {
        end.state = RunOutcome::kFailed;
        end.verdict = failureText(command);
        if (m_exception) end.lastLines = m_exception->stack;
        if (hasFailedRank) end.firstFailedRank = m_exception ? m_exception->rank : *m_firstLost;
    }
    return end;
}

}  // namespace ringside
