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

// A collective that waits for its turn; of an all-reduce out is in.
struct QueuedCollective {
    CollectiveKind kind = CollectiveKind::kAllReduce;
    CommBuffer in;
    CommBuffer out;
    ReduceOp op = ReduceOp::kSum;
    CollectiveTrace* trace = nullptr;  // null: of no traced step
    std::int64_t readyNs = 0;          // it was asked for; of a traced one
};

// Runs collectives one after the other on a thread of its own, which starts with the first one. Takes no memory for one
// more once it has held as many.
class AsyncQueue {
  public:
    using Run = std::function<void(const QueuedCollective&)>;
    explicit AsyncQueue(Run run) : m_run(std::move(run)) {}
    // Waits for the collective under way; the ones behind it are dropped.
    ~AsyncQueue();
    AsyncQueue(const AsyncQueue&) = delete;
    AsyncQueue& operator=(const AsyncQueue&) = delete;

    std::int64_t push(const QueuedCollective& job);  // its ticket, counted from 1
    // Returns when it is done; rethrows its error, or that of one before it: the communicator is dead then.
    void waitFor(std::int64_t ticket);

    // Returns when nothing is queued or under way. Rethrows nothing: errors belong to the tickets.
    void drain();

    bool idle() const;

  private:
    void work();
    void finish(std::exception_ptr error);

    Run m_run;
    mutable std::mutex m_mutex;
    std::condition_variable m_added;
    std::condition_variable m_finished;
    std::vector<QueuedCollective> m_jobs;  // the front one is under way
    std::int64_t m_done = 0;               // so many in all
    std::int64_t m_failed = 0;
    std::exception_ptr m_error;  // of the first that failed
    bool m_stopping = false;
    std::thread m_thread;
};

}  // namespace ringside
