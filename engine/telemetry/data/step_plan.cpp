// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/step_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace ringside {
namespace {

bool isCommunicating(const Span& span) {
    return isCommunication(span.phase);
}

// What ended the wait: the last collective that came to its end in it.
std::optional<std::size_t> awaitedIn(const std::vector<CollectiveSpan>& collectives, std::int64_t from,
                                     std::int64_t to) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < collectives.size(); ++i)
        if (collectives[i].endedNs > from && collectives[i].endedNs <= to &&
            (!found || collectives[i].endedNs >= collectives[*found].endedNs))
            found = i;
    return found;
}

// No collective ended in it: the last one to which all ranks had come by then.
std::optional<std::size_t> metIn(const std::vector<CollectiveSpan>& collectives, std::int64_t from, std::int64_t to) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < collectives.size(); ++i)
        if (collectives[i].arrivedNs <= to && collectives[i].lastNs > from && collectives[i].lastNs <= to &&
            (!found || collectives[i].lastNs >= collectives[*found].lastNs))
            found = i;
    return found;
}

// Where nobody but the training thread moves the bytes, a rank takes part from the moment on at which it waits, however
// early it asked.
bool arrivesByWaiting(const RankTrace& rank, const CollectiveSpan& one) {
    constexpr std::int64_t kAtOnceNs = 100'000;
    if (one.arrivedNs - one.readyNs <= kAtOnceNs) return false;
    const auto after = std::ranges::upper_bound(rank.spans, one.arrivedNs, {}, &Span::beginNs);
    if (after == rank.spans.begin()) return false;
    return isCommunicating(*(after - 1)) && one.arrivedNs - (after - 1)->beginNs <= kAtOnceNs;
}

class PlanMaker {
  public:
    PlanMaker(const RankTrace& rank, const std::map<std::pair<std::int64_t, std::int64_t>, std::size_t>& meetings)
        : m_rank(rank), m_collectives(rank.collectives) {
        for (CollectiveSpan& one : m_collectives)
            if (arrivesByWaiting(rank, one)) one.readyNs = one.arrivedNs;
        std::ranges::stable_sort(m_collectives, {}, &CollectiveSpan::readyNs);
        std::map<std::int64_t, std::int64_t> freeAt;  // by group
        for (const CollectiveSpan& one : m_collectives) {
            std::int64_t& free = freeAt[one.group];
            const std::int64_t turn = std::max(one.readyNs, free);
            // One after the other: it may have been asked for while the one before still moved.
            const std::int64_t last = std::max(free, one.lastNs < 0 ? one.arrivedNs : one.lastNs);
            m_plan.collectives.push_back({meetings.at({one.group, one.number}),
                                          static_cast<double>(std::max<std::int64_t>(one.arrivedNs - turn, 0)),
                                          static_cast<double>(std::max<std::int64_t>(one.endedNs - last, 0)),
                                          static_cast<double>(one.bytes), one.kind});
            free = std::max(free, one.endedNs);
        }
    }

    RankPlan make() {
        for (std::size_t i = 0; i < m_rank.spans.size();) {
            std::size_t end = i + 1;
            while (isCommunicating(m_rank.spans[i]) && end < m_rank.spans.size() && isCommunicating(m_rank.spans[end]))
                ++end;
            const std::int64_t from = m_rank.spans[i].beginNs;
            const std::int64_t to = m_rank.spans[end - 1].endNs;
            if (isCommunicating(m_rank.spans[i])) {
                addWait(from, to);
            } else {
                addWork(m_rank.spans[i].phase, from, to);
            }
            i = end;
        }
        announceUntil(m_rank.endNs + 1);
        return std::move(m_plan);
    }

  private:
    void announceUntil(std::int64_t ns) {
        for (; m_next < m_collectives.size() && m_collectives[m_next].readyNs < ns; ++m_next)
            m_plan.items.push_back({PlanItem::Kind::kReady, Phase::kIdle, 0, m_next});
    }
    void addWork(Phase phase, std::int64_t from, std::int64_t to) {
        while (m_next < m_collectives.size() && m_collectives[m_next].readyNs < to) {
            const std::int64_t ready = std::max(m_collectives[m_next].readyNs, from);
            m_plan.items.push_back({PlanItem::Kind::kWork, phase, static_cast<double>(ready - from), 0});
            from = ready;
            announceUntil(ready + 1);
        }
        m_plan.items.push_back({PlanItem::Kind::kWork, phase, static_cast<double>(to - from), 0});
    }
    // Collectives asked for one after the other in one wait are awaited one after the other.
    void addWait(std::int64_t from, std::int64_t to) {
        while (m_next < m_collectives.size() && m_collectives[m_next].readyNs < to) {
            const std::int64_t ready = std::max(m_collectives[m_next].readyNs, from);
            if (ready > from) waitFor(from, ready);
            from = ready;
            announceUntil(ready + 1);
        }
        waitFor(from, to);
    }
    void waitFor(std::int64_t from, std::int64_t to) {
        const auto add = [&](PlanItem::Kind kind, std::int64_t since, std::size_t collective) {
            m_plan.items.push_back({kind, Phase::kWaiting, static_cast<double>(to - since), collective});
        };
        if (const auto awaited = awaitedIn(m_collectives, from, to))
            add(PlanItem::Kind::kWait, m_collectives[*awaited].endedNs, *awaited);
        else if (const auto met = metIn(m_collectives, from, to); met && *met < m_next)
            add(PlanItem::Kind::kMeet, m_collectives[*met].lastNs, *met);
        else
            add(PlanItem::Kind::kWork, from, 0);
    }

    const RankTrace& m_rank;
    std::vector<CollectiveSpan> m_collectives;
    RankPlan m_plan;
    std::size_t m_next = 0;  // collective not asked for yet
};

}  // namespace

StepPlan planOf(const TracedStep& step) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> meetings;
    for (const Meeting& meeting : step.meetings)
        meetings.emplace(std::pair(meeting.group, meeting.number), meetings.size());
    StepPlan plan;
    plan.meetings = meetings.size();
    for (const RankTrace& rank : step.ranks) plan.ranks.push_back(PlanMaker(rank, meetings).make());
    return plan;
}

}  // namespace ringside
