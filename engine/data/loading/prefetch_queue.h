// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ringside {

// Number of threads and of batches of a PrefetchQueue.
struct PrefetchOptions {
    std::size_t workers = 1;
    std::size_t ahead = 2;    // number of batches that are loaded in advance, in addition to the one in use
    bool persistent = false;  // true: the threads are kept from one epoch to the next
};

// Worker threads that load the batches of an epoch in advance, as the workers of torch.utils.data.DataLoader with
// num_workers above 0. There is memory for ahead + 1 batches (slots).
//
// Each free worker loads the next batch; batch k uses slot k modulo (ahead + 1). nextSlot() returns the slots in the
// order of the batches, regardless of which worker finishes first. Not thread-safe: all calls except isCancelled() must
// come from one thread.
class PrefetchQueue {
  public:
    // Loads one batch into a slot, in a worker thread. If it throws, nextSlot() rethrows the exception.
    using Load =
        std::function<void(std::int64_t batch, std::size_t slot, std::size_t worker, const PrefetchQueue& queue)>;

    PrefetchQueue(const PrefetchOptions& options, Load load);
    ~PrefetchQueue();  // calls end() and joins the threads
    PrefetchQueue(const PrefetchQueue&) = delete;
    PrefetchQueue& operator=(const PrefetchQueue&) = delete;

    static std::size_t slotOf(std::int64_t batch, const PrefetchOptions& options) {
        return static_cast<std::size_t>(batch) % (options.ahead + 1);
    }

    // Starts an epoch with this number of batches. Starts the threads if they do not exist.
    void begin(std::int64_t batches);
    // Blocks until the next batch is loaded, and returns its slot. The content is valid until the next call. Rethrows
    // an exception of the load. There is no timeout, as without workers.
    std::size_t nextSlot();
    void end();  // ends the epoch, even in the middle; returns when no worker is loading

    // True if the batch that a worker is loading is no longer needed. A worker checks this after each sample and may
    // then stop. Callable from any thread.
    bool isCancelled() const { return m_cancelled.load(std::memory_order_relaxed); }

  private:
    struct Slot {
        bool ready = false;
        std::exception_ptr error;
    };

    void runWorker(std::size_t worker);
    bool mayLoad() const;
    void loadOne(std::unique_lock<std::mutex>& lock, std::size_t worker);
    void stopThreads();

    const PrefetchOptions m_options;
    const Load m_load;
    std::atomic<bool> m_cancelled{false};

    std::mutex m_mutex;  // guards the following members except m_threads
    std::condition_variable m_mayLoad;
    std::condition_variable m_loaded;
    std::vector<Slot> m_slots;
    std::int64_t m_batches = 0;  // number of batches of the epoch
    std::int64_t m_taken = 0;    // number of batches taken by workers
    std::int64_t m_given = 0;    // number of batches returned by nextSlot(); the caller may still read the last one
    std::size_t m_busy = 0;      // number of workers that are loading a batch
    bool m_stopping = false;
    std::vector<std::thread> m_threads;
};

}  // namespace ringside
