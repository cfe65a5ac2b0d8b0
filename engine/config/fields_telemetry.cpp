// SPDX-License-Identifier: Apache-2.0
#include "config/field_tables.h"

namespace ringside {

namespace {

// clang-format off
constexpr ConfigField kTelemetryFields[] = {
    choice("telemetry.trace", RINGSIDE_CHOICE(telemetry.trace),
        "Time stamps that are recorded within steps. off: none, except when a recording is requested. steps: sums by "
        "phase. phases: begin and end of each phase and each collective. layers: also the begin of each layer. If "
        "steps are very short, only every k-th step is recorded."),
    integer("telemetry.megabytes_per_hour", RINGSIDE_SLOT(telemetry.megabytesPerHour), Within{1, 1e6},
        "Maximum growth of a run directory in MiB per hour, not counting checkpoints. Beyond this limit, telemetry is "
        "reduced to means, minima and maxima over more steps, and to fewer heartbeats."),
    integer("telemetry.megabytes_total", RINGSIDE_SLOT(telemetry.megabytesTotal), Within{4, 1e6},
        "Maximum size of a run directory in MiB, not counting checkpoints; at least 4."),
};
// clang-format on

}  // namespace

std::span<const ConfigField> telemetryFields() {
    return kTelemetryFields;
}

}  // namespace ringside
