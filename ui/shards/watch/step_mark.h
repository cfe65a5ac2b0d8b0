// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>
#include <optional>

#include "config/run_config.h"
#include "shards/scene/grid_cell.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Step of a run that is marked on the page.
struct StepMark {
    std::optional<qint64> step;  // number of the step, counted from 1 over all epochs; empty: no step is marked
    qint64 epoch = 0;
};

// Returns the first slot of the marked step in the epoch of the mark. Each step uses training.accumulate_steps batches
// of a rank. stepsPerEpoch: number of steps in an epoch of the run; 0 if unknown. Returns a negative slot if the step
// is before the epoch. mark.step must be set.
qint64 firstSlotOf(const StepMark& mark, const RunConfig& config, qint64 stepsPerEpoch);

// Returns the slots of the marked step in the scene; empty if no step is marked or the mark is in another epoch.
std::optional<CellRange> slotsOf(const StepMark& mark, const ShardScene& scene, const RunConfig& config,
                                 qint64 stepsPerEpoch);

}  // namespace ringside
