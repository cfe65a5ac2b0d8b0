// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/dropped_text.h"

#include "base/text/number_text.h"

namespace ringside {

std::string droppedText(std::int64_t steps, std::int64_t events) {
    const std::string stepsText = grouped(steps) + (steps == 1 ? " step" : " steps");
    const std::string eventsText = events == 1 ? " event" : " events";
    if (steps == 0) return events == 0 ? std::string() : grouped(events) + eventsText;
    return events == 0 ? stepsText : stepsText + " and " + grouped(events) + " other" + eventsText;
}

}  // namespace ringside
