// SPDX-License-Identifier: Apache-2.0
#include "data/loading/prefetch_queue.h"

#include <utility>

#include "base/errors/errors.h"

namespace ringside {

PrefetchQueue::PrefetchQueue(const PrefetchOptions& options, Load load)
    : m_options(options), m_load(std::move(load)), m_slots(options.ahead + 1) {
    RINGSIDE_ASSERT(options.workers > 0 && options.ahead > 0);
}

PrefetchQueue::~PrefetchQueue() {
    stopThreads();
}

void PrefetchQueue::begin(std::int64_t batches) {
    end();
    {
        const std::lock_guard lock(m_mutex);
        m_batches = batches;
        m_taken = m_given = 0;
        for (Slot& slot : m_slots) slot = {};
        m_cancelled = false;
    }
    while (m_threads.size() < m_options.workers)
        m_threads.emplace_back([this, worker = m_threads.size()] { runWorker(worker); });
    m_mayLoad.notify_all();
}

std::size_t PrefetchQueue::nextSlot() {
    std::unique_lock lock(m_mutex);
    RINGSIDE_ASSERT(m_given < m_batches);
    const std::size_t place = slotOf(m_given, m_options);
    if (m_given > 0) m_slots[slotOf(m_given - 1, m_options)].ready = false;
    ++m_given;
    m_mayLoad.notify_one();  // the previous batch is no longer used, so a worker may load into its memory (slot)
    Slot& slot = m_slots[place];
    m_loaded.wait(lock, [&] { return slot.ready; });
    if (slot.error) std::rethrow_exception(std::exchange(slot.error, nullptr));
    return place;
}

void PrefetchQueue::end() {
    m_cancelled = true;
    if (!m_options.persistent) {
        stopThreads();
        return;
    }
    std::unique_lock lock(m_mutex);
    m_batches = m_taken;
    m_loaded.wait(lock, [this] { return m_busy == 0; });
}

void PrefetchQueue::stopThreads() {
    m_cancelled = true;
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
        m_batches = m_taken;
    }
    m_mayLoad.notify_all();
    for (std::thread& thread : m_threads) thread.join();
    m_threads.clear();
    m_stopping = false;
}

// True if the memory (slot) for the next batch is free: batch k reuses the slot of batch k - (ahead + 1), which the
// caller must have finished reading.
bool PrefetchQueue::mayLoad() const {
    return m_taken < m_batches && m_taken < m_given - 1 + static_cast<std::int64_t>(m_slots.size());
}

void PrefetchQueue::runWorker(std::size_t worker) {
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_mayLoad.wait(lock, [this] { return m_stopping || mayLoad(); });
        if (m_stopping) return;
        loadOne(lock, worker);
    }
}

void PrefetchQueue::loadOne(std::unique_lock<std::mutex>& lock, std::size_t worker) {
    const std::int64_t batch = m_taken++;
    const std::size_t place = slotOf(batch, m_options);
    ++m_busy;
    lock.unlock();
    std::exception_ptr error;
    try {
        m_load(batch, place, worker, *this);
    } catch (...) {
        error = std::current_exception();
    }
    lock.lock();
    --m_busy;
    m_slots[place] = {true, error};
    if (error) m_batches = m_taken;  // no batch after the failed batch will be loaded
    m_loaded.notify_all();
}

}  // namespace ringside
