// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>

#include "config/field_tables.h"

namespace ringside {

namespace {

constexpr std::array<std::string_view, 4> kTraceChoices = {"off", "steps", "phases", "layers"};

}  // namespace

std::vector<ConfigField> telemetryFields() {
    using enum FieldType;
    return {
        {"telemetry.trace", kChoice,
         "What is stamped inside the steps. off: nothing but what is recorded on request; steps: sums by phase; "
         "phases: when each phase and each "
         "collective began and ended; layers: when each layer of the model began as well. Of short steps only every "
         "k-th is stamped.",
         RINGSIDE_SLOT(telemetry.trace), kTraceChoices},
        {"telemetry.megabytes_per_hour",
         kInteger,
         "The most that a run's directory grows in an hour, checkpoints apart. What is beyond it is thinned out: "
         "means, "
         "minima and maxima over more steps, fewer signs of life.",
         RINGSIDE_SLOT(telemetry.megabytesPerHour),
         {},
         1,
         1e6},
        {"telemetry.megabytes_total",
         kInteger,
         "The most that a run's directory ever holds, checkpoints apart; at least 4.",
         RINGSIDE_SLOT(telemetry.megabytesTotal),
         {},
         4,
         1e6},
    };
}

}  // namespace ringside
