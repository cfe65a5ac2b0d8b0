// SPDX-License-Identifier: Apache-2.0
#include "telemetry/traces/step_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

// Algorithm: converts the recorded spans of each rank to a list of actions. A span of work keeps its length; it is
// divided where a collective is requested or a message is sent. A communication span becomes a wait for the event that
// ended it. This event is the message that the rank received in the span. If there is none, it is the last collective
// that ended in the span; if there is none either, the last collective at which all ranks arrived in the span. The time
// from the event to the end of the span stays part of the wait. A communication span without such an event is treated
// as work.
namespace ringside {
namespace {

bool isCommunicating(const Span& span) {
    return isCommunication(span.phase);
}

// Returns the last collective that ended in the interval: the training thread waited for it.
std::optional<std::size_t> collectiveThatEndedWait(const std::vector<CollectiveSpan>& collectives, std::int64_t from,
                                                   std::int64_t to) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < collectives.size(); ++i)
        if (collectives[i].endedNs > from && collectives[i].endedNs <= to &&
            (!found || collectives[i].endedNs >= collectives[*found].endedNs))
            found = i;
    return found;
}

// Returns the last collective at which all ranks had arrived in the interval. Used if no collective ended in the
// interval.
std::optional<std::size_t> metIn(const std::vector<CollectiveSpan>& collectives, std::int64_t from, std::int64_t to) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < collectives.size(); ++i)
        if (collectives[i].arrivedNs <= to && collectives[i].lastNs > from && collectives[i].lastNs <= to &&
            (!found || collectives[i].lastNs >= collectives[*found].lastNs))
            found = i;
    return found;
}

// True if the rank requested the collective early, but began to take part only when the training thread started to wait
// for it. This happens if the training thread itself transfers the data.
bool arrivesByWaiting(const RankTrace& rank, const CollectiveSpan& one) {
    constexpr std::int64_t kAtOnceNs = 100'000;
    if (one.arrivedNs - one.readyNs <= kAtOnceNs) return false;
    const auto after = std::ranges::upper_bound(rank.spans, one.arrivedNs, {}, &Span::beginNs);
    if (after == rank.spans.begin()) return false;
    return isCommunicating(*(after - 1)) && one.arrivedNs - (after - 1)->beginNs <= kAtOnceNs;
}

using MeetingPlaces = std::map<std::pair<std::int64_t, std::int64_t>, std::size_t>;

// Messages of a step, found by sender, receiver and number. Contains only messages of which both sides were recorded.
class MessagePlaces {
  public:
    MessagePlaces(const TracedStep& step, std::vector<PlayedMessage>& played) {
        std::map<Key, std::int64_t> sent;
        for (std::size_t rank = 0; rank < step.ranks.size(); ++rank)
            for (const MessageEnd& one : step.ranks[rank].messages)
                if (one.isSent) sent[keyOf(rank, one)] = one.atNs;
        for (std::size_t rank = 0; rank < step.ranks.size(); ++rank)
            for (const MessageEnd& one : step.ranks[rank].messages) {
                const auto found = sent.find(keyOf(rank, one));
                if (one.isSent || found == sent.end() || !m_indices.emplace(found->first, played.size()).second)
                    continue;
                m_waited.push_back(one.atNs < found->second);
                const std::int64_t moved = std::max<std::int64_t>(one.endedNs - found->second, 0);
                played.push_back({m_waited.back() ? static_cast<double>(moved) : 0, static_cast<double>(one.bytes)});
            }
    }
    std::optional<std::size_t> of(std::size_t rank, const MessageEnd& one) const {
        const auto found = m_indices.find(keyOf(rank, one));
        return found == m_indices.end() ? std::nullopt : std::optional(found->second);
    }

    // True if the receiver began to wait for the message before it was sent.
    bool waited(std::size_t place) const { return m_waited[place]; }

  private:
    using Key = std::tuple<std::size_t, std::size_t, std::int64_t>;
    static Key keyOf(std::size_t rank, const MessageEnd& one) {
        const auto peer = static_cast<std::size_t>(one.peer);
        return one.isSent ? Key{rank, peer, one.number} : Key{peer, rank, one.number};
    }

    std::map<Key, std::size_t> m_indices;
    std::vector<bool> m_waited;
};

class PlanMaker {
  public:
    PlanMaker(const TracedStep& step, std::size_t index, const MeetingPlaces& arrivals, const MessagePlaces& messages)
        : m_rank(step.ranks[index]), m_collectives(m_rank.collectives) {
        m_plan.planned = m_rank.planned;
        const RankTrace& rank = m_rank;
        for (const MessageEnd& one : rank.messages)
            if (const auto place = messages.of(index, one))
                m_messages.push_back({one, *place, messages.waited(*place)});
        std::ranges::stable_sort(m_messages, {}, [](const Message& one) { return one.end.atNs; });
        for (CollectiveSpan& one : m_collectives)
            if (arrivesByWaiting(rank, one)) one.readyNs = one.arrivedNs;
        std::ranges::stable_sort(m_collectives, {}, &CollectiveSpan::readyNs);
        std::map<std::int64_t, std::int64_t> freeAt;  // for each group, the time when its last collective ends
        for (const CollectiveSpan& one : m_collectives) {
            std::int64_t& free = freeAt[one.group];
            const std::int64_t turn = std::max(one.readyNs, free);
            // The collectives of a group take place one after the other. A rank may request a collective while the
            // previous one is in progress.
            const std::int64_t last = std::max(free, one.lastNs < 0 ? one.arrivedNs : one.lastNs);
            m_plan.collectives.push_back({arrivals.at({one.group, one.number}),
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
        addEventsBefore(m_rank.endNs + 1);
        return std::move(m_plan);
    }

  private:
    struct Message {
        MessageEnd end;
        std::size_t place = 0;  // index in StepPlan::messages
        bool waited = false;
        bool received = false;
    };

    // Returns the time of the next event: the request of a collective, or the recorded end of a message. Returns the
    // largest 64-bit integer if there is no other event.
    std::int64_t nextNs() const {
        std::int64_t next = std::numeric_limits<std::int64_t>::max();
        if (m_next < m_collectives.size()) next = m_collectives[m_next].readyNs;
        if (m_nextMessage < m_messages.size()) next = std::min(next, m_messages[m_nextMessage].end.atNs);
        return next;
    }
    // Adds the requests of collectives and the messages before the time `ns` that were not added yet.
    void addEventsBefore(std::int64_t ns) {
        for (; m_next < m_collectives.size() && m_collectives[m_next].readyNs < ns; ++m_next)
            m_plan.items.push_back({PlanItem::Kind::kReady, Phase::kIdle, 0, m_next});
        for (; m_nextMessage < m_messages.size() && m_messages[m_nextMessage].end.atNs < ns; ++m_nextMessage)
            publish(m_messages[m_nextMessage]);
    }
    // Adds an action that sends the message, or an action that receives a message which had already arrived and causes
    // no wait.
    void publish(Message& one) {
        const bool atOnce = !one.end.isSent && !one.received && one.end.endedNs <= one.end.atNs;
        one.received = one.received || atOnce;
        if (one.end.isSent || atOnce)
            m_plan.items.push_back(
                {one.end.isSent ? PlanItem::Kind::kSend : PlanItem::Kind::kReceive, Phase::kIdle, 0, one.place});
    }
    void addWork(Phase phase, std::int64_t from, std::int64_t to) {
        while (nextNs() < to) {
            const std::int64_t ready = std::max(nextNs(), from);
            m_plan.items.push_back({PlanItem::Kind::kWork, phase, static_cast<double>(ready - from), 0});
            from = ready;
            addEventsBefore(ready + 1);
        }
        m_plan.items.push_back({PlanItem::Kind::kWork, phase, static_cast<double>(to - from), 0});
    }
    // Adds a wait from `from` to `to`. Collectives that are requested in this time divide the wait into several waits.
    void addWait(std::int64_t from, std::int64_t to) {
        while (nextNs() < to) {
            const std::int64_t ready = std::max(nextNs(), from);
            if (ready > from) waitFor(from, ready);
            from = ready;
            addEventsBefore(ready + 1);
        }
        waitFor(from, to);
    }
    // Returns the message for which the rank waits at time `from`; null if there is none. Returns each message only
    // once.
    const Message* receiveFrom(std::int64_t from) {
        const auto isOver = [from](const Message& one) {
            return one.end.isSent || one.received || one.end.endedNs < from;
        };
        while (m_nextReceive < m_messages.size() && isOver(m_messages[m_nextReceive])) ++m_nextReceive;
        if (m_nextReceive == m_messages.size() || m_messages[m_nextReceive].end.atNs > from) return nullptr;
        m_messages[m_nextReceive].received = true;
        return &m_messages[m_nextReceive];
    }
    void waitFor(std::int64_t from, std::int64_t to) {
        const auto add = [&](PlanItem::Kind kind, std::int64_t since, std::size_t collective) {
            const std::int64_t rest = std::max<std::int64_t>(to - since, 0);
            m_plan.items.push_back({kind, Phase::kWaiting, static_cast<double>(rest), collective});
        };
        if (const Message* const message = receiveFrom(from))
            add(PlanItem::Kind::kReceive, message->waited ? message->end.endedNs : std::max(from, message->end.atNs),
                message->place);
        else if (const auto waited = collectiveThatEndedWait(m_collectives, from, to))
            add(PlanItem::Kind::kWait, m_collectives[*waited].endedNs, *waited);
        else if (const auto met = metIn(m_collectives, from, to); met && *met < m_next)
            add(PlanItem::Kind::kMeet, m_collectives[*met].lastNs, *met);
        else
            add(PlanItem::Kind::kWork, from, 0);
    }

    const RankTrace& m_rank;
    std::vector<CollectiveSpan> m_collectives;
    RankPlan m_plan;
    std::vector<Message> m_messages;
    std::size_t m_next = 0;  // index of the next collective that the rank has not requested yet
    std::size_t m_nextMessage = 0;
    std::size_t m_nextReceive = 0;
};

}  // namespace

StepPlan planOf(const TracedStep& step) {
    MeetingPlaces arrivals;
    for (const CollectiveArrivals& meeting : step.arrivals)
        arrivals.emplace(std::pair(meeting.group, meeting.number), arrivals.size());
    StepPlan plan;
    plan.arrivals = arrivals.size();
    const MessagePlaces messages(step, plan.messages);
    for (std::size_t rank = 0; rank < step.ranks.size(); ++rank)
        plan.ranks.push_back(PlanMaker(step, rank, arrivals, messages).make());
    return plan;
}

}  // namespace ringside
