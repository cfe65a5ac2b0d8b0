// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/telemetry_config.h"
#include "devices/compute_choice.h"
#include "run/prepare/prepared_run.h"
#include "run/read/run_directory.h"
#include "run/record/plan_watch.h"
#include "telemetry/events/events.h"

namespace ringside {

// Facts about a run that its record needs. For a run by Ringside, they come from the prepared configuration; for a
// watched script, from the reports of its ranks.
struct RecordedRun {
    std::string name = {};
    std::string config = {};  // text of the experiment file
    ComputeChoice compute = {};
    std::string wantedBackend = {};  // name of the backend before automatic choices were resolved; empty: not known
    std::string wantedDevice = {};
    int worldSize = 1;
    std::int64_t pipelineRanks = 1;
    std::int64_t trainingSamples = 0;
    std::int64_t validationSamples = 0;
    std::int64_t batchSize = 0;      // number of samples in a batch of one rank; 0: not known
    std::int64_t stepsPerEpoch = 0;  // number of steps in an epoch; 0: not known
    std::int64_t epochs = 1;
    std::int64_t stepsBefore = 0;  // number of steps done by the checkpoint from which the run continues
    std::int64_t logEvery = 1;
    bool paddedValidation = false;  // true if the main result of a validation also counts the samples repeated by the
                                    // sampler
    TelemetryConfig limits = {};
    ThrottleConfig throttle = {};
    // Strategy and mesh that determine the last bits of the results; empty if they have no influence (canonical
    // reduction).
    std::string layout = {};
    // Hash of the samples that the sampler assigns in epoch 0, by data-parallel rank.
    std::vector<std::string> planHashes = {};
    std::optional<PlanWatchOptions> audit = {};  // plan with which the trained samples are compared; empty: no plan is
                                                 // known
};

RecordedRun recordedRun(const PreparedRun& run);

// Returns the first event of a run's record. startedUnixMs: Unix time at which the run's time is 0, in milliseconds.
RunStarted runLine(const RunPaths& paths, const RecordedRun& run, std::int64_t startedUnixMs);

}  // namespace ringside
