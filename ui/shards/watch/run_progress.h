// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "shards/scene/grid_cell.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

class RunData;
class Verification;

// Slot in which a rank did not train on the planned sample.
struct WrongCell {
    GridCell cell;
    qint64 trained = -1;
    bool operator==(const WrongCell&) const = default;
};

// Progress of a rank in the plan of the selected epoch.
struct RankProgress {
    qint64 done = 0;        // number of trained slots, counted from the first slot
    qint64 underway = 0;    // number of slots after the trained ones that are being trained
    qint64 compared = 0;    // number of slots, counted from the first slot, whose samples were compared one by one
    bool verified = false;  // true if the hash of the epoch matches the plan
    bool wrong = false;
    bool showsPhases = false;  // true in slow motion and in single phases
    bool isComputing = false;  // true if the rank computes with the current slots; valid only if showsPhases is true
    bool operator==(const RankProgress&) const = default;
};

// Progress of a run in the visible plan. Contains no ranks if there is no run or the run has another plan.
struct RunProgress {
    std::vector<RankProgress> ranks;
    std::vector<WrongCell> wrong;
    bool otherPlan = false;     // true if there is a run with another plan
    bool repeatsOrder = false;  // true if the run uses the order of the first epoch in every epoch
    qint64 liveEpoch = -1;      // epoch of the slowest rank; -1 without training
    bool operator==(const RunProgress&) const = default;
};

RunProgress runProgress(const ShardScene& scene, const RunData& run, const Verification& verification);

// Returns a sentence which states that the run has another plan than the visible one, which is that of the form.
QString otherPlanSentence();
// Returns "Epoch 3: 128 of 360 samples per rank used, ..."; empty without ranks.
QString progressSentence(const RunProgress& progress, const ShardScene& scene);

}  // namespace ringside
