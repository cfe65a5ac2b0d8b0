// SPDX-License-Identifier: Apache-2.0
#include "watch/run/watch_verdict.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/json/json.h"
#include "telemetry/events/script_topic.h"
#include "watch/evidence/fact_reader.h"
#include "watch/run/command_process.h"

namespace ringside {

void WatchVerdict::apply(const Event& event, std::size_t attempt) {
    Attempt& now = m_attempts.at(attempt);
    if (const auto* state = std::get_if<RankState>(&event)) {
        now.states[state->rank] = state->state;
        const bool isFirst = !now.firstFinished || state->timeUs < now.finishedUs;
        if (state->state == RankStage::kFinished && isFirst) {
            now.firstFinished = state->rank;
            now.finishedUs = state->timeUs;
        }
    }
    const auto* facts = std::get_if<ScriptFacts>(&event);
    if (facts == nullptr || topicOf(*facts) != ScriptTopic::kException) return;
    if (m_isChecked || (now.exception && now.exception->timeUs <= facts->timeUs)) return;
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
    now.exception = std::move(failure);
}

bool WatchVerdict::recordConnectionEnd(int rank, std::size_t attempt, std::int64_t nowUs) {
    Attempt& now = m_attempts.at(attempt);
    const auto known = now.states.find(rank);
    const bool hasReported =
        known != now.states.end() && (known->second == RankStage::kFinished || known->second == RankStage::kFailed);
    const bool isLost = !m_isChecked && !m_signal && !hasReported;
    if (isLost && !now.firstLost) {
        now.firstLost = rank;
        now.lostUs = nowUs;
    }
    return isLost;
}

bool WatchVerdict::hasFailedRank(std::size_t attempt) const {
    return m_attempts.at(attempt).exception || m_attempts.at(attempt).firstLost;
}

std::string WatchVerdict::recordRestart(std::int64_t steps) {
    m_attempts.back().steps = steps;
    const std::string text = restartText(restarts());
    m_attempts.emplace_back();
    return "the ranks were started again " + text + "; their step numbers continue from there";
}

// True if the text of the exception reports a closed connection, and another rank ended before the exception or at most
// kAtOnceUs after it. When a launcher ends the other ranks after a first failure, they end later than that.
bool WatchVerdict::reportsClosedConnection(const Attempt& attempt, std::int64_t endedUs) {
    constexpr std::int64_t kAtOnceUs = 50'000;  // longest time from the end of a rank until its loss is detected
    constexpr std::array<std::string_view, 3> kClosed{"Connection closed by peer", "Connection reset by peer",
                                                      "remote process exited"};
    if (endedUs > attempt.exception->timeUs + kAtOnceUs) return false;
    return std::ranges::any_of(
        kClosed, [&](std::string_view one) { return attempt.exception->text.find(one) != std::string::npos; });
}

// True if the exception of a rank is the consequence of the loss of another rank.
bool WatchVerdict::isConsequence(const Attempt& attempt) {
    if (!attempt.exception || !attempt.firstLost || *attempt.firstLost == attempt.exception->rank) return false;
    return reportsClosedConnection(attempt, attempt.lostUs);
}

// Returns the rank that ended by itself, for example with sys.exit(5), while the rank with the exception still trained;
// empty if there is none.
std::optional<int> WatchVerdict::rankThatLeft(const Attempt& attempt) {
    const std::optional<int>& left = attempt.firstFinished;
    if (!attempt.exception || isConsequence(attempt) || !left || *left == attempt.exception->rank) return {};
    return reportsClosedConnection(attempt, attempt.finishedUs) ? left : std::nullopt;
}

std::string WatchVerdict::exceptionText(const Attempt& attempt) {
    const std::optional<int> left = rankThatLeft(attempt);
    if (!left) return attempt.exception->text;
    return "rank " + std::to_string(*left) + " ended first, without an exception; then " + attempt.exception->text;
}

std::string WatchVerdict::reasonOf(const Attempt& attempt) {
    if (attempt.exception && !isConsequence(attempt)) return exceptionText(attempt);
    return "rank " + std::to_string(attempt.firstLost.value_or(0)) + " ended without a last report";
}

// Returns why the ranks of an attempt were started again: "after step 8: rank 1 ended without a last report".
std::string WatchVerdict::restartText(std::size_t attempt) const {
    const Attempt& one = m_attempts[attempt];
    return (one.steps == 0 ? "before the first reported step" : "after step " + std::to_string(one.steps)) +
           (attempt == 0 ? "" : " of restart " + std::to_string(attempt)) + ": " + reasonOf(one);
}

std::string WatchVerdict::restartsText() const {
    std::string text;
    for (std::size_t attempt = 0; attempt < restarts(); ++attempt)
        text += (attempt == 0 ? "restarted " : ", and ") + restartText(attempt);
    return text;
}

std::string WatchVerdict::failureText(const ChildEnd& command) const {
    const Attempt& last = m_attempts.back();
    if (last.exception && !isConsequence(last)) return exceptionText(last);
    if (m_isChecked) return reasonOf(last) + ", before --check ended the command";
    const std::string lost = last.firstLost ? "rank " + std::to_string(*last.firstLost) : std::string();
    return "the command " + command.text() +
           (last.firstLost ? "; " + lost + " ended first, without a last report" : "");
}

RunEnded WatchVerdict::concludeLastAttempt(const ChildEnd& command, std::int64_t steps) const {
    RunEnded end;
    end.exitCode = command.shellCode();
    const Attempt& last = m_attempts.back();
    const bool hasFailed = hasFailedRank(restarts());
    const bool isGood = !command.signalled && command.code == 0;
    if (m_isChecked && !hasFailed) {
        end.state = RunOutcome::kStopped;
        end.exitCode = 0;
        end.verdict = "ended by --check after " + std::to_string(steps) + (steps == 1 ? " step" : " steps");
    } else if (isGood && !hasFailed) {
        end.state = RunOutcome::kFinished;
        end.verdict = "the script has ended";
    } else if (m_signal) {
        end.state = RunOutcome::kStopped;
        end.verdict = "stopped by " + signalName(*m_signal);
    } else {
        end.state = RunOutcome::kFailed;
        end.verdict = failureText(command);
        const bool isByException = last.exception && !isConsequence(last);
        if (hasFailed)
            end.firstFailedRank = rankThatLeft(last).value_or(isByException ? last.exception->rank : *last.firstLost);
        // RunEnded::lastLines belongs to the first failed rank, so the stack of another rank is left out
        if (last.exception && (!hasFailed || end.firstFailedRank == last.exception->rank))
            end.lastLines = last.exception->stack;
    }
    return end;
}

RunEnded WatchVerdict::conclude(const ChildEnd& command, std::int64_t steps) const {
    RunEnded end = concludeLastAttempt(command, steps);
    if (restarts() == 0) return end;
    const std::string count = restarts() == 1 ? "a restart" : std::to_string(restarts()) + " restarts";
    end.verdict += (end.state == RunOutcome::kFinished ? " after " : ", after ") + count + "; " + restartsText();
    return end;
}

}  // namespace ringside
