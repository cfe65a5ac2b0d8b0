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
    std::optional<qint64> step;  // from 1, over all epochs; none: no step is marked
    qint64 epoch = 0;
};

// Returns the first slot of the marked step in its epoch. An optimizer step uses a batch of each of its micro-batches.
// stepsPerEpoch: of the run; 0 if unknown. Negative if the step is before its epoch. A step must be marked.
qint64 firstSlotOf(const StepMark& mark, const RunConfig& config, qint64 stepsPerEpoch);

// Returns the slots of the marked step in the scene; none if no step of the scene's epoch is marked.
std::optional<CellRange> slotsOf(const StepMark& mark, const ShardScene& scene, const RunConfig& config,
                                 qint64 stepsPerEpoch);

}  // namespace ringside
