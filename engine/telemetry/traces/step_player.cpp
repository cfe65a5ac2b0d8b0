// SPDX-License-Identifier: Apache-2.0
#include "telemetry/traces/step_player.h"

#include <algorithm>
#include <cmath>

// Algorithm: each rank executes its actions in order, which advances the time of the rank, until it has to wait for an
// event that has not been replayed yet. The ranks take turns until no rank can continue. A collective ends when its
// last rank has arrived and the recorded transfer time has passed.
namespace ringside {

double StepPlayer::play(const StepPlan& step) {
    m_step = &step;
    const std::size_t ranks = step.ranks.size();
    m_began = m_now;
    m_at.assign(ranks, 0);
    m_free.assign(ranks, 0);
    m_arrived.assign(step.arrivals, 0);
    m_last.assign(step.arrivals, 0);
    m_ended.assign(ranks, {});
    m_turns.assign(ranks, {});
    for (std::size_t rank = 0; rank < ranks; ++rank) m_ended[rank].assign(step.ranks[rank].collectives.size(), -1);
    m_sent.assign(step.messages.size(), -1);
    m_expected.assign(step.arrivals, 0);
    for (const RankPlan& rank : step.ranks)
        for (const PlayedCollective& one : rank.collectives) ++m_expected[one.meeting];
    if (m_traces != nullptr) m_traces->assign(ranks, {});
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < ranks; ++rank) moved = advance(rank) || moved;
    }
    for (std::size_t rank = 0; m_traces != nullptr && rank < ranks; ++rank) {
        StepTrace& trace = (*m_traces)[rank];
        trace.rank = static_cast<int>(rank);
        trace.beginNs = std::llround(m_began[rank]);
        trace.lengthNs = std::llround(m_now[rank]) - trace.beginNs;
    }
    return *std::ranges::max_element(m_now);
}

bool StepPlayer::advance(std::size_t rank) {
    const std::vector<PlanItem>& items = m_step->ranks[rank].items;
    bool moved = advanceCollectives(rank);
    for (; m_at[rank] < items.size(); ++m_at[rank], moved = true) {
        const PlanItem& item = items[m_at[rank]];
        if (item.kind == PlanItem::Kind::kWork) {
            note(rank, item.phase, m_now[rank]);
            m_now[rank] += item.ns;
        } else if (item.kind == PlanItem::Kind::kReady) {
            m_turns[rank].push_back({item.collective, m_now[rank]});
            advanceCollectives(rank);
        } else if (item.kind == PlanItem::Kind::kSend) {
            m_sent[item.collective] = m_now[rank];
        } else if (item.kind == PlanItem::Kind::kReceive) {
            if (!receive(rank, item)) return moved;
        } else if (item.kind == PlanItem::Kind::kMeet) {
            const std::size_t meeting = m_step->ranks[rank].collectives[item.collective].meeting;
            if (m_arrived[meeting] < m_expected[meeting]) return moved;
            note(rank, Phase::kWaiting, m_now[rank]);
            m_now[rank] = std::max(m_now[rank], m_last[meeting]) + item.ns;
        } else {
            const double ended = m_ended[rank][item.collective];
            if (ended < 0) return moved;
            recordWait(rank, item, ended);
            m_now[rank] = std::max(m_now[rank], ended) + item.ns;
        }
    }
    return moved;
}

// Executes a kReceive action. Returns false if the message has not been sent yet.
bool StepPlayer::receive(std::size_t rank, const PlanItem& item) {
    const double sent = m_sent[item.collective];
    if (sent < 0) return false;
    note(rank, Phase::kWaiting, m_now[rank]);
    m_now[rank] = std::max(m_now[rank], sent + m_step->messages[item.collective].moveNs) + item.ns;
    return true;
}

// Advances the collectives that the rank has requested, one after the other: the rank arrives at the first one, which
// ends when all of its ranks have arrived. Returns true if anything has changed.
bool StepPlayer::advanceCollectives(std::size_t rank) {
    bool moved = false;
    while (!m_turns[rank].empty()) {
        Turn& turn = m_turns[rank].front();
        const PlayedCollective& one = m_step->ranks[rank].collectives[turn.collective];
        if (turn.arrivedNs < 0) {
            turn.arrivedNs = std::max(turn.readyNs, m_free[rank]) + one.delayNs;
            m_last[one.meeting] = std::max(m_last[one.meeting], turn.arrivedNs);
            ++m_arrived[one.meeting];
            moved = true;
        }
        if (m_arrived[one.meeting] < m_expected[one.meeting]) return moved;
        m_free[rank] = m_ended[rank][turn.collective] = m_last[one.meeting] + one.moveNs;
        recordCollective(rank, turn.collective, turn.readyNs, turn.arrivedNs);
        m_turns[rank].erase(m_turns[rank].begin());
        moved = true;
    }
    return moved;
}

void StepPlayer::note(std::size_t rank, Phase phase, double ns) {
    if (m_traces == nullptr) return;
    StepTrace& trace = (*m_traces)[rank];
    trace.phase.push_back(static_cast<std::int64_t>(phase));
    trace.at.push_back(std::llround(ns) - std::llround(m_began[rank]));
    trace.cpu.push_back(0);
}

void StepPlayer::recordWait(std::size_t rank, const PlanItem& item, double ended) {
    const double last = m_last[m_step->ranks[rank].collectives[item.collective].meeting];
    if (last > m_now[rank]) note(rank, Phase::kWaiting, m_now[rank]);
    note(rank, Phase::kMoving, std::max(last, m_now[rank]));
    if (item.ns > 0) note(rank, Phase::kIdle, std::max(ended, m_now[rank]));
}

void StepPlayer::recordCollective(std::size_t rank, std::size_t collective, double readyNs, double arrivedNs) {
    if (m_traces == nullptr) return;
    StepTrace& trace = (*m_traces)[rank];
    const PlayedCollective& one = m_step->ranks[rank].collectives[collective];
    const auto since = [&](double ns) { return std::llround(ns) - std::llround(m_began[rank]); };
    trace.group.push_back(0);
    trace.collective.push_back(static_cast<std::int64_t>(one.meeting) + 1);
    trace.kind.push_back(one.kind);
    trace.bytes.push_back(static_cast<std::int64_t>(one.bytes));
    trace.ready.push_back(since(readyNs));
    trace.arrived.push_back(since(arrivedNs));
    trace.last.push_back(since(m_last[one.meeting]));
    trace.ended.push_back(since(m_ended[rank][collective]));
}

}  // namespace ringside
