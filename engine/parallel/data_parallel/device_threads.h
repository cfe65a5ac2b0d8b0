// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ringside {

// A thread for each device but the first, which is the caller's: all do the same kind of work at the same time.
class DeviceThreads {
  public:
    explicit DeviceThreads(int devices);
    ~DeviceThreads();
    DeviceThreads(const DeviceThreads&) = delete;
    DeviceThreads& operator=(const DeviceThreads&) = delete;

    int devices() const { return static_cast<int>(m_threads.size()) + 1; }
    // work(device) on every device; returns when all are done, and throws what the first of them threw.
    void run(const std::function<void(int device)>& work);

  private:
    void serve(int device);
    void call(int device);

    std::mutex m_mutex;
    std::condition_variable m_started;
    std::condition_variable m_finished;
    const std::function<void(int)>* m_work = nullptr;
    std::uint64_t m_round = 0;
    int m_running = 0;
    bool m_ends = false;
    std::vector<std::exception_ptr> m_errors;
    std::vector<std::thread> m_threads;
};

}  // namespace ringside
