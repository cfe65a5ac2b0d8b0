// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/choices.h"
namespace ringside {

// Settings of the data that is recorded during a run, and limits of its size. No setting changes the training result.
struct TelemetryConfig {
    // Time stamps that are recorded within steps: off | steps | phases | layers.
    TraceLevel trace = TraceLevel::kPhases;
    // Limits of the size of the run directory, per hour of training and in total, in MiB. Checkpoints do not count.
    std::int64_t megabytesPerHour = 200;
    std::int64_t megabytesTotal = 2000;

    bool operator==(const TelemetryConfig&) const = default;
};

}  // namespace ringside
