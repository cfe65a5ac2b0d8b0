// SPDX-License-Identifier: Apache-2.0
#include "watch/run/stall_watch.h"
#include "telemetry/events/script_topic.h"

#include <algorithm>
#include <vector>

namespace ringside {
namespace {

constexpr double kStepsLimit = 3;   // time without progress after which a hang is examined, in mean step lengths
constexpr double kNewShare = 0.25;  // weight of the latest step in the running mean of the step length
// largest age, in seconds, of a report about a stalled rank from which a conclusion is drawn
constexpr double kFreshSeconds = 12;

constexpr std::int64_t kResolvedSteps = 2;  // number of steps, after a reported hang, after which the hang counts as
                                            // resolved

// True for facts that a rank also reports when it makes no progress, or at its end.
bool isReportOnly(std::optional<ScriptTopic> topic) {
    return topic == ScriptTopic::kStalled || topic == ScriptTopic::kException || topic == ScriptTopic::kSees ||
           topic == ScriptTopic::kEnd || topic == ScriptTopic::kHookFailed;
}

// Returns the rank whose progress an event shows; -1 for heartbeats, states, clocks and events of the watcher.
int movingRank(const Event& event) {
    return std::visit(
        [](const auto& one) {
            using E = std::remove_cvref_t<decltype(one)>;
            if constexpr (std::is_same_v<E, ScriptFacts>) return isReportOnly(topicOf(one)) ? -1 : one.rank;
            constexpr bool isProgress = std::is_same_v<E, StepsFrame> || std::is_same_v<E, ConsumedIndices> ||
                                        std::is_same_v<E, StepTrace> || std::is_same_v<E, Replica> ||
                                        std::is_same_v<E, Consumed> || std::is_same_v<E, LoggedScalar>;
            if constexpr (isProgress) return one.rank;
            return -1;
        },
        event);
}

}  // namespace

void StallWatch::apply(const Event& event, std::int64_t nowUs) {
    if (const auto* facts = std::get_if<ScriptFacts>(&event);
        facts != nullptr && topicOf(*facts) == ScriptTopic::kStalled) {
        m_ranks[facts->rank] = rankStall(facts->rank, facts->facts);
        return;
    }
    if (const auto* steps = std::get_if<StepsFrame>(&event); steps != nullptr && !steps->endUs.empty()) {
        m_steps = std::max(m_steps, steps->step.back());
        if (m_hang && m_steps >= m_hangStep + kResolvedSteps) m_hang.reset();
        for (const std::int64_t endUs : steps->endUs) {
            const auto lengthUs = static_cast<double>(std::max<std::int64_t>(0, endUs - m_lastStepUs));
            if (m_lastStepUs > 0) m_meanStepUs += kNewShare * (lengthUs - m_meanStepUs);
            m_lastStepUs = std::max(m_lastStepUs, endUs);
        }
    }
    if (const int rank = movingRank(event); rank >= 0) recordProgress(rank, nowUs);
}

void StallWatch::recordProgress(int rank, std::int64_t nowUs) {
    RankStall& one = m_ranks[rank];
    one.rank = rank;
    one.state = RankStall::State::kMoving;
    m_movedUs = nowUs;
    m_concluded = false;
}

void StallWatch::recordConnectionEnd(int rank) {
    m_ranks[rank].rank = rank;
    m_ranks[rank].state = RankStall::State::kEnded;
}

std::int64_t StallWatch::limitUs() const {
    if (!hasTrained()) return kStartUs;
    return std::max(kMinUs, static_cast<std::int64_t>(kStepsLimit * m_meanStepUs));
}

bool StallWatch::mustRequestStacks(std::int64_t nowUs) {
    if (m_concluded || !m_movedUs || nowUs - *m_movedUs < limitUs()) return false;
    if (nowUs - m_requestedUs < kRequestIntervalUs) return false;
    m_requestedUs = nowUs;
    return true;
}

std::optional<HangReport> StallWatch::conclude(std::int64_t nowUs, std::int64_t worldSize) {
    if (m_concluded || !m_movedUs || nowUs - *m_movedUs < limitUs()) return {};
    if (static_cast<std::int64_t>(m_ranks.size()) < worldSize) return {};
    std::vector<RankStall> ranks;
    bool someRuns = false;
    for (const auto& [rank, stall] : m_ranks) {
        ranks.push_back(stall);
        someRuns = someRuns || stall.state != RankStall::State::kEnded;
        const bool isOld = static_cast<double>(nowUs - *m_movedUs) / 1e6 - stall.seconds > kFreshSeconds;
        if (stall.state == RankStall::State::kStalled && isOld) return {};
    }
    if (!someRuns) return {};
    const std::optional<HangReport> report = findHang(ranks, static_cast<double>(nowUs - *m_movedUs) / 1e6);
    m_concluded = report.has_value();
    if (!report || !report->isHang) return report;
    m_hang = report;
    m_hangStep = m_steps;
    return report;
}

}  // namespace ringside
