// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/dropped_text.h"

#include "base/text/number_text.h"

namespace ringside {

std::string droppedText(std::int64_t steps, std::int64_t events) {
    if (steps == 0) return events == 0 ? std::string() : counted(events, "event");
    return counted(steps, "step") + (events == 0 ? "" : " and " + counted(events, "other event"));
}

}  // namespace ringside
