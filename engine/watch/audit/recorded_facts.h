// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "telemetry/events/events.h"
#include "watch/audit/attempt_numbers.h"
#include "watch/audit/tensor_record.h"

namespace ringside {

// One data set object in the process of a rank: the data set of a loader, or, if that is a wrapper such as Subset, the
// data set inside it.
struct DatasetLayer {
    int object = -1;            // number of the data set object in its process
    std::int64_t length = -1;   // length of the data set; -1: not known, for example of an IterableDataset
    std::string name;           // name of the data set's class
    std::string description;    // facts about the data set that can be compared between ranks, as JSON text
    bool hasContent = false;    // true if the description contains checksums of values or of a list of files
    std::string indicesSha256;  // SHA-256 of the indices of a Subset; empty if the data set is no Subset
};

// Facts of a rank about one of its loaders ("loader" in docs/watch-protocol.md).
struct LoaderFacts {
    std::int64_t id = 0;
    std::string where;           // line that creates the loader, such as "train.py:48"
    std::int64_t batchSize = 0;  // batch size of the loader; 0: not known
    bool dropLast = false;
    Json sampler;
    std::vector<DatasetLayer> dataset;  // layers of the data set, from the outermost wrapper to the innermost data set,
                                        // at least one
};

// One iteration over a loader (pass), from its facts "pass" and "pass_end".
struct PassFacts {
    std::int64_t loader = 0;
    std::int64_t pass = 0;
    std::optional<std::int64_t> samplerEpoch;
    std::optional<std::int64_t> epoch;  // number of this pass among those passes of the loader in which at least one
                                        // batch was trained on; empty if none was
    std::int64_t beganUs = 0;           // begin of the pass, in microseconds since the run started
    std::int64_t endedUs = 0;           // end of the pass; valid if hasEnded
    bool hasEnded = false;
    bool isExhausted = false;
    bool isEvaluation = false;  // true if a model was in evaluation mode when the loader was exhausted
    std::int64_t batches = 0, trained = 0, untrained = 0;
    std::int64_t indices = 0;  // number of sample indices that were trained in the pass
};

// Checksums of the first samples of a batch, from its "content" facts.
struct ContentSums {
    std::vector<std::uint32_t> samples, labels;  // checksums of the samples and of the labels of a batch
};

// Facts about one process of a rank. A rank has several processes if its launcher restarts it.
struct RankFacts {
    std::map<std::int64_t, LoaderFacts> loaders;                        // facts of each loader, by its id
    std::map<int, std::vector<std::uint32_t>> subsets;                  // indices of each Subset, by the number of the
                                                                        // object
    std::map<std::pair<std::int64_t, std::int64_t>, PassFacts> passes;  // facts of each pass, by loader and pass
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, ContentSums> contents;  // checksums of each batch,
                                                                                           // by loader, pass and batch
    std::vector<std::vector<int>> dataParallel;  // ranks of each data-parallel group
    // ranks of each process group by the number of the group, from the facts "group"
    std::map<std::int64_t, std::vector<int>> groups;
    std::vector<std::int64_t> shardGroups;  // numbers of the process groups that shard parameters
    bool hasPipeline = false;
    std::int64_t droppedLines = 0;  // number of lines and observations that the process could not send
    std::string failedHook;         // name of the first failed hook among the hooks that observe batches or steps;
                                    // empty if none has failed
    std::map<std::int64_t, std::int64_t> samplesOfSteps;  // number of trained samples by epoch, from the events "steps"
    std::map<std::int64_t, std::int64_t> lastEpoch;       // latest epoch of each loader, from the events "indices" and
                                                          // "pass_end"
    bool hasSteps = false;
    std::int64_t steps = 0;              // number of optimizer steps
    std::int64_t stepsWithoutBatch = 0;  // number of optimizer steps that follow no batch of a loader
    std::int64_t maxBatches = 0;         // largest number of batches of one loader in a step
    std::int64_t maxBackwards = 0;       // largest number of backward passes in a step, from the facts "step_counts"
    // loader of the latest batch, and number of the step that trained it
    std::pair<std::int64_t, std::int64_t> latestStep{-1, 0};
    std::int64_t batchesOfStep = 0;    // number of batches of the loader in the step, both as in latestStep
    bool hasFailed = false;            // true if an exception has ended the process
    bool hasEndedWithoutStep = false;  // true if the process has ended without making an optimizer step

    // Returns a clause that states why the record of this rank may lack samples, without naming the rank. Returns an
    // empty text if there is no such reason.
    std::string incompletenessReason() const;
    // Returns the pass of the loader that trained epoch number `epoch`, or null if there is none.
    const PassFacts* passOf(std::int64_t loader, std::int64_t epoch) const;
    // True if one backward pass follows several batches of a loader. All these batches count as trained, because a loss
    // can use several batches. The record does not show whether the script has skipped some of them.
    bool mayHaveSkipped() const { return maxBackwards > 0 && maxBatches > maxBackwards; }
    bool hasTrained(std::int64_t loader) const { return lastEpoch.contains(loader); }
    // True if the rank uses the batches of a loader for evaluation; see isEvaluation() in loader_evidence.h.
    bool evaluates(std::int64_t loader) const;
};

// Facts about all ranks in one attempt: from a start of the script to its end or to its restart by the launcher. A rank
// that has reported no facts has no entry.
using AttemptFacts = std::map<int, RankFacts>;

// Facts of a run that the sample audit needs, from telemetry events in their recorded order.
class RecordedFacts {
  public:
    // lastStep: later steps are ignored, because the next run of the chain continues from this step. discarded: ranges
    // of steps that are ignored, because the ranks were restarted and continued from an earlier step.
    explicit RecordedFacts(std::int64_t lastStep = std::numeric_limits<std::int64_t>::max(),
                           std::vector<TensorRecord::Discarded> discarded = {})
        : m_lastStep(lastStep), m_discarded(std::move(discarded)) {}

    // True if the batch, which a rank has trained on in this attempt, belongs to a step that is not ignored (lastStep,
    // discarded).
    bool isCounted(const ConsumedIndices& event, int attempt) const;
    void add(const Event& event);
    // Returns the number (from 0) of the attempt to which the next events of the rank belong.
    int attemptOf(int rank) const { return m_numbers.attemptOf(rank); }
    const std::vector<AttemptFacts>& attempts() const { return m_attempts; }
    const std::optional<RunStarted>& started() const { return m_started; }
    bool isWatched() const { return m_watched; }  // returns true if the run has reported facts about a script
    std::int64_t badFacts() const { return m_bad; }

  private:
    RankFacts& factsOfRank(int rank);
    void addFacts(const ScriptFacts& facts);
    bool ignoreDiscardedEnd(int rank, const Json& passEnd);

    std::int64_t m_lastStep;
    std::vector<TensorRecord::Discarded> m_discarded;
    std::set<std::tuple<int, std::int64_t, std::int64_t>> m_later;  // epochs of the current attempts in which at least
                                                                    // one step is ignored (lastStep, discarded), as
                                                                    // (rank, loader, epoch)
    std::optional<RunStarted> m_started;
    std::vector<AttemptFacts> m_attempts;
    AttemptNumbers m_numbers;
    bool m_watched = false;
    std::int64_t m_bad = 0;
};

// Returns the facts of a "script" event; null if the text is no JSON object.
Json factsOf(const ScriptFacts& event);

}  // namespace ringside
