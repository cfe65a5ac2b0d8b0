// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "base/time/clock.h"
#include "comm/nccl/nccl_api.h"
#include "comm/nccl/nccl_operation.h"
#include "comm/store.h"
#include "tensor/gpu_runtime.h"

namespace ringside {

// In the environment, "off": no step is recorded as a CUDA graph.
inline constexpr const char* kGraphsVariable = "RINGSIDE_CUDA_GRAPHS";

struct NcclDeadlines {
    std::chrono::milliseconds collective{30000};
    std::chrono::milliseconds connect{60000};  // NCCL probes the topology first: seconds on big machines
    std::chrono::milliseconds abort{5000};     // an abort may hang itself; then it is left behind
};

// One non-blocking NCCL communicator and its death: NCCL has no timeouts, so every wait here polls its asynchronous
// error, an abort request and a deadline. The first failure begins NCCL's abort and throws CommError, or DeviceError
// when it was the GPU's; so does everything after it. One thread, except requestAbort().
class NcclConnection {
  public:
    NcclConnection(std::shared_ptr<NcclApi> api, std::shared_ptr<GpuRuntime> device, std::shared_ptr<const Clock> clock,
                   int rank, int size, NcclDeadlines deadlines);
    // The orderly end (finalize, then destroy), or that of the abort. Recordings have gone before, or both wait for
    // them.
    ~NcclConnection();
    NcclConnection(const NcclConnection&) = delete;
    NcclConnection& operator=(const NcclConnection&) = delete;

    // Rank 0 publishes NCCL's unique id and version in the store, the others compare and join.
    void connect(Store& store);
    // The connection of the group of this rank's colour, in which it is `rank` of `size`; null for a colour below 0.
    // All ranks come.
    std::unique_ptr<NcclConnection> split(int colour, int key, int rank, int size);
    // Whether refusing to be recorded left NCCL with an error of its own, as its non-blocking communicators may have.
    bool brokeByRecording();
    // A new communicator in place of that one; nothing of it may be under way. Every rank has to come.
    void connectAgain(Store& store);

    NcclApi& api() { return *m_api; }
    NcclComm comm() const { return m_comm; }
    int rank() const { return m_rank; }
    int size() const { return m_size; }
    bool alive() const { return m_comm != nullptr; }

    // Takes a call's result: waits while it is in progress, fails on an error.
    void settle(NcclResult result, const NcclOperation& operation);
    // The same while a step is recorded: NCCL's refusal is a CommError and leaves the connection alone, for nothing has
    // run. If it broke NCCL, brokeByRecording() and the next check say so.
    void settleRecorded(NcclResult result, const NcclOperation& operation);
    // Fails when NCCL reports an asynchronous error, an abort was requested or the connection is dead.
    void check(const NcclOperation& operation);
    // Polls until done() or fails; the deadline counts from now.
    void waitUntil(const std::function<bool()>& done, const NcclOperation& operation);
    void waitHoweverLong(const std::function<bool()>& done, const NcclOperation& operation);  // without a deadline
    // The operation outlasted its deadline.
    [[noreturn]] void failLate(const NcclOperation& operation);

    // Any thread: the next check fails. NCCL itself is aborted by the thread that operates it, never under its feet.
    void requestAbort() noexcept { m_abortRequested = true; }

  private:
    void shareUniqueId(Store& store, NcclUniqueId& id);
    std::string wayOutOfRecording() const;  // behind an error that it may have caused
    NcclResult asyncState();
    NcclResult waitWhileInProgress(const NcclOperation& operation, std::chrono::milliseconds limit);
    [[noreturn]] void fail(const std::string& text);
    [[noreturn]] void failBy(NcclResult result, const NcclOperation& operation);
    [[noreturn]] void throwCause() const;
    void beginAbort() noexcept;
    bool awaitAbort() const;  // false: it hangs and is left behind
    void finish();

    std::shared_ptr<NcclApi> m_api;  // shared with an abort that hangs and outlives us
    std::shared_ptr<GpuRuntime> m_device;
    std::shared_ptr<const Clock> m_clock;
    int m_rank;
    int m_size;
    NcclDeadlines m_deadlines;
    NcclComm m_comm = nullptr;
    std::future<void> m_aborted;
    std::string m_causeOfDeath;
    bool m_gpuFailed = false;  // that is the cause
    bool m_refusedRecording = false;
    int m_connected = 0;  // times
    std::atomic<bool> m_abortRequested{false};
};

}  // namespace ringside
