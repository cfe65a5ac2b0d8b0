// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/watch/step_mark.h"

#include <algorithm>

namespace ringside {

qint64 firstSlotOf(const StepMark& mark, const RunConfig& config, qint64 stepsPerEpoch) {
    return (*mark.step - 1 - mark.epoch * stepsPerEpoch) * config.loader.batchSize * config.training.accumulateSteps;
}

std::optional<CellRange> slotsOf(const StepMark& mark, const ShardScene& scene, const RunConfig& config,
                                 qint64 stepsPerEpoch) {
    if (!mark.step || scene.epoch != mark.epoch) return {};
    const qint64 first = firstSlotOf(mark, config, stepsPerEpoch);
    if (first < 0) return {};
    const qint64 end = first + config.loader.batchSize * config.training.accumulateSteps;
    return CellRange{first, std::min<qint64>(end, scene.trainedSlots())};
}

}  // namespace ringside
