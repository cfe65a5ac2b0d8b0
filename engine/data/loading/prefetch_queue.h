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

struct PrefetchOptions {
    std::size_t workers = 1;
    std::size_t ahead = 2;    // batches that may be loaded or loading beside the one in use
    bool persistent = false;  // the threads outlive an epoch
};

// Threads that load the batches of an epoch into ahead + 1 slots, each free worker taking the next batch; they are
// handed out in order whoever was faster. One thread calls it.
class PrefetchQueue {
  public:
    // Loads batch number `batch` into a slot, in the thread of a worker; may throw.
    using Load =
        std::function<void(std::int64_t batch, std::size_t slot, std::size_t worker, const PrefetchQueue& queue)>;

    PrefetchQueue(const PrefetchOptions& options, Load load);
    ~PrefetchQueue();  // as end(), and the threads end
    PrefetchQueue(const PrefetchQueue&) = delete;
    PrefetchQueue& operator=(const PrefetchQueue&) = delete;

    static std::size_t slotOf(std::int64_t batch, const PrefetchOptions& options) {
        return static_cast<std::size_t>(batch) % (options.ahead + 1);
    }

    void begin(std::int64_t batches);  // an epoch; starts the threads when there are none
    // The slot with the next batch, whose content is good until the next call. Rethrows what its load threw. Has no
    // deadline, as reading without workers has none.
    std::size_t next();
    void end();  // of the epoch, wherever it is; nothing is loading any more when it returns

    // For a load, sample by sample: whether nobody wants its batch any more.
    bool isCancelled() const { return m_cancelled.load(std::memory_order_relaxed); }

  private:
    struct Slot {
        bool ready = false;
        std::exception_ptr error;
    };

    void work(std::size_t worker);
    bool mayLoad() const;
    void loadOne(std::unique_lock<std::mutex>& lock, std::size_t worker);
    void stopThreads();

    const PrefetchOptions m_options;
    const Load m_load;
    std::atomic<bool> m_cancelled{false};

    std::mutex m_mutex;  // guards what follows, but for the threads
    std::condition_variable m_mayLoad;
    std::condition_variable m_loaded;
    std::vector<Slot> m_slots;
    std::int64_t m_batches = 0;  // of the epoch
    std::int64_t m_taken = 0;    // by workers
    std::int64_t m_given = 0;    // to the caller; it may still read the last of them
    std::size_t m_busy = 0;      // workers that are loading
    bool m_stopping = false;
    std::vector<std::thread> m_threads;
};

}  // namespace ringside
