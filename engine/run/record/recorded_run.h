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

// Facts about a run that its record needs. The ranks of Ringside have them from a prepared configuration, a watched
// script from the facts that its ranks report.
struct RecordedRun {
    std::string name = {};
    std::string config = {};  // text of the experiment file
    ComputeChoice compute = {};
    std::string wantedBackend = {};  // before automatic choices were resolved; empty: not known
    std::string wantedDevice = {};
    int worldSize = 1;
    std::int64_t pipelineRanks = 1;
    std::int64_t trainingSamples = 0;
    std::int64_t validationSamples = 0;
    std::int64_t batchSize = 0;      // samples of a rank; 0: not known
    std::int64_t stepsPerEpoch = 0;  // 0: not known
    std::int64_t epochs = 1;
    std::int64_t stepsBefore = 0;  // steps done by the checkpoint from which the run continues
    std::int64_t logEvery = 1;
    bool paddedValidation = false;  // the headline of a validation counts padded samples
    TelemetryConfig limits = {};
    ThrottleConfig throttle = {};
    std::string layout = {};  // strategy and mesh that the bits depend on; empty: they do not (canonical reduction)
    std::vector<std::string> planHashes = {};    // of epoch 0, by data-parallel rank
    std::optional<PlanWatchOptions> audit = {};  // plan to compare with the trained samples; empty: no plan is known
};

RecordedRun recordedRun(const PreparedRun& run);

// Returns the first event of a run's record. startedUnixMs: wall clock at the zero of the run's times.
RunStarted runLine(const RunPaths& paths, const RecordedRun& run, std::int64_t startedUnixMs);

}  // namespace ringside
