// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/staged_communicator.h"

#include <algorithm>

#include "base/errors/errors.h"
#include "comm/collective_text.h"

namespace ringside {

StagedCommunicator::StagedCommunicator(StagedDependencies dependencies, const StagedOptions& options)
    : m_dependencies(std::move(dependencies)),
      m_options(options),
      m_stream(m_dependencies.device->createStream()),
      m_event(m_dependencies.device->createEvent()) {}

StagedCommunicator::~StagedCommunicator() {
    for (void* memory : m_memory) m_dependencies.device->release(memory);
    for (const Message& message : m_messages) m_freeStaging.push_back(message.staging);
    m_freeStaging.insert(m_freeStaging.end(), {m_in, m_out});
    for (const Staging& staging : m_freeStaging)
        if (staging.memory) m_dependencies.device->releaseHost(staging.memory);
    m_dependencies.device->destroyEvent(m_event);
    m_dependencies.device->destroyStream(m_stream);
}

bool StagedCommunicator::isOnDevice(CommBuffer buffer) const {
    return buffer.count > 0 && !m_dependencies.device->isHostMemory(buffer.data);
}

void StagedCommunicator::reserve(Staging& staging, std::size_t bytes) {
    if (bytes <= staging.bytes) return;
    void* larger = m_dependencies.device->allocateHost(bytes);
    if (staging.memory) m_dependencies.device->releaseHost(staging.memory);
    staging = {larger, bytes};
}

// Blocks until the copies between device and host memory are complete. The copies run after the work that computes
// their content. Throws DeviceError at the timeout.
void StagedCommunicator::waitForCopies(const char* doing) {
    GpuRuntime& device = *m_dependencies.device;
    device.record(m_event, m_stream);
    const TimePoint start = m_dependencies.clock->now();
    while (!device.finished(m_event)) {
        if (m_dependencies.clock->now() - start >= m_options.deadline)
            throw DeviceError("rank " + std::to_string(rank()) + ": the GPU did not finish " + doing + " within " +
                              describeDuration(m_options.deadline) + ": see dmesg for Xid messages");
        device.pause();
    }
}

// Returns the buffer to pass to the communicator for host memory: the buffer itself if it is host memory, else its copy
// in the staging memory.
CommBuffer StagedCommunicator::copyToHost(CommBuffer buffer, Staging& staging, bool withContent) {
    if (!isOnDevice(buffer)) return buffer;
    reserve(staging, buffer.bytes());
    if (withContent) {
        GpuRuntime& device = *m_dependencies.device;
        device.record(m_event, m_options.computeStream);
        device.streamWaits(m_stream, m_event);
        device.copy(staging.memory, buffer.data, buffer.bytes(), m_stream);
        waitForCopies("copying a collective's values to the host");
    }
    return {staging.memory, buffer.count, buffer.type};
}

void StagedCommunicator::copyToDevice(CommBuffer buffer, const Staging& staging) {
    if (!isOnDevice(buffer)) return;
    GpuRuntime& device = *m_dependencies.device;
    device.record(m_event, m_options.computeStream);
    device.streamWaits(m_stream, m_event);
    device.copy(buffer.data, staging.memory, buffer.bytes(), m_stream);
    waitForCopies("copying a collective's result to the GPU");
}

void StagedCommunicator::allReduce(CommBuffer buffer, ReduceOp op) {
    m_dependencies.host->allReduce(copyToHost(buffer, m_in, true), op);
    copyToDevice(buffer, m_in);
}

CommHandle StagedCommunicator::allReduceAsync(CommBuffer buffer, ReduceOp op) {
    if (!isOnDevice(buffer)) return m_dependencies.host->allReduceAsync(buffer, op);
    allReduce(buffer, op);
    return {};
}

void StagedCommunicator::broadcast(CommBuffer buffer, int root) {
    m_dependencies.host->broadcast(copyToHost(buffer, m_in, rank() == root), root);
    if (rank() != root) copyToDevice(buffer, m_in);
}

void StagedCommunicator::allGather(CommBuffer in, CommBuffer out) {
    const CommBuffer from = copyToHost(in, m_in, true);
    m_dependencies.host->allGather(from, copyToHost(out, m_out, false));
    copyToDevice(out, m_out);
}

void StagedCommunicator::reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) {
    const CommBuffer from = copyToHost(in, m_in, true);
    m_dependencies.host->reduceScatter(from, copyToHost(out, m_out, false), op);
    copyToDevice(out, m_out);
}

void StagedCommunicator::send(CommBuffer buffer, int to) {
    m_dependencies.host->send(copyToHost(buffer, m_in, true), to);
}

void StagedCommunicator::recv(CommBuffer buffer, int from) {
    m_dependencies.host->recv(copyToHost(buffer, m_out, false), from);
    copyToDevice(buffer, m_out);
}

std::unique_ptr<Communicator> StagedCommunicator::split(int colour, int key, GroupUse use) {
    std::unique_ptr<Communicator> host = m_dependencies.host->split(colour, key, use);
    if (!host) return nullptr;
    return std::make_unique<StagedCommunicator>(
        StagedDependencies{std::move(host), m_dependencies.device, m_dependencies.clock}, m_options);
}

StagedCommunicator::Staging StagedCommunicator::takeStaging(std::size_t bytes) {
    Staging staging;
    if (!m_freeStaging.empty()) {
        staging = m_freeStaging.back();
        m_freeStaging.pop_back();
    }
    reserve(staging, bytes);
    return staging;
}

CommHandle StagedCommunicator::sendAsync(CommBuffer buffer, int to) {
    Message message{{}, buffer, takeStaging(buffer.bytes()), true};
    message.handle = m_dependencies.host->sendAsync(copyToHost(buffer, message.staging, true), to);
    m_messages.push_back(message);
    return {*this, m_finishedMessages + static_cast<std::int64_t>(m_messages.size())};
}

CommHandle StagedCommunicator::recvAsync(CommBuffer buffer, int from) {
    Message message{{}, buffer, takeStaging(buffer.bytes()), false};
    message.handle = m_dependencies.host->recvAsync(copyToHost(buffer, message.staging, false), from);
    m_messages.push_back(message);
    return {*this, m_finishedMessages + static_cast<std::int64_t>(m_messages.size())};
}

void StagedCommunicator::waitFor(std::int64_t ticket) {
    while (m_finishedMessages < ticket) {
        const Message message = m_messages.front();
        m_messages.pop_front();
        ++m_finishedMessages;
        m_freeStaging.push_back(message.staging);
        message.handle.wait();
        if (!message.isSend) copyToDevice(message.buffer, message.staging);
    }
}

std::span<float> StagedCommunicator::allocate(std::size_t count) {
    void* memory = m_dependencies.device->allocate(std::max<std::size_t>(count, 1) * sizeof(float));
    m_memory.push_back(memory);
    return {static_cast<float*>(memory), count};
}

}  // namespace ringside
