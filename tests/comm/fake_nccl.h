// SPDX-License-Identifier: Apache-2.0
// Fake NCCL on a fake GPU. It records every call.
#pragma once

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "comm/nccl/nccl_communicator.h"
#include "support/fake_gpu.h"

namespace ringside::testing {

// Behaves as if all ranks had the same data as this one: a sum of floats is `size` times the input.
class FakeNccl final : public NcclApi {
  public:
    explicit FakeNccl(std::shared_ptr<FakeDevice> device) : m_device(std::move(device)) {}

    int version() override { return libraryVersion; }
    NcclResult getUniqueId(NcclUniqueId& id) override {
        id.bytes.fill('u');
        return note("getUniqueId");
    }
    NcclResult commInitRank(NcclComm& comm, int size, const NcclUniqueId& id, int) override {
        joinedWith = id;
        if (breaksByRefusing) asyncError = NcclResult::kSuccess;  // clears the error of the previous communicator
        m_size = size;
        comm = initGivesComm ? this : nullptr;
        return note("commInitRank");
    }
    // Returns success although the split is in progress, as NCCL 2.28 does: `made` is set when the parent has answered
    // "in progress" splitInProgressFor times.
    NcclResult commSplit(NcclComm, int colour, int, NcclComm& made) override {
        made = nullptr;
        m_splitGroup = colour < 0 || !splitGivesComm ? nullptr : &made;
        inProgressFor += splitInProgressFor;
        return note("commSplit " + std::to_string(colour));
    }
    NcclResult commGetAsyncError(NcclComm comm, NcclResult& state) override {
        if (!comm) {
            detail = "ncclGetAsyncError : comm argument is NULL";
            return NcclResult::kInvalidArgument;
        }
        state = asyncError;
        if (inProgressFor > 0) {
            --inProgressFor;
            state = NcclResult::kInProgress;
        } else if (m_splitGroup) {
            *std::exchange(m_splitGroup, nullptr) = this;
        }
        return NcclResult::kSuccess;
    }
    std::string lastError(NcclComm) override { return detail; }
    NcclResult commFinalize(NcclComm) override { return note("commFinalize"); }
    NcclResult commDestroy(NcclComm) override { return note("commDestroy"); }
    NcclResult commAbort(NcclComm) override {
        std::unique_lock lock(m_mutex);
        m_released.wait(lock, [this] { return !abortHangs; });
        aborts.fetch_add(1);
        return NcclResult::kSuccess;
    }
    void releaseAbort() {
        std::lock_guard lock(m_mutex);
        abortHangs = false;
        m_released.notify_all();
    }

    NcclResult groupStart() override { return note("groupStart"); }
    NcclResult groupEnd() override { return note("groupEnd"); }
    NcclResult allReduce(const void* in, void* out, std::size_t count, CommType type, ReduceOp op, NcclComm,
                         DeviceStream stream) override {
        return run("allReduce", stream, [=, this] {
            if (type != CommType::kFloat32) return std::memmove(out, in, count * sizeOf(type)), void();
            for (std::size_t i = 0; i < count; ++i)
                static_cast<float*>(out)[i] =
                    static_cast<const float*>(in)[i] * (op == ReduceOp::kSum ? static_cast<float>(m_size) : 1.0F);
        });
    }
    NcclResult broadcast(void*, std::size_t, CommType, int, NcclComm, DeviceStream stream) override {
        return run("broadcast", stream, [] {});
    }
    NcclResult allGather(const void* in, void* out, std::size_t count, CommType type, NcclComm,
                         DeviceStream stream) override {
        return run("allGather", stream, [=, this] {
            for (int rank = 0; rank < m_size; ++rank)
                std::memcpy(static_cast<char*>(out) + static_cast<std::size_t>(rank) * count * sizeOf(type), in,
                            count * sizeOf(type));
        });
    }
    NcclResult reduceScatter(const void* in, void* out, std::size_t count, CommType type, ReduceOp, NcclComm,
                             DeviceStream stream) override {
        return run("reduceScatter", stream, [=] { std::memcpy(out, in, count * sizeOf(type)); });
    }
    NcclResult send(const void*, std::size_t, CommType, int to, NcclComm, DeviceStream stream) override {
        return run("send to " + std::to_string(to), stream, [] {});
    }
    NcclResult recv(void* data, std::size_t count, CommType type, int from, NcclComm, DeviceStream stream) override {
        return run("recv from " + std::to_string(from), stream, [=] { std::memset(data, 7, count * sizeOf(type)); });
    }

    std::vector<std::string> calls;
    std::map<std::string, NcclResult> answers;  // result of each call by its name; calls that are not listed succeed
    NcclResult asyncError = NcclResult::kSuccess;
    int inProgressFor = 0;       // number of queries of the state that answer "in progress"
    int splitInProgressFor = 3;  // number of such answers after a split
    bool splitGivesComm = true;  // false: commSplit() succeeds but returns no communicator
    bool stalled = false;        // true: collectives never finish
    bool refusesRecording = false;
    bool breaksByRefusing = false;
    bool initGivesComm = true;
    bool abortHangs = false;
    std::atomic<int> aborts{0};
    int libraryVersion = 22809;
    std::string detail;
    NcclUniqueId joinedWith;

  private:
    NcclResult note(const std::string& call) {
        calls.push_back(call);
        const auto answer = answers.find(call);
        return answer == answers.end() ? NcclResult::kSuccess : answer->second;
    }
    NcclResult run(const std::string& call, DeviceStream stream, std::function<void()> work) {
        if (refusesRecording && m_device->isRecording()) {
            if (breaksByRefusing) asyncError = NcclResult::kInternalError;
            return NcclResult::kInvalidUsage;
        }
        const NcclResult result = note(call);
        if (result == NcclResult::kSuccess || result == NcclResult::kInProgress)
            m_device->enqueue(
                stream, [this] { return !stalled; }, std::move(work));
        return result;
    }

    std::shared_ptr<FakeDevice> m_device;
    int m_size = 0;
    NcclComm* m_splitGroup = nullptr;  // communicator that the split in progress sets at its end
    std::mutex m_mutex;
    std::condition_variable m_released;
};

class FakeStore final : public Store {
  public:
    void set(const std::string& key, const std::vector<char>& value) override { values[key] = value; }
    std::vector<char> get(const std::string& key, std::chrono::milliseconds) override {
        if (!values.count(key)) throw CommError("no rank has set " + key);
        return values[key];
    }
    std::map<std::string, std::vector<char>> values;
};

}  // namespace ringside::testing
