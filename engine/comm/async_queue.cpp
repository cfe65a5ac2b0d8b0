// SPDX-License-Identifier: Apache-2.0
#include "comm/async_queue.h"

#include "base/processors/processors.h"

namespace ringside {

AsyncQueue::~AsyncQueue() {
    {
        std::lock_guard lock(m_mutex);
        m_stopping = true;
        if (m_jobs.size() > 1) m_jobs.erase(m_jobs.begin() + 1, m_jobs.end());
    }
    m_added.notify_all();
    if (m_thread.joinable()) m_thread.join();
}

std::int64_t AsyncQueue::push(const QueuedCollective& job) {
    std::int64_t ticket = 0;
    {
        std::lock_guard lock(m_mutex);
        m_jobs.push_back(job);
        ticket = m_done + static_cast<std::int64_t>(m_jobs.size());
        if (!m_thread.joinable()) m_thread = std::thread([this] { runQueue(); });
    }
    m_added.notify_one();
    return ticket;
}

// Blocks without a timeout, because each queued collective ends at the latest at its own timeout.
void AsyncQueue::waitFor(std::int64_t ticket) {
    std::unique_lock lock(m_mutex);
    m_finished.wait(lock, [&] { return m_done >= ticket; });
    if (m_error && ticket >= m_failed) std::rethrow_exception(m_error);
}

void AsyncQueue::waitUntilEmpty() {
    std::unique_lock lock(m_mutex);
    m_finished.wait(lock, [this] { return m_jobs.empty(); });
}

bool AsyncQueue::isIdle() const {
    std::lock_guard lock(m_mutex);
    return m_jobs.empty();
}

void AsyncQueue::runQueue() {
    nameThread("collectives");
    std::unique_lock lock(m_mutex);
    while (true) {
        m_added.wait(lock, [this] { return m_stopping || !m_jobs.empty(); });
        if (m_jobs.empty()) return;
        const QueuedCollective job = m_jobs.front();
        lock.unlock();
        std::exception_ptr error;
        try {
            m_run(job);
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        finishFront(std::move(error));
    }
}

void AsyncQueue::finishFront(std::exception_ptr error) {
    m_jobs.erase(m_jobs.begin());
    ++m_done;
    if (error && !m_error) {
        m_error = std::move(error);
        m_failed = m_done;
    }
    m_finished.notify_all();
}

}  // namespace ringside
