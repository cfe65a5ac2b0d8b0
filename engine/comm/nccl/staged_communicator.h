// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/time/clock.h"
#include "comm/communicator.h"
#include "tensor/gpu_runtime.h"

namespace ringside {

// Dependencies of a StagedCommunicator.
struct StagedDependencies {
    std::unique_ptr<Communicator> host;  // communicator for host memory: Gloo
    std::shared_ptr<GpuRuntime> device;
    std::shared_ptr<const Clock> clock;
};

// Options of a StagedCommunicator.
struct StagedOptions {
    DeviceStream computeStream = nullptr;       // stream of the computations of this rank; collectives run after its
                                                // earlier work
    std::chrono::milliseconds deadline{30000};  // timeout of the copies
};

// Collectives on device memory, through page-locked host memory and a communicator for host memory. Slower than NCCL,
// but works where NCCL does not. Collectives block until their result is in place. Buffers in host memory are passed to
// that communicator without a copy.
class StagedCommunicator final : public Communicator {
  public:
    StagedCommunicator(StagedDependencies dependencies, const StagedOptions& options);
    ~StagedCommunicator() override;

    int rank() const override { return m_dependencies.host->rank(); }
    int size() const override { return m_dependencies.host->size(); }
    std::string name() const override { return m_dependencies.host->name(); }
    std::unique_ptr<Communicator> split(int colour, int key, GroupUse use) override;

    void allReduce(CommBuffer buffer, ReduceOp op) override;
    CommHandle allReduceAsync(CommBuffer buffer, ReduceOp op) override;
    void broadcast(CommBuffer buffer, int root) override;
    void allGather(CommBuffer in, CommBuffer out) override;
    void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) override;
    void send(CommBuffer buffer, int to) override;
    void recv(CommBuffer buffer, int from) override;
    void barrier() override { m_dependencies.host->barrier(); }
    CommHandle sendAsync(CommBuffer buffer, int to) override;
    CommHandle recvAsync(CommBuffer buffer, int from) override;
    std::int64_t bytesSent() const override { return m_dependencies.host->bytesSent(); }
    void barrierWithoutTimeout() override { m_dependencies.host->barrierWithoutTimeout(); }
    void abort() override { m_dependencies.host->abort(); }
    void setTrace(CollectiveTrace* trace) override { m_dependencies.host->setTrace(trace); }
    std::int64_t collectiveNumber() const override { return m_dependencies.host->collectiveNumber(); }
    std::span<float> allocate(std::size_t count) override;  // returns device memory

  protected:
    void waitFor(std::int64_t ticket) override;

  private:
    // Page-locked memory that grows on demand.
    struct Staging {
        void* memory = nullptr;
        std::size_t bytes = 0;
    };
    // A message in progress, with its own staging memory until it is complete.
    struct Message {
        CommHandle handle;
        CommBuffer buffer;
        Staging staging;
        bool isSend = false;
    };
    Staging takeStaging(std::size_t bytes);
    bool isOnDevice(CommBuffer buffer) const;
    void reserve(Staging& staging, std::size_t bytes);
    CommBuffer copyToHost(CommBuffer buffer, Staging& staging, bool withContent);
    void copyToDevice(CommBuffer buffer, const Staging& staging);
    void waitForCopies(const char* doing);

    StagedDependencies m_dependencies;
    StagedOptions m_options;
    DeviceStream m_stream = nullptr;
    DeviceEvent m_event = nullptr;
    Staging m_in;
    Staging m_out;
    std::deque<Message> m_messages;
    std::int64_t m_finishedMessages = 0;
    std::vector<Staging> m_freeStaging;
    std::vector<void*> m_memory;
};

}  // namespace ringside
