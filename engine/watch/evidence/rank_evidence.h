// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "telemetry/events/events.h"
#include "watch/evidence/loader_evidence.h"

namespace ringside {

// Reported values of one optimizer step of one rank.
struct StepRow {
    std::int64_t step = 0;
    double loss = 0;  // loss of the step; NaN if it was not finite, or if no loss was seen
    double learningRate = 0;
    std::int64_t samples = 0;
    std::int64_t endUs = 0;
    std::int64_t dataUs = 0;  // time spent waiting for batches, in microseconds
};

// Use of one process group in the traced steps of a rank: collectives of DDP, and collectives that the script itself
// calls.
struct CollectiveUse {
    std::int64_t calls = 0;
    std::int64_t steps = 0;  // number of traced steps with at least one call
    std::int64_t bytes = 0;
    std::int64_t maxBytes = 0;  // largest number of bytes of one call
    std::int64_t lastStep = 0;
};

// A scalar that a script logs under one tag.
struct LoggedSeries {
    std::int64_t count = 0;
    std::string source;
    double first = 0;
    double last = 0;
};

// Consecutive optimizer steps of a rank with the same facts "step_counts", such as the number of backward passes in a
// step.
struct EqualSteps {
    const Json* counts = nullptr;  // facts "step_counts"; owned by the RankEvidence
    std::int64_t steps = 0;        // number of consecutive steps with these facts
};

// Reports of one rank of a watched script, in bounded memory. docs/watch-protocol.md defines the facts. Only the
// reports of the latest process with this rank are kept: a restart clears the earlier ones.
struct RankEvidence {
    static constexpr std::size_t kMaxFacts = 1024;  // limit of the number of facts about one topic; the first ones are
                                                    // kept
    static constexpr std::size_t kMaxTopics = 64;
    static constexpr std::size_t kMaxLoaders = 256;
    static constexpr std::size_t kMaxSteps = 1U << 16;  // limit of the number of steps; the first ones are kept
    static constexpr std::size_t kMaxLatestSteps = 64;
    // limit of the number of steps with parameter checksums; the first ones are kept
    static constexpr std::size_t kMaxReplicas = 256;
    static constexpr std::size_t kMaxLogs = 200;  // limit of the number of log lines; the latest ones are kept
    static constexpr std::size_t kMaxTags = 1000;

    int rank = 0;
    std::optional<RankStage> state;  // state of the rank, such as kTraining, from its latest RankState event
    std::int64_t pid = 0;
    std::string host;
    int restarts = 0;             // number of processes with this rank before the latest one
    std::int64_t progressUs = 0;  // time of the latest report other than heartbeats and stalls
    std::int64_t latestUs = 0;    // time of the latest report

    std::map<std::int64_t, LoaderEvidence> loaders;  // evidence about each loader, by its id
    // indices of each Subset, by the number of the Subset object
    std::map<std::int64_t, std::vector<std::int64_t>> subsets;
    std::vector<StepRow> steps;       // first kMaxSteps steps
    std::deque<StepRow> latestSteps;  // latest kMaxLatestSteps steps
    std::int64_t stepCount = 0;       // number of the latest step
    // checksums of parameters, by the number of the step after which they were computed; 0: before the first step
    std::map<std::int64_t, Replica> replicas;
    std::map<std::int64_t, CollectiveUse> collectives;  // use of collectives, by the number of the process
                                                        // group; 0: all ranks
    std::int64_t tracedSteps = 0;
    Heartbeat heartbeat;
    std::optional<Json> stall;  // latest report that the rank has made no progress (topic "stalled"), with its stack
    std::int64_t stallUs = 0;   // time of the report in `stall`, in microseconds since the run started
    std::deque<LogLine> logs;
    std::map<std::string, LoggedSeries> logged;      // scalars that the script has logged, by tag
    std::map<std::string, std::vector<Json>> facts;  // facts of all other topics, in the order of arrival

    // Adds an event. budget: number of sample indices that may still be kept; decreased by the number of kept indices.
    void add(const Event& event, std::size_t& budget);

    // Returns all facts of a topic, in the order of arrival.
    const std::vector<Json>& factsOf(const std::string& topic) const;
    // Returns the latest facts of a topic, or an empty object.
    const Json& latest(const std::string& topic) const;
    // Returns the facts "step_counts" that apply to a step, or null.
    const Json* countsOf(std::int64_t step) const;
    // Returns all facts "step_counts" with the number of steps to which they apply, in the order of the steps. If
    // kMaxFacts facts are kept, later facts may be missing, so the last facts are assumed to apply to one step. The
    // pointers in the result are valid until the next call of add().
    std::vector<EqualSteps> equalSteps() const;

    // True if the rank uses the batches of a loader for evaluation; see isEvaluation() in loader_evidence.h.
    bool evaluates(const LoaderEvidence& loader) const;
    bool usesJoin() const;       // returns true if the rank trains inside of model.join()
    bool isDistributed() const;  // returns true if the process has joined a process group
    bool hasEnded() const { return state == RankStage::kFinished || state == RankStage::kFailed; }
    // True if the rank has reported a stall, and afterwards nothing but heartbeats.
    bool isStalled() const { return stall.has_value() && stallUs >= progressUs && !hasEnded(); }

  private:
    void applyState(const RankState& state);
    void addFacts(const ScriptFacts& facts, std::size_t& budget);
    void addLoader(const Json& facts);
    void addPass(const Json& facts, std::int64_t timeUs);
    void addPassEnd(const Json& facts, std::int64_t timeUs);
    void addBatch(const Json& facts, std::size_t& budget);
    void addContent(const Json& facts);
    void addSubset(const Json& facts, std::size_t& budget);
    void addSteps(const StepsFrame& frame);
    void addReplica(const Replica& replica);
    void addTrace(const StepTrace& trace);
    void addLogged(const LoggedScalar& scalar);
    LoaderEvidence* loaderOf(std::int64_t id);
    PassEvidence* passOf(const Json& facts);
};

}  // namespace ringside
