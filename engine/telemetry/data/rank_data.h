// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/curves/series.h"
#include "telemetry/events/events.h"
#include "telemetry/steps/phase.h"

namespace ringside {

// State of one rank, from its events.
struct RankData {
    std::optional<RankStage> state;  // from the last RankState
    std::string device;
    std::string host;  // empty: the host of the run
    std::string isa;   // empty: not known
    std::string transport;
    std::string hosts;
    std::int64_t pid = 0;
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::optional<Phase> phase;  // none before the first heartbeat
    std::int64_t collective = 0;
    std::int64_t stillUs = 0;     // time without progress, as of the last heartbeat
    std::int64_t beatUs = 0;      // time of the last heartbeat
    double loss = 0;              // NaN before the first step
    double samplesPerSecond = 0;  // over about the last second
    std::int64_t residentBytes = 0;
    GpuReading gpu;                 // from its last heartbeat
    std::int64_t droppedSteps = 0;  // telemetry that the rank could not send
    std::int64_t droppedEvents = 0;
    std::int64_t lastSeenUs = 0;
    std::int64_t batchSamples = 0;
    std::int64_t dataUs = 0;       // time spent waiting for batches since the first logged step
    std::int64_t firstEndUs = -1;  // end of the first logged step
    std::int64_t elapsedUs = 0;    // time from firstEndUs to the end of the last logged step
    // Returns the share of elapsedUs spent waiting for batches.
    double dataShare() const {
        return elapsedUs > 0 ? static_cast<double>(dataUs) / static_cast<double>(elapsedUs) : 0;
    }
    std::optional<RankMemory> memory;          // memory allocated by its engine
    std::optional<Phase> slowPhase;            // current phase, reported in slow motion and phase by phase only
    int slowLayer = -1;                        // layer of that phase; -1: not reported
    std::string slowAction;                    // action of the pipeline schedule in that phase
    std::optional<LocalResult> local;          // latest validation of this rank alone, if ranks validate separately
    bool keepsThrottle = true;                 // true if the rank keeps parallel.pace
    double throttleTimes = 1;                  // longest pass divided by the requested duration
    std::optional<bool> inSync;                // result of the latest complete set of replica checksums
    std::optional<std::int64_t> bytesPerStep;  // bytes sent per step
    // Offset of its host's clock, on the host's lowest rank only; empty on the host of the run.
    std::optional<HostClock> clock;
    std::optional<RankLinks> links;  // last report about its connections to other hosts
    std::vector<Consumed> consumed;
    std::int64_t consumedCount = 0;  // number of reports, including discarded ones
    // The latest reports; at most RunData::kMaxIndices indices over all ranks.
    std::deque<ConsumedIndices> indices;
    std::int64_t indicesCount = 0;  // number of index reports, including discarded ones
    Series lossSeries{1U << 14};
    Series accuracySeries{1U << 14};
};

}  // namespace ringside
