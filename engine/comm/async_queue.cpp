// SPDX-License-Identifier: Apache-2.0
#include "comm/async_queue.h"

#include "base/errors.h"

namespace ringside {
namespace {

class QueuedHandle final : public CommHandle {
  public:
    QueuedHandle(AsyncQueue& queue, std::shared_ptr<AsyncQueue::Job> job) : m_queue(queue), m_job(std::move(job)) {}
    void wait() override {
        m_queue.waitFor(*m_job);
        if (m_job->error) std::rethrow_exception(m_job->error);
    }

  private:
    AsyncQueue& m_queue;
    std::shared_ptr<AsyncQueue::Job> m_job;
};

}  // namespace

AsyncQueue::~AsyncQueue() {
    {
        std::lock_guard lock(m_mutex);
        m_stopping = true;
        while (m_jobs.size() > 1) {
            m_jobs.back()->error = std::make_exception_ptr(CommError("the communicator was closed"));
            m_jobs.back()->done = true;
            m_jobs.pop_back();
        }
    }
    m_added.notify_all();
    if (m_thread.joinable()) m_thread.join();
}

std::unique_ptr<CommHandle> AsyncQueue::push(std::function<void()> collective) {
    auto job = std::make_shared<Job>();
    job->run = std::move(collective);
    {
        std::lock_guard lock(m_mutex);
        m_jobs.push_back(job);
        if (!m_thread.joinable()) m_thread = std::thread([this] { work(); });
    }
    m_added.notify_one();
    return std::make_unique<QueuedHandle>(*this, std::move(job));
}

// The deadline is the collective's own: each job ends by itself.
void AsyncQueue::waitFor(Job& job) {
    std::unique_lock lock(m_mutex);
    m_finished.wait(lock, [&] { return job.done; });
}

void AsyncQueue::drain() {
    std::unique_lock lock(m_mutex);
    m_finished.wait(lock, [this] { return m_jobs.empty(); });
}

bool AsyncQueue::idle() const {
    std::lock_guard lock(m_mutex);
    return m_jobs.empty();
}

void AsyncQueue::work() {
    std::unique_lock lock(m_mutex);
    while (true) {
        m_added.wait(lock, [this] { return m_stopping || !m_jobs.empty(); });
        if (m_jobs.empty()) return;
        auto job = m_jobs.front();
        lock.unlock();
        std::exception_ptr error;
        try {
            job->run();
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        finish(*job, error);
    }
}

void AsyncQueue::finish(Job& job, std::exception_ptr error) {
    job.run = nullptr;
    job.error = std::move(error);
    job.done = true;
    m_jobs.pop_front();
    m_finished.notify_all();
}

}  // namespace ringside
