// SPDX-License-Identifier: Apache-2.0
#include "watch/run/watch_verdict.h"

#include "base/json/json.h"
#include "watch/run/command_process.h"

namespace ringside {
namespace {

std::string wordIn(const Json& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

void WatchVerdict::take(const Event& event) {
    if (const auto* state = std::get_if<RankState>(&event)) m_states[state->rank] = state->state;
    const auto* facts = std::get_if<ScriptFacts>(&event);
    if (facts == nullptr || facts->about != "exception") return;
    if (m_exception && m_exception->timeUs <= facts->timeUs) return;
    const Result<Json> parsed = parseJson(facts->facts, "facts");
    if (!parsed || !parsed.value().is_object()) return;
    const Json& json = parsed.value();
    const std::string where = wordIn(json, "where");
    const std::string text = wordIn(json, "text");
    Failure failure{facts->rank, facts->timeUs, {}, {}};
    failure.text = "rank " + std::to_string(facts->rank) + " failed" + (where.empty() ? "" : " at " + where) + ": " +
                   wordIn(json, "type") + (text.empty() ? "" : ": " + text);
    if (const auto stack = json.find("stack"); stack != json.end() && stack->is_array())
        for (const Json& line : *stack)
            if (line.is_string()) failure.stack.push_back(line.get<std::string>());
    m_exception = std::move(failure);
}

void WatchVerdict::ended(int rank, std::int64_t) {
    const std::string& state = m_states[rank];
    if (!m_firstLost && state != "finished" && state != "failed") m_firstLost = rank;
}

RunEnded WatchVerdict::conclude(const ChildEnd& command, std::optional<std::int64_t> checkedSteps) const {
    RunEnded end;
    end.exitCode = shellCode(command);
    const bool isGood = !command.signalled && command.code == 0;
    if (checkedSteps) {
        end.state = "stopped";
        end.exitCode = 0;
        end.verdict = "ended by the check after " + std::to_string(*checkedSteps) + " steps";
    } else if (isGood) {
        end.state = "finished";
        end.verdict = "the script has ended";
    } else if (m_signal) {
        end.state = "stopped";
        end.verdict = "stopped by " + signalName(*m_signal);
    } else {
        end.state = "failed";
        end.verdict = m_exception ? m_exception->text : "the command " + command.text();
        if (m_exception) {
            end.firstFailedRank = m_exception->rank;
            end.lastLines = m_exception->stack;
        } else if (m_firstLost) {
            end.firstFailedRank = *m_firstLost;
            end.verdict += "; rank " + std::to_string(*m_firstLost) + " ended first, without a last report";
        }
    }
    return end;
}

}  // namespace ringside
