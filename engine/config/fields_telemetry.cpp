// SPDX-License-Identifier: Apache-2.0
#include "config/field_tables.h"

namespace ringside {

std::vector<ConfigField> telemetryFields() {
    using enum FieldType;
    return {
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
