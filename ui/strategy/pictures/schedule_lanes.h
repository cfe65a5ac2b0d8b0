// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "strategy/scene/strategy_scene.h"

namespace ringside {

// Block of a lane: work of a rank from begin to end, such as the forward pass of a micro-batch. Times are in the unit
// of the LaneGroup.
struct LaneBlock {
    enum class Kind { Forward, Backward, Input, Weights, Moving, Resident };
    Kind kind = Kind::Forward;
    double begin = 0;
    double end = 0;
    int microBatch = -1;  // number of the micro-batch; -1: the complete batch
    QString text = {};    // text on the block
    QString what = {};    // description of the block for the tooltip and the table
};

struct Lane {
    QString label;
    std::vector<LaneBlock> blocks;
    int rank = -1;  // rank whose work the lane shows; -1: the lane shows the work of all ranks on one unit (layers that
                    // are gathered together)
};

// Lanes (rows of blocks) with a common time axis. They show either the planned schedule or the schedule as it ran.
struct LaneGroup {
    QString title;
    QString length;  // label of the time axis, such as "step 12: 21.4 ms"; empty if time has no unit
    double end = 0;
    std::vector<Lane> lanes;
    std::int64_t step = 0;  // number of the training step that the lanes show; 0: the lanes show the planned schedule
};

// Returns the planned schedule and, if it was measured, the schedule as it ran. For a sharded model without a pipeline,
// the planned schedule has one lane per unit (layers whose parameters are gathered together); in all other cases a lane
// shows one rank.
std::vector<LaneGroup> scheduleLanes(const StrategyScene& scene);

}  // namespace ringside
