// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ringside {

// Threads that call one function for all devices at the same time: the calling thread for device 0, and one additional
// thread for each other device.
class DeviceThreads {
  public:
    explicit DeviceThreads(int devices);
    ~DeviceThreads();
    DeviceThreads(const DeviceThreads&) = delete;
    DeviceThreads& operator=(const DeviceThreads&) = delete;

    int deviceCount() const { return static_cast<int>(m_threads.size()) + 1; }
    // Calls work(device) for all devices at the same time. Blocks until all calls have returned. If several calls
    // throw, rethrows the exception of the device with the lowest number.
    void runOnAllDevices(const std::function<void(int device)>& work);

  private:
    void runThread(int device);
    void runOnDevice(int device);

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
