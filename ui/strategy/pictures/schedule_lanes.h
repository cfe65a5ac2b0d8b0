// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "strategy/scene/strategy_scene.h"

namespace ringside {

// A piece of a lane, in the group's own unit of time.
struct LaneBlock {
    enum class Kind { Forward, Backward, Input, Weights, Moving, Resident };
    Kind kind = Kind::Forward;
    double begin = 0;
    double end = 0;
    int microBatch = -1;  // whose it is; -1: of the whole batch
    QString text = {};    // on it
    QString what = {};    // in words, for a tooltip and the table
};

struct Lane {
    QString label;
    std::vector<LaneBlock> blocks;
};

// Lanes on one axis of time: what is planned, or what the ranks did.
struct LaneGroup {
    QString title;
    QString length;  // of the whole, in words; empty where time has no unit
    double end = 0;
    std::vector<Lane> lanes;
};

// A lane for each rank of a pipeline, or each replica; of sharded models one for each unit that is gathered.
std::vector<LaneGroup> scheduleLanes(const StrategyScene& scene);

}  // namespace ringside
