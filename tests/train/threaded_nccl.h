// SPDX-License-Identifier: Apache-2.0
// Fake NCCL between ranks that are threads, on fake GPUs. Collectives run on their streams as on a GPU, in any order
// between the streams, and give the same results as the communicator of threads.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "comm/nccl/nccl_communicator.h"
#include "comm/store.h"
#include "support/fake_gpu.h"

namespace ringside::test {

// Fake GPU whose work continues while the host waits. Its clock does not advance, so nothing times out.
class ThreadedGpu : public testing::FakeDevice {
  public:
    // isAllDevice: every buffer counts as device memory. Otherwise only allocated memory does, and collectives on other
    // buffers are copied through the device.
    explicit ThreadedGpu(bool isAllDevice)
        : FakeDevice(std::make_shared<testing::FakeClock>()), m_isAllDevice(isAllDevice) {}

    bool isHostMemory(const void* memory) override { return !m_isAllDevice && FakeDevice::isHostMemory(memory); }
    void pause() override {
        std::this_thread::yield();
        advance();
    }

  private:
    bool m_isAllDevice;
};

class ThreadedNccl final : public NcclApi {
  public:
    // `world` connects all ranks and must outlive this object.
    ThreadedNccl(std::shared_ptr<ThreadedGpu> gpu, Communicator& world) : m_gpu(std::move(gpu)), m_world(world) {}

    int version() override { return 22809; }
    NcclResult getUniqueId(NcclUniqueId&) override { return NcclResult::kSuccess; }
    NcclResult commInitRank(NcclComm& comm, int, const NcclUniqueId&, int) override {
        comm = &m_world;
        return NcclResult::kSuccess;
    }
    // Returns success although the split is in progress, as NCCL 2.28 does: `made` is set when the parent's state is
    // queried for the second time.
    NcclResult commSplit(NcclComm parent, int colour, int key, NcclComm& made) override {
        auto group = of(parent).split(colour, key, GroupUse::kCollectives);
        made = nullptr;
        m_isSplitting = true;
        if (!group) return NcclResult::kSuccess;
        m_splitGroup = &made;
        m_groups.push_back(std::move(group));
        return NcclResult::kSuccess;
    }
    NcclResult commGetAsyncError(NcclComm comm, NcclResult& state) override {
        if (!comm) return NcclResult::kInvalidArgument;
        state = std::exchange(m_isSplitting, false) ? NcclResult::kInProgress : NcclResult::kSuccess;
        if (state == NcclResult::kSuccess && m_splitGroup)
            *std::exchange(m_splitGroup, nullptr) = m_groups.back().get();
        return NcclResult::kSuccess;
    }
    std::string lastError(NcclComm) override { return {}; }
    NcclResult commFinalize(NcclComm) override { return NcclResult::kSuccess; }
    NcclResult commDestroy(NcclComm comm) override {
        std::erase_if(m_groups, [comm](const auto& group) { return group.get() == comm; });
        return NcclResult::kSuccess;
    }
    NcclResult commAbort(NcclComm comm) override {
        of(comm).abort();
        return NcclResult::kSuccess;
    }

    NcclResult groupStart() override {
        calls.push_back("groupStart");
        m_isInGroup = true;
        return NcclResult::kSuccess;
    }
    // Starts the calls of the group as one operation, as NCCL does. Sends come first, because NCCL runs all calls of a
    // group at the same time.
    NcclResult groupEnd() override {
        calls.push_back("groupEnd");
        m_isInGroup = false;
        enqueue(m_groupStream, [sends = std::exchange(m_sends, {}), group = std::exchange(m_group, {})] {
            std::vector<CommHandle> sent;
            for (const auto& one : sends) sent.push_back(one());
            for (const auto& one : group) one();
            for (const CommHandle& one : sent) one.wait();
        });
        return NcclResult::kSuccess;
    }

    NcclResult allReduce(const void* in, void* out, std::size_t count, CommType type, ReduceOp op, NcclComm comm,
                         DeviceStream stream) override {
        return run("allReduce", comm, stream, [=](Communicator& ranks) {
            if (in != out) std::memcpy(out, in, count * sizeOf(type));
            ranks.allReduce({out, count, type}, op);
        });
    }
    NcclResult broadcast(void* buffer, std::size_t count, CommType type, int root, NcclComm comm,
                         DeviceStream stream) override {
        return run("broadcast", comm, stream, [=](Communicator& ranks) {
            ranks.broadcast({buffer, count, type}, root);
        });
    }
    NcclResult allGather(const void* in, void* out, std::size_t count, CommType type, NcclComm comm,
                         DeviceStream stream) override {
        return run("allGather", comm, stream, [=](Communicator& ranks) {
            const auto size = static_cast<std::size_t>(ranks.size());
            ranks.allGather({const_cast<void*>(in), count, type}, {out, size * count, type});
        });
    }
    NcclResult reduceScatter(const void* in, void* out, std::size_t count, CommType type, ReduceOp op, NcclComm comm,
                             DeviceStream stream) override {
        return run("reduceScatter", comm, stream, [=](Communicator& ranks) {
            const auto size = static_cast<std::size_t>(ranks.size());
            ranks.reduceScatter({const_cast<void*>(in), size * count, type}, {out, count, type}, op);
        });
    }
    NcclResult send(const void* data, std::size_t count, CommType type, int to, NcclComm comm,
                    DeviceStream stream) override {
        const CommBuffer buffer{const_cast<void*>(data), count, type};
        if (!m_isInGroup) return run("send", comm, stream, [=](Communicator& ranks) { ranks.send(buffer, to); });
        calls.push_back("send");
        m_groupStream = stream;
        m_sends.push_back([comm, buffer, to] { return of(comm).sendAsync(buffer, to); });
        return NcclResult::kSuccess;
    }
    NcclResult recv(void* data, std::size_t count, CommType type, int from, NcclComm comm,
                    DeviceStream stream) override {
        return run("recv", comm, stream, [=](Communicator& ranks) { ranks.recv({data, count, type}, from); });
    }

    std::vector<std::string> calls;  // names of all calls that start work, and the bounds of groups, in order

  private:
    static Communicator& of(NcclComm comm) { return *static_cast<Communicator*>(comm); }

    NcclResult run(const char* name, NcclComm comm, DeviceStream stream, std::function<void(Communicator&)> operation) {
        calls.push_back(name);
        auto bound = [comm, operation = std::move(operation)] { operation(of(comm)); };
        if (!m_isInGroup) {
            enqueue(stream, std::move(bound));
        } else {
            m_groupStream = stream;
            m_group.push_back(std::move(bound));
        }
        return NcclResult::kSuccess;
    }
    // Enqueues an operation, which starts when it is the first of its stream and runs on a thread of its own.
    void enqueue(DeviceStream stream, std::function<void()> operation) {
        auto result = std::make_shared<std::future<void>>();
        const auto ready = [result, operation = std::move(operation)] {
            if (!result->valid()) *result = std::async(std::launch::async, operation);
            return result->wait_for(std::chrono::seconds(0)) == std::future_status::ready;
        };
        m_gpu->enqueue(stream, ready, [result] { result->get(); });
    }

    std::shared_ptr<ThreadedGpu> m_gpu;
    Communicator& m_world;
    std::vector<std::unique_ptr<Communicator>> m_groups;
    bool m_isSplitting = false;
    NcclComm* m_splitGroup = nullptr;  // communicator that the split in progress sets at its end
    bool m_isInGroup = false;
    DeviceStream m_groupStream = nullptr;
    std::vector<std::function<CommHandle()>> m_sends;  // sends of the group that is open
    std::vector<std::function<void()>> m_group;        // other calls of the group that is open
};

}  // namespace ringside::test
