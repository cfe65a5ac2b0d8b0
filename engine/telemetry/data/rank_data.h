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
    std::optional<RankStage> state;  // lifecycle stage in the rank's last RankState event
    std::string device;
    std::string host;  // name of the rank's host; empty: the host of the run
    std::string isa;   // instruction set that the rank computes with; empty: not known
    std::string transport;
    std::string hosts;
    std::int64_t pid = 0;
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::optional<Phase> phase;  // phase of the last heartbeat; empty before the first heartbeat
    std::int64_t collective = 0;
    std::int64_t stalledUs = 0;   // time without progress, as of the last heartbeat
    std::int64_t beatUs = 0;      // time of the last heartbeat
    double loss = 0;              // loss of the last step; NaN before the first step
    double samplesPerSecond = 0;  // throughput of the rank, over about the last second
    std::int64_t residentBytes = 0;
    GpuReading gpu;                 // state of the GPU in the last heartbeat
    std::int64_t droppedSteps = 0;  // number of steps whose telemetry the rank could not send
    std::int64_t droppedEvents = 0;
    std::int64_t lastSeenUs = 0;
    std::int64_t batchSamples = 0;
    std::int64_t dataUs = 0;       // time spent waiting for batches since the first logged step
    std::int64_t firstEndUs = -1;  // time at which the first logged step ended, in microseconds since the start of the
                                   // run
    std::int64_t elapsedUs = 0;    // time from firstEndUs to the end of the last logged step
    // Returns the share of elapsedUs that the rank spent waiting for batches.
    double dataShare() const {
        return elapsedUs > 0 ? static_cast<double>(dataUs) / static_cast<double>(elapsedUs) : 0;
    }
    std::optional<RankMemory> memory;  // memory allocated by the rank's engine
    // Current phase. Reported only in slow motion and while a user advances the run phase by phase.
    std::optional<Phase> slowPhase;
    int slowLayer = -1;  // layer of slowPhase; -1: not reported
    // Action of the pipeline's schedule that the rank executes in phase slowPhase.
    std::string slowAction;
    std::optional<LocalResult> local;          // latest validation of this rank alone, if ranks validate separately
    bool keepsThrottle = true;                 // false: a pass takes longer than parallel.pace requests
    double throttleTimes = 1;                  // duration of the longest pass, as a multiple of the duration that
                                               // parallel.pace requests
    std::optional<bool> inSync;                // false: the checksum of the rank's parameters differs from the
                                               // majority; empty: not compared yet
    std::optional<std::int64_t> bytesPerStep;  // number of bytes sent per step
    // Offset of the clock of the rank's host. Set only for the lowest rank of the host; empty on the host of the run.
    std::optional<HostClock> clock;
    std::optional<RankLinks> links;  // last report of the rank about its connections to other hosts
    std::vector<Consumed> consumed;
    std::int64_t consumedCount = 0;  // number of reports about consumed samples, including discarded ones
    // The latest reports of sample indices; at most RunRanks::kMaxIndices indices over all ranks.
    std::deque<ConsumedIndices> indices;
    std::int64_t indicesCount = 0;  // number of index reports, including discarded ones
    Series lossSeries{1U << 14};
    Series accuracySeries{1U << 14};
};

}  // namespace ringside
