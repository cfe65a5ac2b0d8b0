// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/run_settings.h"

namespace ringside {

RunSettings runSettings(const RunConfig& config) {
    return {.throttle = config.parallel.throttle,
            .strategy = config.parallel.strategy,
            .mayChangeSize = config.parallel.minRanks > 0,
            .stepPitfalls = config.stepPitfalls,
            .repeatsOrder = config.repeatsOrder(),
            .learningRateAtFirst = config.scaledLearningRate()};
}

}  // namespace ringside
