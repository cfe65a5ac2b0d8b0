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
    std::string host;  // name of the rank's host; empty: the host on which the supervisor runs
    std::string isa;   // name of the CPU instruction set or GPU that the rank computes with; empty: not known
    std::string transport;
    std::string hosts;
    std::int64_t pid = 0;
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::optional<Phase> phase;  // phase of the last heartbeat; empty before the first heartbeat
    std::int64_t collective = 0;
    std::int64_t stalledUs = 0;  // time for which the rank had made no progress at its last heartbeat, in microseconds
    std::int64_t beatUs = 0;     // time of the last heartbeat, in microseconds since the start of the run
    double loss = 0;             // loss of the last step; NaN before the first step
    // number of samples that the rank trains per second, measured over about the last second
    double samplesPerSecond = 0;
    std::int64_t residentBytes = 0;
    GpuReading gpu;                 // state of the GPU in the last heartbeat
    std::int64_t droppedSteps = 0;  // number of steps whose telemetry the rank could not send
    std::int64_t droppedEvents = 0;
    std::int64_t lastSeenUs = 0;
    std::int64_t batchSamples = 0;
    std::int64_t dataUs = 0;       // time spent waiting for batches since firstEndUs, in microseconds
    std::int64_t firstEndUs = -1;  // time at which the first logged step ended, in microseconds since the start of the
                                   // run
    std::int64_t elapsedUs = 0;    // time from firstEndUs to the end of the last logged step, in microseconds
    // Returns the share of the time since firstEndUs that the rank spent waiting for batches.
    double dataShare() const {
        return elapsedUs > 0 ? static_cast<double>(dataUs) / static_cast<double>(elapsedUs) : 0;
    }
    std::optional<RankMemory> memory;  // memory that Ringside allocated on this rank
    // Current phase. Ranks report it only in slow motion and while a user advances the run phase by phase.
    std::optional<Phase> slowPhase;
    int slowLayer = -1;  // index of the layer that the rank computes in slowPhase; -1: not reported
    // Action of the pipeline schedule that the rank executes in slowPhase; empty if there is none.
    std::string slowAction;
    // latest validation result over this rank's own samples, if pitfalls.local_metrics is on
    std::optional<LocalResult> local;
    // false: more than an eighth of the latest passes and updates took longer than parallel.pace sets; see ThrottleKept
    bool keepsThrottle = true;
    // largest ratio of the duration of a pass or update to the duration that parallel.pace sets; see ThrottleKept
    double throttleTimes = 1;
    // false: the checksum of the rank's parameters differs from that of most ranks; empty: not compared yet
    std::optional<bool> inSync;
    std::optional<std::int64_t> bytesPerStep;  // number of bytes sent per step
    // Offset of the clock of the rank's host. Set only for the lowest rank of each host. Empty on the host of the
    // supervisor.
    std::optional<HostClock> clock;
    std::optional<RankLinks> links;  // last report about the network traffic between this rank and ranks on other hosts
    std::vector<Consumed> consumed;
    // number of "consumed" events received from the rank, including events that are no longer stored
    std::int64_t consumedCount = 0;
    // The latest lists of sample indices that the rank reported. All ranks together store at most RunRanks::kMaxIndices
    // indices.
    std::deque<ConsumedIndices> indices;
    // number of "indices" events received from the rank, including events that are no longer stored
    std::int64_t indicesCount = 0;
    Series lossSeries{1U << 14};
    Series accuracySeries{1U << 14};
};

}  // namespace ringside
