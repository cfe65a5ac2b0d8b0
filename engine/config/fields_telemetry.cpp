// SPDX-License-Identifier: Apache-2.0
#include "config/field_tables.h"

namespace ringside {

namespace {

// clang-format off
constexpr ConfigField kTelemetryFields[] = {
    choice("telemetry.trace", RINGSIDE_CHOICE(telemetry.trace),
        "Time stamps that are recorded within steps. off: none, except when a recording is requested; steps: sums by "
        "phase; phases: begin and end of each phase and each collective; layers: also the begin of each layer. Of "
        "very short steps only every k-th is recorded."),
    integer("telemetry.megabytes_per_hour", RINGSIDE_SLOT(telemetry.megabytesPerHour), Within{1, 1e6},
        "Most MiB by which a run directory grows per hour, not counting checkpoints. Beyond it, telemetry is "
        "thinned out: means, minima and maxima over more steps, and fewer heartbeats."),
    integer("telemetry.megabytes_total", RINGSIDE_SLOT(telemetry.megabytesTotal), Within{4, 1e6},
        "Most MiB that a run directory holds, not counting checkpoints; at least 4."),
};
// clang-format on

}  // namespace

std::span<const ConfigField> telemetryFields() {
    return kTelemetryFields;
}

}  // namespace ringside
