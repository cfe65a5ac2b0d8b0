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

// Returns the SHA-256, in hex, of the sample indices (little-endian int64) that a rank trains by the plan, without the
// samples of an incomplete last batch that the loader drops. Equal to ShardPlan::hash if the loader drops nothing.
std::string trainedHash(const ShardPlan& plan, int rank);
// Returns the SHA-256, in hex, of the first `count` sample indices (little-endian int64) that a rank trains by the
// plan.
std::string trainedHash(const ShardPlan& plan, int rank, std::int64_t count);

// First position at which a rank trained a sample other than the planned one.
struct PlanMismatch {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t slot = -1;     // position of the wrong sample in the rank's list of samples of the epoch; -1: not
                                // known, because the comparison had only a hash of the epoch
    std::int64_t step = 0;      // training step of the wrong sample, counted from 1 in each epoch
    std::int64_t planned = -1;  // sample that the sampler assigns to this position; -1: the rank's list has no such
                                // position
    std::int64_t trained = -1;

    // Returns a text such as "rank 2, epoch 3, step 5, slot 17: planned 4242, trained 17".
    std::string text() const;
    bool operator==(const PlanMismatch&) const = default;
};

struct PlanWatchOptions {
    RunConfig config;
    std::int64_t datasetSize = 0;
    // Function that returns the labels of the samples, which some samplers need. Called in the comparing thread.
    std::function<std::shared_ptr<const ClassLabels>()> classes = {};
    // Largest share of one CPU that the comparing thread uses before disablePauses() or finish() is called; 1: it never
    // pauses.
    double share = 0.02;
    std::function<void()> onResults = {};  // called in the comparing thread after each comparison
    // True if a rank may end an epoch before its last assigned sample, as a script does that leaves its loop early or
    // fails. The samples up to that point must be as planned.
    bool mayEndEarly = false;
};

// Results since the last PlanWatch::takeResults().
struct PlanResults {
    struct Confirmed {
        int rank = 0;
        std::int64_t epoch = 0;
        std::int64_t count = 0;  // number of samples, from the start of the epoch, that the rank trained as planned
    };
    std::vector<std::int64_t> auditedEpochs;  // epochs of which the hash of all samples was compared with the plan, for
                                              // each rank
    std::vector<PlanMismatch> mismatches;     // new differences from the plan, at most one for each rank and epoch
    // Number of samples of the current epoch that were compared with the plan and found correct, for each rank whose
    // number has increased.
    std::vector<Confirmed> confirmed;
};

// Compares the samples that the ranks report to have trained with the plan, in a thread of low priority.
//
// Thread safety: the public functions are called by one thread. The comparing thread starts with the first report; the
// destructor waits until its current task is done and joins it.
class PlanWatch {
  public:
    static constexpr std::int64_t kLargestSet = 20'000'000;  // largest data set, in samples, whose plans are compared:
                                                             // larger plans take seconds to compute, and much memory

    explicit PlanWatch(PlanWatchOptions options);
    ~PlanWatch();
    PlanWatch(const PlanWatch&) = delete;
    PlanWatch& operator=(const PlanWatch&) = delete;

    // Queues a report and returns at once. Reports that do not fit into the bounded queue, and all reports of data sets
    // above kLargestSet, are not checked.
    void add(const Consumed& report);
    void add(const ConsumedIndices& report);
    // Returns the results since the last call. Does not wait for a running comparison.
    PlanResults takeResults();
    // Makes the comparing thread run without pauses from now on. Must be called only after all ranks have finished
    // training.
    void disablePauses();
    // Compares the remaining reports: the queued reports, and the reports of epochs that not all ranks have reported.
    // Returns the results that are available after at most `deadline`.
    PlanResults finish(std::chrono::milliseconds deadline);

  private:
    struct Task {
        std::function<void()> run;
        std::size_t indices = 0;  // number of sample indices in the report; bounds the memory of the queue
    };
    void queue(Task task);
    void runThread();
    void auditEpoch(const std::vector<Consumed>& reports);
    void compare(const ConsumedIndices& report);
    void addMismatch(const PlanMismatch& mismatch);
    const ShardPlan* planOf(std::int64_t epoch);

    const PlanWatchOptions m_options;
    std::map<std::int64_t, std::vector<Consumed>>
        m_incomplete;  // epochs not yet reported by all ranks; used by the caller's thread only

    // The following four members are used by the comparing thread only.
    std::shared_ptr<const ClassLabels> m_classes;
    std::optional<ShardPlan> m_plan;
    std::set<std::pair<int, std::int64_t>> m_known;  // ranks and epochs for which a mismatch has been added to the
                                                     // results
    // Number of confirmed slots (positions in the epoch's list), by rank.
    std::map<int, PlanResults::Confirmed> m_confirmed;

    std::mutex m_mutex;  // guards the members after this one
    std::condition_variable m_wake, m_done;
    std::deque<Task> m_tasks;
    std::size_t m_queuedIndices = 0;
    bool m_busy = false;
    bool m_pausesDisabled = false;
    bool m_stopping = false;
    PlanResults m_newResults;
    std::thread m_thread;
};

}  // namespace ringside
