// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "base/errors/errors.h"
#include "base/time/clock.h"
#include "comm/nccl/nccl_api.h"
#include "comm/nccl/nccl_operation.h"
#include "comm/store.h"
#include "tensor/gpu_runtime.h"

namespace ringside {

// Environment variable whose value "off" disables the recording of steps as CUDA graphs.
inline constexpr const char* kGraphsVariable = "RINGSIDE_CUDA_GRAPHS";

// Timeouts of an NcclConnection.
struct NcclDeadlines {
    std::chrono::milliseconds collective{30000};
    std::chrono::milliseconds connect{60000};  // timeout of connecting; NCCL probes the topology first, which takes
                                               // seconds on big machines
    std::chrono::milliseconds abort{5000};     // time after which the process no longer waits for an abort that hangs
};

// One non-blocking NCCL communicator, from connecting to its end. NCCL has no timeouts, so every wait polls NCCL's
// asynchronous error, the abort request and the timeout. The first failure starts the abort of NCCL and throws
// CommError, or DeviceError if the GPU failed; all later calls throw the same error. Used by one thread, except
// requestAbort().
class NcclConnection {
  public:
    NcclConnection(std::shared_ptr<NcclApi> api, std::shared_ptr<GpuRuntime> device, std::shared_ptr<const Clock> clock,
                   int rank, int size, NcclDeadlines deadlines);
    // Finalises and destroys the communicator or, after a failure, waits for its abort. CUDA graphs that contain its
    // collectives must be destroyed first, because both ncclCommDestroy() and ncclCommAbort() wait for them.
    ~NcclConnection();
    NcclConnection(const NcclConnection&) = delete;
    NcclConnection& operator=(const NcclConnection&) = delete;

    // Connects all ranks. Rank 0 publishes the unique id and the version of NCCL in the store; the others compare the
    // version and join.
    void connect(Store& store);
    // Creates the connection of the group of this colour, in which this rank is `rank` of `size`; null for a negative
    // colour. Collective over all ranks.
    std::unique_ptr<NcclConnection> split(int colour, int key, int rank, int size);
    // True if NCCL has an asynchronous error because one of its calls could not be recorded into a CUDA graph.
    // Non-blocking communicators can have such an error.
    bool wasBrokenByRecording();
    // Replaces the communicator with a new one. No operation may be in progress. Collective over all ranks.
    void connectAgain(Store& store);

    NcclApi& api() { return *m_api; }
    NcclComm comm() const { return m_comm; }
    int rank() const { return m_rank; }
    int size() const { return m_size; }
    bool isUsable() const { return m_comm != nullptr; }

    // Sets the function that is called if the connection ends while NCCL's abort hangs. Freeing GPU memory would then
    // block forever, so the function should end the process. Its argument is the failure that started the abort. Groups
    // that are split off later use the same function.
    void setOnHungAbort(std::function<void(const Error& cause)> callback) { m_onHungAbort = std::move(callback); }

    // Waits while a call that returned `result` is in progress, and throws if it failed.
    void waitForResult(NcclResult result, const NcclOperation& operation);
    // Handles the result of a call of NCCL while a CUDA graph is recorded. A refusal by NCCL throws CommError and keeps
    // the connection, because no kernel has run. If the refusal broke NCCL, wasBrokenByRecording() and the next
    // throwIfFailed() report it.
    void checkRecordedCall(NcclResult result, const NcclOperation& operation);
    // Throws if NCCL reports an asynchronous error, an abort was requested or the connection has failed.
    void throwIfFailed(const NcclOperation& operation);
    // Polls until done() returns true. Throws on a failure, or when the timeout has passed since the start of this
    // call.
    void waitUntil(const std::function<bool()>& done, const NcclOperation& operation);
    void waitWithoutTimeout(const std::function<bool()>& done, const NcclOperation& operation);
    // Starts the abort and throws a CommError which states that `operation` exceeded its timeout.
    [[noreturn]] void failForTimeout(const NcclOperation& operation);

    // Makes the next throwIfFailed() throw. Callable from any thread. The thread that uses NCCL starts the abort, so
    // that NCCL is never aborted during one of its calls.
    void requestAbort() noexcept { m_abortRequested = true; }

  private:
    void shareUniqueId(Store& store, NcclUniqueId& id);
    std::string recordingRemedy() const;  // returns advice to append to an error that the recording of a CUDA graph may
                                          // have caused
    NcclResult asyncState();
    void finishSplit(NcclResult started, NcclConnection& waiting, const NcclOperation& splitting);
    NcclResult waitWhileInProgress(const NcclOperation& operation, std::chrono::milliseconds limit);
    [[noreturn]] void fail(const std::string& text);
    [[noreturn]] void failWithResult(NcclResult result, const NcclOperation& operation);
    [[noreturn]] void throwCause() const;
    void beginAbort() noexcept;
    bool waitForAbort() const;  // blocks until the abort has ended; returns false if the abort hangs
    void endAfterAbort();       // blocks until the abort has ended; calls the function of setOnHungAbort() if it hangs
    void finish();

    std::shared_ptr<NcclApi> m_api;  // NCCL's functions, shared with an abort that hangs and outlives this object
    std::shared_ptr<GpuRuntime> m_device;
    std::shared_ptr<const Clock> m_clock;
    int m_rank;
    int m_size;
    NcclDeadlines m_deadlines;
    NcclComm m_comm = nullptr;
    std::future<void> m_aborted;
    std::string m_causeOfDeath;
    bool m_gpuFailed = false;  // true if the GPU caused the failure
    std::function<void(const Error& cause)> m_onHungAbort;
    bool m_refusedRecording = false;
    int m_connected = 0;  // number of times connect() succeeded
    std::atomic<bool> m_abortRequested{false};
};

}  // namespace ringside
