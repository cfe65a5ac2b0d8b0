// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "comm/communicator.h"

namespace ringside {

// A queued collective. For an all-reduce, which works in place, `out` equals `in`.
struct QueuedCollective {
    CollectiveKind kind = CollectiveKind::kAllReduce;
    CommBuffer in;
    CommBuffer out;
    ReduceOp op = ReduceOp::kSum;
    CollectiveTrace* trace = nullptr;  // trace of the collective; null if the step is not traced
    std::int64_t readyNs =
        0;  // time at which the collective was queued, on CLOCK_MONOTONIC; set only if the step is traced
};

// Runs collectives one after the other on its own thread, which is started when the first collective is queued. The
// queue keeps the capacity of its memory, so that it stops allocating after the first steps. push() and the waits may
// be called from any thread.
class AsyncQueue {
  public:
    using Run = std::function<void(const QueuedCollective&)>;
    explicit AsyncQueue(Run run) : m_run(std::move(run)) {}
    // Waits for the running collective and drops the collectives that are queued behind it.
    ~AsyncQueue();
    AsyncQueue(const AsyncQueue&) = delete;
    AsyncQueue& operator=(const AsyncQueue&) = delete;

    std::int64_t push(const QueuedCollective& job);  // queues the collective and returns its ticket, counted from 1
    // Blocks until the collective of this ticket has ended. Throws the error of this collective or of an earlier one;
    // after an error, the communicator is unusable.
    void waitFor(std::int64_t ticket);

    // Blocks until no collective is queued or running. Throws no error of a collective: waitFor() reports these.
    void waitUntilEmpty();

    // True if no collective is queued or running.
    bool isIdle() const;

  private:
    void runQueue();
    void finishFront(std::exception_ptr error);

    Run m_run;
    mutable std::mutex m_mutex;
    std::condition_variable m_added;
    std::condition_variable m_finished;
    std::vector<QueuedCollective> m_jobs;  // queued collectives; the first entry is the running one
    std::int64_t m_done = 0;               // number of collectives that have ended
    std::int64_t m_failed = 0;
    std::exception_ptr m_error;  // error of the first failed collective
    bool m_stopping = false;
    std::thread m_thread;
};

}  // namespace ringside
