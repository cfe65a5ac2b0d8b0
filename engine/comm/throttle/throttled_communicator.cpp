// SPDX-License-Identifier: Apache-2.0
#include "comm/throttle/throttled_communicator.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/time/monotonic.h"
#include "base/time/sleep_until.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxStamps = 4096;
constexpr std::size_t kMaxSentStamps = 256;

CommBuffer bytesOf(std::int64_t& value) {
    return CommBuffer::of(std::span(&value, 1));
}

// True if `sentNs` can be a time on the clock of this host: it is not in the future and at most an hour old.
bool isThisClock(std::int64_t sentNs, std::int64_t nowNs) {
    constexpr std::int64_t kMaxNs = 3'600'000'000'000;
    return sentNs <= nowNs && nowNs - sentNs < kMaxNs;
}

}  // namespace

ThrottledCommunicator::ThrottledCommunicator(std::unique_ptr<Communicator> inner, const LinkThrottle& throttle)
    : m_inner(std::move(inner)), m_throttle(throttle), m_stamps(m_noPhases, kMaxStamps) {
    m_inner->setTrace(&m_stamps);
    m_stamps.startRecording();
}

ThrottledCommunicator::~ThrottledCommunicator() {
    m_stamps.stopRecording();
    m_inner->setTrace(nullptr);
}

std::unique_ptr<Communicator> ThrottledCommunicator::split(int colour, int key, GroupUse use) {
    std::unique_ptr<Communicator> group = m_inner->split(colour, key, use);
    if (!group) return nullptr;
    auto throttled = std::make_unique<ThrottledCommunicator>(std::move(group), m_throttle);
    throttled->setTrace(trace());
    return throttled;
}

CommHandle ThrottledCommunicator::beginCollective(CollectiveKind kind, CommBuffer in, CommHandle handle) {
    countCollective(kind, in);
    const auto bytes = static_cast<std::int64_t>(in.bytes()) / (kind == CollectiveKind::kReduceScatter ? size() : 1);
    m_moving.push_back({++m_started, handle, m_throttle.collectiveNs(kind, bytes, size()), activeTrace()});
    return {*this, m_started};
}

void ThrottledCommunicator::delayBlockingCall(CollectiveKind kind, CommBuffer in) {
    beginCollective(kind, in, {});
    finishCollectivesUpTo(m_started);
}

void ThrottledCommunicator::waitFor(std::int64_t ticket) {
    if (ticket < 0) return receiveMessagesUpTo(ticket);
    const WaitScope waiting(trace());
    finishCollectivesUpTo(ticket);
}

void ThrottledCommunicator::finishCollectivesUpTo(std::int64_t ticket) {
    while (!m_moving.empty() && m_moving.front().ticket <= ticket) {
        const Moving one = m_moving.front();
        m_moving.pop_front();
        one.handle.wait();
        finishTransfer(one);
    }
    if (m_moving.empty()) {
        m_stamps.startRecording();
        m_stampsTaken = 0;
    }
    sleepUntilNs(m_freeNs);
}

// Computes when the simulated link has carried one collective. If the inner communicator does not report when the last
// rank arrived, the current time is used.
void ThrottledCommunicator::finishTransfer(const Moving& one) {
    if (size() == 1) return;
    const std::vector<CollectiveStamp> stamps = m_stamps.collectives();
    CollectiveStamp stamp;
    const bool hasStamp = m_stampsTaken < stamps.size();
    if (hasStamp) stamp = stamps[m_stampsTaken++];
    // The transfer on the simulated link begins when the last rank has published its data, because a network card would
    // then transfer the data without the ranks. A collective for which this time is unknown begins when the last rank
    // arrives. The trace shows the time of publication as the time of arrival, unless the real collective ended later
    // than the simulated one.
    const bool published = stamp.lastPublishedNs > 0;
    const std::int64_t come = published ? stamp.lastPublishedNs : stamp.lastNs;
    m_freeNs = std::max(m_freeNs, hasStamp && come > 0 ? come : monotonicNs()) + one.lastsNs;
    if (one.trace == nullptr || !hasStamp) return;
    if (published && stamp.endedNs <= m_freeNs) {
        stamp.arrivedNs = stamp.publishedNs;
        stamp.lastNs = stamp.lastPublishedNs;
    }
    stamp.endedNs = std::max(stamp.endedNs, m_freeNs);
    one.trace->add(stamp);
}

void ThrottledCommunicator::allReduce(CommBuffer buffer, ReduceOp op) {
    const WaitScope waiting(trace());
    m_inner->allReduce(buffer, op);
    delayBlockingCall(CollectiveKind::kAllReduce, buffer);
}

CommHandle ThrottledCommunicator::allReduceAsync(CommBuffer buffer, ReduceOp op) {
    // Counts the call of the inner communicator as waiting time, because the inner communicator may first complete the
    // previous collective, which waits for all ranks.
    const WaitScope waiting(trace());
    return beginCollective(CollectiveKind::kAllReduce, buffer, m_inner->allReduceAsync(buffer, op));
}

void ThrottledCommunicator::broadcast(CommBuffer buffer, int root) {
    const WaitScope waiting(trace());
    m_inner->broadcast(buffer, root);
    delayBlockingCall(CollectiveKind::kBroadcast, buffer);
}

void ThrottledCommunicator::allGather(CommBuffer in, CommBuffer out) {
    const WaitScope waiting(trace());
    m_inner->allGather(in, out);
    delayBlockingCall(CollectiveKind::kAllGather, in);
}

CommHandle ThrottledCommunicator::allGatherAsync(CommBuffer in, CommBuffer out) {
    const WaitScope waiting(trace());
    return beginCollective(CollectiveKind::kAllGather, in, m_inner->allGatherAsync(in, out));
}

void ThrottledCommunicator::reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) {
    const WaitScope waiting(trace());
    m_inner->reduceScatter(in, out, op);
    delayBlockingCall(CollectiveKind::kReduceScatter, in);
}

CommHandle ThrottledCommunicator::reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op) {
    const WaitScope waiting(trace());
    return beginCollective(CollectiveKind::kReduceScatter, in, m_inner->reduceScatterAsync(in, out, op));
}

void ThrottledCommunicator::barrier() {
    const WaitScope waiting(trace());
    m_inner->barrier();
    delayBlockingCall(CollectiveKind::kBarrier, {});
}

CommHandle ThrottledCommunicator::sendAsync(CommBuffer buffer, int to) {
    countMessage(buffer);
    if (m_sentStamps.size() >= kMaxSentStamps) {
        m_sentStamps.front().handle.wait();
        m_sentStamps.pop_front();
    }
    SentStamp& stamp = m_sentStamps.emplace_back(SentStamp{monotonicNs(), {}});
    stamp.handle = m_inner->sendAsync(bytesOf(stamp.ns), to);
    return m_inner->sendAsync(buffer, to);
}

CommHandle ThrottledCommunicator::recvAsync(CommBuffer buffer, int from) {
    auto message = std::make_unique<Message>();
    message->ticket = -(++m_receives);
    message->stamp = m_inner->recvAsync(bytesOf(message->sentNs), from);
    message->payload = m_inner->recvAsync(buffer, from);
    message->lastsNs = m_throttle.messageNs(static_cast<double>(buffer.bytes()));
    m_messages.push_back(std::move(message));
    return {*this, -m_receives};
}

// Receives all messages up to the one of this ticket. The simulated link carries one message after another.
void ThrottledCommunicator::receiveMessagesUpTo(std::int64_t ticket) {
    while (!m_messages.empty() && m_messages.front()->ticket >= ticket) {
        const std::unique_ptr<Message> message = std::move(m_messages.front());
        m_messages.pop_front();
        message->stamp.wait();
        message->payload.wait();
        const std::int64_t nowNs = monotonicNs();
        const std::int64_t sentNs = isThisClock(message->sentNs, nowNs) ? message->sentNs : nowNs;
        m_freeNs = std::max(m_freeNs, sentNs) + message->lastsNs;
    }
    sleepUntilNs(m_freeNs);
}

}  // namespace ringside
