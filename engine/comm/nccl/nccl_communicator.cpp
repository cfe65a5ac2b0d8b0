// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_communicator.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/errors/errors.h"
#include "comm/group_members.h"
#include "comm/nccl/nccl_group.h"

namespace ringside {

NcclCommunicator::NcclCommunicator(NcclDependencies dependencies, Store& store, int rank, int size, NcclOptions options)
    : m_dependencies(dependencies),
      m_options(options),
      m_store(&store),
      m_connection(std::make_unique<NcclConnection>(dependencies.api, dependencies.device, dependencies.clock, rank,
                                                    size, options.deadlines)),
      m_frontSince(dependencies.clock->now()) {
    m_connection->connect(store);
    prepareStreams();
}

NcclCommunicator::NcclCommunicator(NcclDependencies dependencies, std::unique_ptr<NcclConnection> connection,
                                   NcclOptions options, NcclCommunicator& parent)
    : m_dependencies(dependencies),
      m_options(options),
      m_store(nullptr),
      m_parent(&parent),
      m_connection(std::move(connection)),
      m_frontSince(dependencies.clock->now()) {
    prepareStreams();
    parent.m_groups.push_back(this);
}

void NcclCommunicator::prepareStreams() {
    m_stream = m_dependencies.device->createStream();
    m_computeReady = takeEvent();
    m_barrierValue = m_dependencies.device->allocate(sizeof(float));
    m_staging = std::make_unique<NcclStaging>(*m_dependencies.device, m_stream);
    m_treeSum = std::make_unique<NcclTreeSum>(*m_dependencies.api, *m_dependencies.device, m_stream);
}

// Releases the device memory, events and stream. Does not release them after a failure: freeing device memory waits for
// the GPU, which may run a collective that never ends.
NcclCommunicator::~NcclCommunicator() {
    if (m_parent) std::erase(m_parent->m_groups, this);
    if (!m_connection->isUsable()) return;
    try {
        while (!m_pending.empty()) blockUntilComplete(m_firstPending + static_cast<std::int64_t>(m_pending.size()) - 1);
    } catch (const std::exception&) {
        return;
    }
    for (void* memory : m_memory) m_dependencies.device->release(memory);
    m_staging->release();
    m_treeSum->release();
    m_dependencies.device->release(m_barrierValue);
    for (DeviceEvent event : m_freeEvents) m_dependencies.device->destroyEvent(event);
    m_dependencies.device->destroyEvent(m_computeReady);
    m_dependencies.device->destroyStream(m_stream);
}

template <class Action>
auto NcclCommunicator::runOnGpu(const NcclOperation& operation, const Action& action) const {
    try {
        return action();
    } catch (const DeviceError& error) {
        throw DeviceError("rank " + std::to_string(rank()) + ": " + operation.text() + ": " + error.what());
    }
}

DeviceEvent NcclCommunicator::takeEvent() {
    if (m_freeEvents.empty()) return m_dependencies.device->createEvent();
    DeviceEvent event = m_freeEvents.back();
    m_freeEvents.pop_back();
    return event;
}

NcclOperation NcclCommunicator::nextOperation(CollectiveKind kind, CommBuffer buffer) {
    static constexpr std::array<const char*, 5> kNames{"all-reduce", "broadcast", "all-gather", "reduce-scatter",
                                                       "barrier"};
    countCollective(kind, buffer);
    return {kNames[static_cast<std::size_t>(kind)], buffer.type, buffer.count,
            m_collective.fetch_add(1, std::memory_order_relaxed) + 1};
}

// Starts an operation and returns its ticket. While a CUDA graph is recorded, tickets count the collectives of that
// graph from 0.
std::int64_t NcclCommunicator::startOperation(const NcclOperation& operation, const Call& call) {
    m_connection->throwIfFailed(operation);
    if (!m_recording) removeFinished();
    const DeviceEvent finished = runOnGpu(operation, [&] { return enqueue(operation, call); });
    if (!m_recording) return trackOperation(finished, operation);
    m_recorded.push_back(finished);
    return static_cast<std::int64_t>(m_recorded.size()) - 1;
}

DeviceEvent NcclCommunicator::enqueue(const NcclOperation& operation, const Call& call) {
    GpuRuntime& device = *m_dependencies.device;
    device.record(m_computeReady, m_options.computeStream);
    device.streamWaits(m_stream, m_computeReady);
    const NcclResult result = call();
    if (m_recording)
        m_connection->checkRecordedCall(result, operation);
    else
        m_connection->waitForResult(result, operation);
    const DeviceEvent finished = takeEvent();
    device.record(finished, m_stream);
    return finished;
}

std::int64_t NcclCommunicator::trackOperation(DeviceEvent finished, const NcclOperation& operation) {
    if (m_pending.empty()) m_frontSince = m_dependencies.clock->now();
    m_pending.push_back({finished, operation});
    return m_firstPending + static_cast<std::int64_t>(m_pending.size()) - 1;
}

void NcclCommunicator::beginRecording() {
    RINGSIDE_ASSERT(!m_recording);
    removeFinished();  // removes finished operations now, because events cannot be queried while a CUDA graph is
                       // recorded
    m_recording = true;
    m_beforeRecording = collectiveNumber();
    m_bytesBeforeRecording = bytesSent();
    for (NcclCommunicator* group : m_groups) group->beginRecording();
}

// Removes the payload of the recorded calls from bytesSent(): countGraphLaunch() adds it at each launch of the graph.
CallsPerGraphLaunch NcclCommunicator::endRecording() {
    m_recording = false;
    m_freeEvents.insert(m_freeEvents.end(), m_recorded.begin(), m_recorded.end());
    m_recorded.clear();
    CallsPerGraphLaunch calls;
    calls.collectives = m_collective.exchange(m_beforeRecording, std::memory_order_relaxed) - m_beforeRecording;
    calls.bytes = bytesSent() - m_bytesBeforeRecording;
    countBytes(-calls.bytes);
    for (NcclCommunicator* group : m_groups) calls.groups.push_back(group->endRecording());
    if (m_store && m_connection->wasBrokenByRecording()) reconnect();
    return calls;
}

// Replaces the NCCL communicator after the recording of a CUDA graph broke it. All ranks call this function, because
// all ranks run the same version of NCCL, and the recording therefore breaks it on each rank. Kernels of earlier steps
// may still run and must finish before their communicator is destroyed.
void NcclCommunicator::reconnect() {
    while (!m_pending.empty()) {
        removeFinished();
        if (m_pending.empty()) break;
        if (m_dependencies.clock->now() - m_frontSince >= m_options.deadlines.collective)
            m_connection->failForTimeout(m_pending.front().operation);
        m_dependencies.device->pause();
    }
    m_connection->connectAgain(*m_store);
}

// Registers the collectives of a launched CUDA graph as operations in progress. They have no events of their own, so
// one event after the whole step represents all of them.
void NcclCommunicator::countGraphLaunch(const CallsPerGraphLaunch& calls) {
    m_collective.fetch_add(calls.collectives, std::memory_order_relaxed);
    countBytes(calls.bytes);
    RINGSIDE_ASSERT(calls.groups.size() == m_groups.size());
    for (std::size_t i = 0; i < m_groups.size(); ++i) m_groups[i]->countGraphLaunch(calls.groups[i]);
    if (m_parent) return;
    const NcclOperation operation{"the last collective of a launched CUDA graph", CommType::kByte, 0,
                                  collectiveNumber()};
    m_connection->throwIfFailed(operation);
    removeFinished();
    const DeviceEvent finished = takeEvent();
    m_dependencies.device->record(finished, m_options.computeStream);
    trackOperation(finished, operation);
}

void NcclCommunicator::removeFinished() {
    const auto frontHasFinished = [this] { return m_dependencies.device->finished(m_pending.front().finished); };
    while (!m_pending.empty() && runOnGpu(m_pending.front().operation, frontHasFinished)) {
        m_freeEvents.push_back(m_pending.front().finished);
        m_pending.pop_front();
        ++m_firstPending;
        m_frontSince = m_dependencies.clock->now();
    }
}

void NcclCommunicator::poll() {
    for (NcclCommunicator* group : m_groups) group->poll();
    removeFinished();
    if (m_pending.empty()) return m_connection->throwIfFailed({"waiting for operations in progress"});
    const NcclOperation& front = m_pending.front().operation;
    m_connection->throwIfFailed(front);
    if (m_dependencies.clock->now() - m_frontSince >= m_options.deadlines.collective)
        m_connection->failForTimeout(front);
}

void NcclCommunicator::waitFor(std::int64_t ticket) {
    if (m_recording)
        return m_dependencies.device->streamWaits(m_options.computeStream,
                                                  m_recorded[static_cast<std::size_t>(ticket)]);
    if (m_options.hostWaits) return blockUntilComplete(ticket);
    m_connection->throwIfFailed({"waiting for operations in progress"});
    if (ticket < m_firstPending) return;
    const Pending& pending = m_pending[static_cast<std::size_t>(ticket - m_firstPending)];
    m_dependencies.device->streamWaits(m_options.computeStream, pending.finished);
}

// Blocks the calling thread until the operation is complete. Work that is enqueued on the compute stream after this
// wait therefore runs after the operation, without waiting for an event.
void NcclCommunicator::blockUntilComplete(std::int64_t ticket) {
    if (ticket < m_firstPending) return;
    const NcclOperation operation = m_pending[static_cast<std::size_t>(ticket - m_firstPending)].operation;
    m_connection->waitUntil(
        [this, ticket] {
            removeFinished();
            return ticket < m_firstPending;
        },
        operation);
}

// True if the buffer is host memory. Always false while a CUDA graph is recorded, because the copies to and from host
// memory cannot be recorded.
bool NcclCommunicator::isOnHost(CommBuffer buffer) const {
    return !m_recording && buffer.count > 0 && m_dependencies.device->isHostMemory(buffer.data);
}

void NcclCommunicator::copyBack(CommBuffer buffer, const void* staged, const NcclOperation& operation) {
    if (staged == buffer.data) return;
    m_dependencies.device->copy(buffer.data, staged, buffer.bytes(), m_stream);
    blockUntilComplete(startOperation(operation, [] { return NcclResult::kSuccess; }));
}

// Runs a collective on host memory through device memory. `in` and `out` may be the same buffer.
void NcclCommunicator::runStaged(const NcclOperation& operation, CommBuffer in, CommBuffer out,
                                 const std::function<NcclResult(void* in, void* out)>& call) {
    m_connection->throwIfFailed(operation);
    const bool inPlace = in.data == out.data;
    const bool onHost = isOnHost(in) || isOnHost(out);
    if (!onHost) return waitFor(startOperation(operation, [&] { return call(in.data, out.data); }));

    // Completes all operations in progress first: copies between device memory and pageable memory may block inside
    // CUDA, and they would hang behind an operation that hangs.
    if (!m_pending.empty()) blockUntilComplete(m_firstPending + static_cast<std::int64_t>(m_pending.size()) - 1);
    const std::size_t outOffset = inPlace ? 0 : NcclStaging::bytesOf(in);
    m_staging->reserve(outOffset + std::max(NcclStaging::bytesOf(in), NcclStaging::bytesOf(out)));
    void* source = isOnHost(in) ? m_staging->stage(in, 0, true) : in.data;
    void* result = isOnHost(out) ? m_staging->stage(out, outOffset, false) : out.data;
    if (inPlace) result = source;
    blockUntilComplete(startOperation(operation, [&] { return call(source, result); }));
    copyBack(out, result, operation);
}

NcclResult NcclCommunicator::sumInTree(const NcclOperation& operation, CommBuffer in, CommBuffer out) {
    RINGSIDE_ASSERT(!m_recording && in.type == CommType::kFloat32);
    const NcclTreeSum::Ranks ranks{m_connection->comm(), rank(), size(), [this, &operation](NcclResult result) {
                                       m_connection->waitForResult(result, operation);
                                   }};
    const std::span values(static_cast<float*>(in.data), in.count);
    if (in.data == out.data && in.count == out.count) return m_treeSum->allReduce(values, ranks);
    return m_treeSum->reduceScatter(values, {static_cast<float*>(out.data), out.count}, ranks);
}

void NcclCommunicator::allReduce(CommBuffer buffer, ReduceOp op) {
    const NcclOperation operation = nextOperation(CollectiveKind::kAllReduce, buffer);
    runStaged(operation, buffer, buffer, [&](void* in, void* out) {
        if (op == ReduceOp::kTreeSum)
            return sumInTree(operation, {in, buffer.count, buffer.type}, {out, buffer.count, buffer.type});
        return m_dependencies.api->allReduce(in, out, buffer.count, buffer.type, op, m_connection->comm(), m_stream);
    });
}

CommHandle NcclCommunicator::allReduceAsync(CommBuffer buffer, ReduceOp op) {
    if (isOnHost(buffer)) {
        allReduce(buffer, op);
        return {};
    }
    const NcclOperation operation = nextOperation(CollectiveKind::kAllReduce, buffer);
    const std::int64_t ticket = startOperation(operation, [&] {
        if (op == ReduceOp::kTreeSum) return sumInTree(operation, buffer, buffer);
        return m_dependencies.api->allReduce(buffer.data, buffer.data, buffer.count, buffer.type, op,
                                             m_connection->comm(), m_stream);
    });
    return {*this, ticket};
}

void NcclCommunicator::broadcast(CommBuffer buffer, int root) {
    const NcclOperation operation = nextOperation(CollectiveKind::kBroadcast, buffer);
    runStaged(operation, buffer, buffer, [&](void* in, void*) {
        return m_dependencies.api->broadcast(in, buffer.count, buffer.type, root, m_connection->comm(), m_stream);
    });
}

void NcclCommunicator::allGather(CommBuffer in, CommBuffer out) {
    RINGSIDE_ASSERT(out.count == in.count * static_cast<std::size_t>(size()));
    const NcclOperation operation = nextOperation(CollectiveKind::kAllGather, in);
    runStaged(operation, in, out, [&](void* source, void* result) {
        return m_dependencies.api->allGather(source, result, in.count, in.type, m_connection->comm(), m_stream);
    });
}

void NcclCommunicator::reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) {
    RINGSIDE_ASSERT(in.count == out.count * static_cast<std::size_t>(size()));
    const NcclOperation operation = nextOperation(CollectiveKind::kReduceScatter, in);
    runStaged(operation, in, out, [&](void* source, void* result) {
        if (op == ReduceOp::kTreeSum)
            return sumInTree(operation, {source, in.count, in.type}, {result, out.count, out.type});
        return m_dependencies.api->reduceScatter(source, result, out.count, in.type, op, m_connection->comm(),
                                                 m_stream);
    });
}

CommHandle NcclCommunicator::allGatherAsync(CommBuffer in, CommBuffer out) {
    if (isOnHost(in) || isOnHost(out)) return Communicator::allGatherAsync(in, out);
    return {*this, startOperation(nextOperation(CollectiveKind::kAllGather, in), [&] {
                return m_dependencies.api->allGather(in.data, out.data, in.count, in.type, m_connection->comm(),
                                                     m_stream);
            })};
}

CommHandle NcclCommunicator::reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op) {
    if (isOnHost(in) || isOnHost(out)) return Communicator::reduceScatterAsync(in, out, op);
    const NcclOperation operation = nextOperation(CollectiveKind::kReduceScatter, in);
    return {*this, startOperation(operation, [&] {
                if (op == ReduceOp::kTreeSum) return sumInTree(operation, in, out);
                return m_dependencies.api->reduceScatter(in.data, out.data, out.count, in.type, op,
                                                         m_connection->comm(), m_stream);
            })};
}

// Starts the calls one by one if one of them cannot be part of a common NCCL group: a collective on host memory, which
// needs copies, or a sum in canonical order (ReduceOp::kTreeSum), which is an NCCL group of its own.
void NcclCommunicator::startTogether(std::span<const CollectiveCall> calls, std::vector<CommHandle>& handles) {
    const auto isAlone = [this](const CollectiveCall& call) {
        return call.op == ReduceOp::kTreeSum || isOnHost(call.in) || isOnHost(call.out);
    };
    if (calls.size() < 2 || std::ranges::any_of(calls, isAlone)) return Communicator::startTogether(calls, handles);
    NcclOperation group{.together = static_cast<int>(calls.size())};
    for (const CollectiveCall& call : calls) {
        const NcclOperation one = nextOperation(call.kind, call.in);
        group = {one.name, one.type, group.count + one.count, one.number, -1, group.together};
    }
    const std::int64_t ticket =
        startOperation(group, [&] { return callAsGroup(*m_dependencies.api, calls, m_connection->comm(), m_stream); });
    handles.push_back({*this, ticket});
}

CommHandle NcclCommunicator::sendAsync(CommBuffer buffer, int to) {
    if (isOnHost(buffer)) {
        send(buffer, to);
        return {};
    }
    countMessage(buffer);
    return {*this, startOperation({"send", buffer.type, buffer.count, 0, to}, [&] {
                return m_dependencies.api->send(buffer.data, buffer.count, buffer.type, to, m_connection->comm(),
                                                m_stream);
            })};
}

CommHandle NcclCommunicator::recvAsync(CommBuffer buffer, int from) {
    if (isOnHost(buffer)) {
        recv(buffer, from);
        return {};
    }
    return {*this, startOperation({"recv", buffer.type, buffer.count, 0, from}, [&] {
                return m_dependencies.api->recv(buffer.data, buffer.count, buffer.type, from, m_connection->comm(),
                                                m_stream);
            })};
}

// Exchanges the arguments of split() first, because NCCL provides the members of a group only after the group has been
// created.
std::unique_ptr<Communicator> NcclCommunicator::split(int colour, int key, GroupUse use) {
    const GroupMembers members = membersOf(gatherGroupRequests(*this, {colour, key}), rank());
    auto connection = m_connection->split(colour, key, members.own, static_cast<int>(members.ranks.size()));
    if (!connection) return nullptr;
    auto group = std::make_unique<NcclCommunicator>(m_dependencies, std::move(connection), m_options, *this);
    if (use == GroupUse::kMessages) {
        const NcclOperation connecting{"connecting all pairs of ranks of a group for send and recv"};
        NcclConnection& all = *group->m_connection;
        void* const memory = m_dependencies.device->allocate(sizeof(float) * static_cast<std::size_t>(group->size()));
        const std::int64_t connected = group->startOperation(connecting, [&] {
            return exchangeWithPeers(*m_dependencies.api, {memory, all.rank(), all.size()}, all.comm(),
                                     group->m_stream);
        });
        group->blockUntilComplete(connected);
        m_dependencies.device->release(memory);
    }
    return group;
}

void NcclCommunicator::send(CommBuffer buffer, int to) {
    countMessage(buffer);
    const NcclOperation operation{"send", buffer.type, buffer.count, 0, to};
    runStaged(operation, buffer, {}, [&](void* data, void*) {
        return m_dependencies.api->send(data, buffer.count, buffer.type, to, m_connection->comm(), m_stream);
    });
}

void NcclCommunicator::recv(CommBuffer buffer, int from) {
    const NcclOperation operation{"recv", buffer.type, buffer.count, 0, from};
    runStaged(operation, {}, buffer, [&](void*, void* data) {
        return m_dependencies.api->recv(data, buffer.count, buffer.type, from, m_connection->comm(), m_stream);
    });
}

// Starts an all-reduce of one value as a barrier: the all-reduce is complete only after all ranks have started it.
std::int64_t NcclCommunicator::startBarrier() {
    return startOperation(nextOperation(CollectiveKind::kBarrier, {}), [this] {
        return m_dependencies.api->allReduce(m_barrierValue, m_barrierValue, 1, CommType::kFloat32, ReduceOp::kMaximum,
                                             m_connection->comm(), m_stream);
    });
}

// Waits for the earlier operations first. Their timeouts still apply; only the barrier itself has none.
void NcclCommunicator::barrierWithoutTimeout() {
    if (!m_pending.empty()) blockUntilComplete(m_firstPending + static_cast<std::int64_t>(m_pending.size()) - 1);
    const std::int64_t ticket = startBarrier();
    const auto done = [this, ticket] {
        removeFinished();
        return ticket < m_firstPending;
    };
    m_connection->waitWithoutTimeout(done, {"barrier"});
}

std::span<float> NcclCommunicator::allocate(std::size_t count) {
    void* memory = m_dependencies.device->allocate(std::max<std::size_t>(count, 1) * sizeof(float));
    m_memory.push_back(memory);
    return {static_cast<float*>(memory), count};
}

}  // namespace ringside
