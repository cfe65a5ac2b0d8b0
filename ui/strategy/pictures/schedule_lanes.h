// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "strategy/scene/strategy_scene.h"

namespace ringside {

// Block of a lane. Begin and end are in the time unit of its LaneGroup.
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
    int rank = -1;  // rank whose work the lane shows; -1: the lane shows a unit (layers that are gathered together) on
                    // all ranks
};

// Lanes with a common time axis: the planned schedule, or the schedule as it ran.
struct LaneGroup {
    QString title;
    QString length;  // label of the time axis, such as "step 12: 21.4 ms"; empty if time has no unit
    double end = 0;
    std::vector<Lane> lanes;
    std::int64_t step = 0;  // number of the step that ran; 0: the lanes show a plan
};

// Returns a lane for each rank of a pipeline or each replica; for sharded models a lane for each unit (layers whose
// parameters are gathered together).
std::vector<LaneGroup> scheduleLanes(const StrategyScene& scene);

}  // namespace ringside
