// SPDX-License-Identifier: Apache-2.0
#include "comm/gloo_communicator.h"

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/transport/unbound_buffer.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/errors/errors.h"
#include "comm/communicator_factory.h"
#include "comm/group_members.h"
#include "comm/missing_rank.h"
#include "comm/reduce_kernels.h"
#include "comm/tcp/peer_mesh.h"
#include "launch/layout/last_words.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;

std::vector<int> allRanks(int size) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

// Tag (called slot by Gloo) of messages between two ranks. Gloo's collectives use tags with prefixes below 0x10
// (gloo/types.h).
constexpr std::uint64_t kMessageSlot = std::uint64_t{0xfe} << 56;
// Number that exchangeArrivals() uses in its tags in place of a CollectiveKind; larger than each CollectiveKind.
constexpr std::uint32_t kMeetingKind = 7;

std::uint8_t* bytesOf(CommBuffer buffer) {
    return static_cast<std::uint8_t*>(buffer.data);
}

}  // namespace

GlooCommunicator::GlooCommunicator(std::shared_ptr<Store> store, int rank, int size, CommOptions options)
    : GlooCommunicator(std::move(store), rank, Group{allRanks(size)}, options) {}

GlooCommunicator::GlooCommunicator(std::shared_ptr<Store> store, int rank, Group group, CommOptions options)
    : m_store(std::move(store)),
      m_rank(rank),
      m_size(static_cast<int>(group.ranksInRun.size())),
      m_group(std::move(group)),
      m_options(options) {
    RINGSIDE_ASSERT(m_size > 0 && rank >= 0 && rank < m_size);
    runGuarded("connecting over TCP (Gloo)", [this] { connect(); });
}

GlooCommunicator::~GlooCommunicator() {
    if (!m_queue.isIdle()) abort();
}

void GlooCommunicator::connect() {
    PeerMesh mesh(*m_store, {m_group.prefix, m_group.ranksInRun, m_rank, listenAddress(m_options), m_options.timeout});
    m_links = std::make_shared<PeerLinks>(mesh.connect());
    m_refusedConnections = mesh.refusedConnections();
    m_context = std::make_shared<GlooLinks>(m_rank, m_size, m_links, m_options.timeout);
}

// Runs a call of Gloo or PeerLinks and converts its errors to CommError. The first error closes the connections of this
// group, so that the waits of the other ranks fail as well.
void GlooCommunicator::runGuarded(const std::string& what, const std::function<void()>& call) {
    if (m_failed || m_aborted) fail(what, "an earlier collective or message of this rank has failed");
    try {
        call();
    } catch (const CommError&) {
        m_failed = true;
        throw;
    } catch (const LinkError& error) {
        if (error.isMisuse()) failForPeerMisuse(rankInRun(error.peer()), error.what());
        fail(what, (error.peer() < 0 ? "" : rankText(error.peer()) + ": ") + error.what());
    } catch (const std::exception& error) {
        fail(what, error.what());
    }
}

void GlooCommunicator::fail(const std::string& what, const std::string& why) {
    bool first = !std::exchange(m_failed, true);
    if (m_links) m_links->close();
    if (m_aborted) throw CommError("communication was aborted during " + what);
    int missing = first ? findMissingRank(*m_store, m_group.prefix, m_rank, m_size, m_options.timeout) : -1;
    std::string who = missing < 0 ? "a rank" : rankText(missing);
    throw CommError(who + " did not take part in " + what + " within " + describeDuration(m_options.timeout) + ": " +
                        why + "; see the ranks' logs",
                    missing < 0 ? missing : rankInRun(missing));
}

// Closes the connections and throws a CommError that names `rank`, which violated the protocol. Does not search for a
// missing rank, because the rank at fault is known.
void GlooCommunicator::failForPeerMisuse(int rank, const std::string& why) {
    m_failed = true;
    m_links->close();
    throw CommError(misbehaviourText(rank, why), rank);
}

void GlooCommunicator::abort() {
    m_aborted = true;
    if (!m_links) return;
    m_links->abort();
    m_links->close();
}

void GlooCommunicator::runCollective(CollectiveKind kind, CommBuffer buffer, const Call& call) {
    countCollective(kind, buffer);
    std::int64_t number = m_collective.fetch_add(1) + 1;
    // Tag of the collective's messages. Differs between consecutive collectives and between kinds of collectives.
    auto tag = static_cast<std::uint32_t>(number) << 3 | static_cast<std::uint32_t>(kind);
    runGuarded(
        describeCollective(kind, buffer.type, buffer.count) + " (collective " + std::to_string(number) + ")", [&] {
            if (m_size == 1) return;
            if (m_traced == nullptr || kind == CollectiveKind::kBarrier) return call(tag);
            CollectiveStamp stamp{m_group.traceNumber,
                                  number,
                                  static_cast<std::int64_t>(kind),
                                  static_cast<std::int64_t>(buffer.bytes()),
                                  m_readyNs,
                                  monotonicNs()};
            stamp.lastNs = exchangeArrivals(stamp.arrivedNs, static_cast<std::uint32_t>(number) << 3 | kMeetingKind);
            call(tag);
            stamp.endedNs = monotonicNs();
            m_traced->add(stamp);
        });
}

// Exchanges the arrival times of all ranks before a traced collective and returns the time of the last arrival, which
// separates waiting from data transfer in traces. If the ranks do not share a clock, the time at which the exchange
// ended is returned.
std::int64_t GlooCommunicator::exchangeArrivals(std::int64_t arrivedNs, std::uint32_t tag) {
    m_arrivals.resize(static_cast<std::size_t>(m_size));
    gloo::AllgatherOptions options(m_context);
    options.setTag(tag);
    options.setInput(&arrivedNs, 1);
    options.setOutput(m_arrivals.data(), m_arrivals.size());
    gloo::allgather(options);
    const std::int64_t now = monotonicNs();
    const std::int64_t last = *std::max_element(m_arrivals.begin(), m_arrivals.end());
    return m_options.oneClock && last >= arrivedNs && last <= now ? last : now;
}

// Gathers the values of all ranks and sums them locally along a binary tree, which gives the same bits on all ranks. A
// ring would add each part of the buffer in a different order.
void GlooCommunicator::reduceInTree(CollectiveKind kind, CommBuffer buffer) {
    const auto ranks = static_cast<std::size_t>(m_size);
    m_gathered.resize(ranks * buffer.count);
    const CommBuffer all = CommBuffer::of(std::span(m_gathered));
    runCollective(kind, buffer, [&](std::uint32_t tag) {
        if (buffer.count == 0) return;
        gloo::AllgatherOptions options(m_context);
        options.setTag(tag);
        options.setInput(bytesOf(buffer), buffer.bytes());
        options.setOutput(bytesOf(all), all.bytes());
        gloo::allgather(options);
        std::vector<const std::byte*> sources(ranks);
        for (std::size_t rank = 0; rank < ranks; ++rank)
            sources[rank] = reinterpret_cast<const std::byte*>(m_gathered.data() + rank * buffer.count);
        reduceSources(buffer.type, ReduceOp::kTreeSum, static_cast<std::byte*>(buffer.data), sources, buffer.count);
    });
}

void GlooCommunicator::reduceNow(CollectiveKind kind, CommBuffer buffer, ReduceOp op) {
    if (op == ReduceOp::kTreeSum) return reduceInTree(kind, buffer);
    runCollective(kind, buffer, [&](std::uint32_t tag) {
        if (buffer.count == 0) return;
        gloo::AllreduceOptions options(m_context);
        options.setTag(tag);
        RINGSIDE_ASSERT(op != ReduceOp::kTreeSum);
        auto reduce = [type = buffer.type, op](void* out, const void* left, const void* right, std::size_t count) {
            std::array sources{static_cast<const std::byte*>(left), static_cast<const std::byte*>(right)};
            reduceSources(type, op, static_cast<std::byte*>(out), sources, count);
        };
        options.setReduceFunction(reduce);
        switch (sizeOf(buffer.type)) {
            case 1:
                options.setOutput(static_cast<std::uint8_t*>(buffer.data), buffer.count);
                break;
            case 4:
                options.setOutput(static_cast<std::uint32_t*>(buffer.data), buffer.count);
                break;
            default:
                options.setOutput(static_cast<std::uint64_t*>(buffer.data), buffer.count);
                break;
        }
        gloo::allreduce(options);
    });
}

std::vector<LinkStatistics> GlooCommunicator::links() {
    std::vector<LinkStatistics> all = m_links ? m_links->statistics() : std::vector<LinkStatistics>();
    for (LinkStatistics& link : all) link.peer = rankInRun(link.peer);
    return all;
}

// Stops the background thread that transfers messages, unless messages are in progress: these must advance while the
// caller computes. A collective does not need the thread, because the thread that waits for the collective transfers
// the bytes itself, which is faster.
void GlooCommunicator::stopBackgroundThread() {
    if (m_messages.empty()) m_links->setBackgroundTransfer(false);
}

// Prepares a collective or message that runs in the caller's thread: waits for queued collectives and stores whether
// the collective is traced.
void GlooCommunicator::beginCollective() {
    const std::int64_t readyNs = activeTrace() != nullptr ? monotonicNs() : 0;
    m_queue.waitUntilEmpty();
    stopBackgroundThread();
    m_traced = activeTrace();
    m_readyNs = readyNs;
}

// Queues a collective. Whether it is traced is decided here, in the calling thread, because all ranks queue the same
// collectives and therefore decide in the same way.
std::int64_t GlooCommunicator::enqueue(QueuedCollective job) {
    job.trace = activeTrace();
    if (job.trace != nullptr) job.readyNs = monotonicNs();
    return m_queue.push(job);
}

void GlooCommunicator::allReduce(CommBuffer buffer, ReduceOp op) {
    const WaitScope waiting(trace());
    beginCollective();
    reduceNow(CollectiveKind::kAllReduce, buffer, op);
}

CommHandle GlooCommunicator::allReduceAsync(CommBuffer buffer, ReduceOp op) {
    stopBackgroundThread();
    return {*this, enqueue({CollectiveKind::kAllReduce, buffer, buffer, op})};
}

CommHandle GlooCommunicator::allGatherAsync(CommBuffer in, CommBuffer out) {
    stopBackgroundThread();
    return {*this, enqueue({CollectiveKind::kAllGather, in, out})};
}

CommHandle GlooCommunicator::reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op) {
    stopBackgroundThread();
    return {*this, enqueue({CollectiveKind::kReduceScatter, in, out, op})};
}

void GlooCommunicator::runQueued(const QueuedCollective& job) {
    m_traced = job.trace;
    m_readyNs = job.readyNs;
    if (job.kind == CollectiveKind::kAllGather) return gatherNow(job.in, job.out);
    if (job.kind == CollectiveKind::kReduceScatter) return scatterNow(job.in, job.out, job.op);
    reduceNow(job.kind, job.in, job.op);
}

void GlooCommunicator::waitFor(std::int64_t ticket) {
    const WaitScope waiting(trace());
    if (ticket < 0) return finishMessagesUpTo(-ticket);
    m_queue.waitFor(ticket);
}

// Gives each group its own connections, so that messages of one group never queue behind those of another group.
std::unique_ptr<Communicator> GlooCommunicator::split(int colour, int key, GroupUse) {
    const GroupMembers members = membersOf(gatherGroupRequests(*this, {colour, key}), m_rank);
    const int number = ++m_splits;
    if (members.ranks.empty()) return nullptr;
    Group group;
    group.prefix = m_group.prefix + "group/" + std::to_string(number) + "." + std::to_string(colour) + "/";
    for (const int rank : members.ranks) group.ranksInRun.push_back(rankInRun(rank));
    group.traceNumber = std::int64_t{number} << 16 | (colour + 1);
    auto made = std::make_unique<GlooCommunicator>(m_store, members.own, std::move(group), m_options);
    made->setTrace(trace());
    return made;
}

// Gloo has no reduce-scatter. This function all-reduces a copy and keeps the part of the result that belongs to this
// rank.
void GlooCommunicator::reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) {
    RINGSIDE_ASSERT(in.type == out.type && in.count == out.count * static_cast<std::size_t>(m_size));
    const WaitScope waiting(trace());
    beginCollective();
    scatterNow(in, out, op);
}

void GlooCommunicator::scatterNow(CommBuffer in, CommBuffer out, ReduceOp op) {
    std::vector<std::uint64_t> copy((in.bytes() + 7) / 8);
    if (in.bytes() > 0) std::memcpy(copy.data(), in.data, in.bytes());
    reduceNow(CollectiveKind::kReduceScatter, {copy.data(), in.count, in.type}, op);
    const auto* block =
        reinterpret_cast<const std::byte*>(copy.data()) + static_cast<std::size_t>(m_rank) * out.bytes();
    if (out.bytes() > 0) std::memcpy(out.data, block, out.bytes());
}

void GlooCommunicator::broadcast(CommBuffer buffer, int root) {
    RINGSIDE_ASSERT(root >= 0 && root < m_size);
    const WaitScope waiting(trace());
    beginCollective();
    runCollective(CollectiveKind::kBroadcast, buffer, [&](std::uint32_t tag) {
        if (buffer.count == 0) return;
        gloo::BroadcastOptions options(m_context);
        options.setTag(tag);
        options.setRoot(root);
        options.setOutput(bytesOf(buffer), buffer.bytes());
        gloo::broadcast(options);
    });
}

void GlooCommunicator::allGather(CommBuffer in, CommBuffer out) {
    RINGSIDE_ASSERT(out.bytes() == in.bytes() * static_cast<std::size_t>(m_size));
    const WaitScope waiting(trace());
    beginCollective();
    gatherNow(in, out);
}

void GlooCommunicator::gatherNow(CommBuffer in, CommBuffer out) {
    if (m_size == 1 && in.bytes() > 0) std::memmove(out.data, in.data, in.bytes());
    runCollective(CollectiveKind::kAllGather, in, [&](std::uint32_t tag) {
        if (in.count == 0) return;
        gloo::AllgatherOptions options(m_context);
        options.setTag(tag);
        // Sets no input for an operation in place: Gloo's all-gather then uses the part of `out` that belongs to this
        // rank.
        if (bytesOf(in) != bytesOf(out) + static_cast<std::size_t>(m_rank) * in.bytes())
            options.setInput(bytesOf(in), in.bytes());
        options.setOutput(bytesOf(out), out.bytes());
        gloo::allgather(options);
    });
}

void GlooCommunicator::barrierWithin(milliseconds timeout) {
    const WaitScope waiting(trace());
    beginCollective();
    runCollective(CollectiveKind::kBarrier, {}, [&](std::uint32_t tag) {
        gloo::BarrierOptions options(m_context);
        options.setTag(tag);
        options.setTimeout(timeout);
        gloo::barrier(options);
    });
}

// Calls `call`, which sends or receives a message or starts to send or receive one, and converts the errors of `call`
// to CommError. A message consists of its size in bytes and its bytes; messages between two ranks keep their order.
void GlooCommunicator::runPointToPoint(int peer, const std::string& what, const std::function<void()>& call) {
    if (peer < 0 || peer >= m_size || peer == m_rank) {
        throw CommError(what + " is not possible: rank " + std::to_string(peer) +
                        " is this rank itself or not one of the " + std::to_string(m_size) + " ranks of the group");
    }
    const WaitScope waiting(trace());
    beginCollective();
    runGuarded(what, call);
}

// Starts to transfer both parts of a message, size and bytes, at once, so that the background thread transfers them
// while the caller computes.
CommHandle GlooCommunicator::startMessage(CommBuffer buffer, int peer, bool isSend) {
    runPointToPoint(peer, isSend ? "starting a send" : "starting a receive", [&] {
        Message message{buffer, peer, isSend, std::make_unique<std::uint64_t>(buffer.bytes())};
        message.header = m_context->createUnboundBuffer(message.bytes.get(), sizeof(std::uint64_t));
        if (buffer.bytes() > 0) message.body = m_context->createUnboundBuffer(buffer.data, buffer.bytes());
        for (auto* part : {message.header.get(), message.body.get()}) {
            if (!part) continue;
            if (isSend)
                part->send(peer, kMessageSlot);
            else
                part->recv(peer, kMessageSlot);
        }
        if (isSend) countMessage(buffer);
        m_messages.push_back(std::move(message));
        m_links->setBackgroundTransfer(true);
    });
    return {*this, -(m_finishedMessages + static_cast<std::int64_t>(m_messages.size()))};
}

CommHandle GlooCommunicator::sendAsync(CommBuffer buffer, int to) {
    return startMessage(buffer, to, true);
}

CommHandle GlooCommunicator::recvAsync(CommBuffer buffer, int from) {
    return startMessage(buffer, from, false);
}

void GlooCommunicator::finishMessagesUpTo(std::int64_t count) {
    while (m_finishedMessages < count) {
        Message message = std::move(m_messages.front());
        m_messages.pop_front();
        ++m_finishedMessages;
        const std::string values = describeValues(message.buffer.type, message.buffer.count);
        const std::string peer = rankText(message.peer);
        runGuarded(message.isSend ? "the send of " + values + " to " + peer : "the recv of " + values + " from " + peer,
                   [&] { finishMessage(message); });
    }
}

void GlooCommunicator::finishMessage(Message& message) {
    for (auto* part : {message.header.get(), message.body.get()}) {
        if (!part) continue;
        if (message.isSend)
            part->waitSend(m_options.timeout);
        else
            part->waitRecv(m_options.timeout);
        if (*message.bytes == message.buffer.bytes()) continue;
        abort();
        throw CommError(rankText(message.peer) + " sent " + std::to_string(*message.bytes) + " bytes where " +
                            rankText(m_rank) + " expects " + std::to_string(message.buffer.bytes()) +
                            ": send and recv must use the same size",
                        rankInRun(message.peer));
    }
}

void GlooCommunicator::send(CommBuffer buffer, int to) {
    finishMessagesUpTo(m_finishedMessages + static_cast<std::int64_t>(m_messages.size()));
    countMessage(buffer);
    std::string what = "the send of " + describeValues(buffer.type, buffer.count) + " to rank " + std::to_string(to);
    runPointToPoint(to, what, [&] {
        std::uint64_t bytes = buffer.bytes();
        auto header = m_context->createUnboundBuffer(&bytes, sizeof bytes);
        header->send(to, kMessageSlot);
        header->waitSend(m_options.timeout);
        if (bytes == 0) return;
        auto body = m_context->createUnboundBuffer(buffer.data, bytes);
        body->send(to, kMessageSlot);
        body->waitSend(m_options.timeout);
    });
}

void GlooCommunicator::recv(CommBuffer buffer, int from) {
    finishMessagesUpTo(m_finishedMessages + static_cast<std::int64_t>(m_messages.size()));
    std::string what =
        "the recv of " + describeValues(buffer.type, buffer.count) + " from rank " + std::to_string(from);
    runPointToPoint(from, what, [&] {
        std::uint64_t bytes = 0;
        auto header = m_context->createUnboundBuffer(&bytes, sizeof bytes);
        header->recv(from, kMessageSlot);
        header->waitRecv(m_options.timeout);
        if (bytes != buffer.bytes()) {
            abort();
            throw CommError("rank " + std::to_string(from) + " sent " + std::to_string(bytes) + " bytes where rank " +
                                std::to_string(m_rank) + " expects " + std::to_string(buffer.bytes()) +
                                ": send and recv must use the same size",
                            from);
        }
        if (bytes == 0) return;
        auto body = m_context->createUnboundBuffer(buffer.data, bytes);
        body->recv(from, kMessageSlot);
        body->waitRecv(m_options.timeout);
    });
}

bool glooAvailable() {
    return true;
}

std::unique_ptr<Communicator> makeGlooCommunicator(std::shared_ptr<Store> store, int rank, int worldSize,
                                                   CommOptions options) {
    return std::make_unique<GlooCommunicator>(std::move(store), rank, worldSize, options);
}

}  // namespace ringside
