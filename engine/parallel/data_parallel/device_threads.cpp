// SPDX-License-Identifier: Apache-2.0
#include "parallel/data_parallel/device_threads.h"

#include <utility>

namespace ringside {

DeviceThreads::DeviceThreads(int devices) : m_errors(static_cast<std::size_t>(devices)) {
    for (int device = 1; device < devices; ++device) m_threads.emplace_back([this, device] { runThread(device); });
}

DeviceThreads::~DeviceThreads() {
    {
        const std::lock_guard lock(m_mutex);
        m_ends = true;
    }
    m_started.notify_all();
    for (std::thread& thread : m_threads) thread.join();
}

void DeviceThreads::runOnDevice(int device) {
    try {
        (*m_work)(device);
    } catch (...) {
        m_errors[static_cast<std::size_t>(device)] = std::current_exception();
    }
}

void DeviceThreads::runOnAllDevices(const std::function<void(int)>& work) {
    {
        const std::lock_guard lock(m_mutex);
        m_work = &work;
        m_running = static_cast<int>(m_threads.size());
        ++m_round;
    }
    m_started.notify_all();
    runOnDevice(0);
    std::unique_lock lock(m_mutex);
    m_finished.wait(lock, [this] { return m_running == 0; });
    for (std::exception_ptr& error : m_errors)
        if (error) std::rethrow_exception(std::exchange(error, nullptr));
}

void DeviceThreads::runThread(int device) {
    std::uint64_t done = 0;
    for (;;) {
        {
            std::unique_lock lock(m_mutex);
            m_started.wait(lock, [&] { return m_ends || m_round != done; });
            if (m_ends) return;
            done = m_round;
        }
        runOnDevice(device);
        const std::lock_guard lock(m_mutex);
        if (--m_running == 0) m_finished.notify_one();
    }
}

}  // namespace ringside
