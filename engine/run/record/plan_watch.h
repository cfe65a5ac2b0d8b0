// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "config/run_config.h"
#include "sampling/plan/shard_plan.h"
#include "telemetry/events/events.h"

namespace ringside {

// SHA-256, in hex, over what a rank trains by the plan: its indices without those that the loader drops, as
// little-endian int64. Equal to ShardPlan::hash when the loader drops nothing.
std::string trainedHash(const ShardPlan& plan, int rank);

// Where a rank trained something other than the plan.
struct PlanMismatch {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t slot = -1;     // -1: only the hash of the epoch is known
    std::int64_t step = 0;      // of the slot within its epoch, from 1
    std::int64_t planned = -1;  // -1: the plan has no such slot
    std::int64_t trained = -1;

    // "rank 2, epoch 3, step 5, slot 17: planned 4242, trained 17"
    std::string text() const;
    bool operator==(const PlanMismatch&) const = default;
};

struct PlanWatchOptions {
    RunConfig config;
    std::int64_t datasetSize = 0;
    std::function<std::shared_ptr<const ClassLabels>()> classes = {};  // for samplers that need them; in the thread
    double share = 0.02;                // of one CPU at most, while nothing waits for the end; 1 = no pause
    std::function<void()> onNews = {};  // in the thread
};

// What was found since the last look.
struct PlanNews {
    struct Confirmed {
        int rank = 0;
        std::int64_t epoch = 0;
        std::int64_t count = 0;  // first slots of the rank's list that are as planned
    };
    std::vector<std::int64_t> auditedEpochs;  // in which every rank's hash was compared
    std::vector<PlanMismatch> mismatches;     // at most one for each rank and epoch
    std::vector<Confirmed> confirmed;         // the latest of every rank that got further
};

// Predicted against actual: compares what the ranks report to have trained with the plan, in a thread of low priority.
class PlanWatch {
  public:
    static constexpr std::int64_t kLargestSet = 20'000'000;  // samples; an order of more takes seconds and memory

    explicit PlanWatch(PlanWatchOptions options);
    ~PlanWatch();
    PlanWatch(const PlanWatch&) = delete;
    PlanWatch& operator=(const PlanWatch&) = delete;

    // Never waits. What a queue of bounded length cannot take is left unchecked.
    void add(const Consumed& report);
    void add(const ConsumedIndices& report);
    PlanNews take();
    void withoutPauses();  // no pauses from now on: nothing trains any more
    // Looks at what is left, epochs that some rank never ended included, for at most this long.
    PlanNews finish(std::chrono::milliseconds deadline);

  private:
    struct Task {
        std::function<void()> run;
        std::size_t indices = 0;  // that it holds
    };
    void queue(Task task);
    void work();
    void auditEpoch(const std::vector<Consumed>& reports);
    void compare(const ConsumedIndices& report);
    void found(const PlanMismatch& mismatch);
    const ShardPlan* planOf(std::int64_t epoch);

    const PlanWatchOptions m_options;
    std::map<std::int64_t, std::vector<Consumed>> m_incomplete;  // epochs that some ranks have ended; caller's thread

    // The thread's own.
    std::shared_ptr<const ClassLabels> m_classes;
    std::optional<ShardPlan> m_plan;
    std::set<std::pair<int, std::int64_t>> m_known;  // ranks and epochs with a mismatch
    std::map<int, PlanNews::Confirmed> m_confirmed;  // by rank

    std::mutex m_mutex;  // guards what follows
    std::condition_variable m_wake, m_done;
    std::deque<Task> m_tasks;
    std::size_t m_queuedIndices = 0;
    bool m_busy = false;
    bool m_withoutPauses = false;
    bool m_stopping = false;
    PlanNews m_news;
    std::thread m_thread;
};

}  // namespace ringside
