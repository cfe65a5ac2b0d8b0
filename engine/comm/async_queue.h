// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "comm/communicator.h"

namespace ringside {

// Runs collectives one after the other on a thread of its own, which starts with the first one.
class AsyncQueue {
  public:
    AsyncQueue() = default;
    // Waits for the collective under way; the ones behind it are dropped and their handles throw.
    ~AsyncQueue();
    AsyncQueue(const AsyncQueue&) = delete;
    AsyncQueue& operator=(const AsyncQueue&) = delete;

    std::unique_ptr<CommHandle> push(std::function<void()> collective);

    // Returns when nothing is queued or under way. Rethrows nothing: errors belong to the handles.
    void drain();

    bool idle() const;

    struct Job {
        std::function<void()> run;
        std::exception_ptr error;
        bool done = false;
    };
    void waitFor(Job& job);

  private:
    void work();
    void finish(Job& job, std::exception_ptr error);

    mutable std::mutex m_mutex;
    std::condition_variable m_added;
    std::condition_variable m_finished;
    std::deque<std::shared_ptr<Job>> m_jobs;  // the front one is under way
    bool m_stopping = false;
    std::thread m_thread;
};

}  // namespace ringside
