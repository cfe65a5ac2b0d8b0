// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/choices.h"
namespace ringside {

// What is recorded of a run, and how much of it. Nothing here changes what is trained.
struct TelemetryConfig {
    TraceLevel trace = TraceLevel::kPhases;  // off | steps | phases | layers: what is stamped inside steps
    std::int64_t megabytesPerHour = 200;     // of the run directory without checkpoints; a megabyte is 1,000,000 bytes
    std::int64_t megabytesTotal = 2000;

    bool operator==(const TelemetryConfig&) const = default;
};

}  // namespace ringside
