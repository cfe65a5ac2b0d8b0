// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "shards/scene/loom_cell.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

class RunData;
class Verification;

// A slot that did not train what is planned there.
struct WrongCell {
    LoomCell cell;
    qint64 trained = -1;
    bool operator==(const WrongCell&) const = default;
};

// How one rank stands to the plan of the epoch in sight.
struct RankProgress {
    qint64 done = 0;        // its first slots, that were trained
    qint64 underway = 0;    // slots after them that are being trained now
    qint64 compared = 0;    // its first slots, whose samples were compared one by one
    bool verified = false;  // the epoch's hash is as planned
    bool wrong = false;
    bool showsPhases = false;  // in slow motion or single phases
    bool taken = false;        // there: the slots under way are being computed with
    bool operator==(const RankProgress&) const = default;
};

// How far a run has ticked off the plan in sight. Without ranks: there is no run, or its plan is another one.
struct RunProgress {
    std::vector<RankProgress> ranks;
    std::vector<WrongCell> wrong;
    bool otherPlan = false;     // there is a run, but the plan in sight is not the run's
    bool repeatsOrder = false;  // the run trains every epoch in the order of the first one
    qint64 liveEpoch = -1;      // in which the slowest rank is; -1 when nothing trains
    bool operator==(const RunProgress&) const = default;
};

RunProgress runProgress(const ShardScene& scene, const RunData& run, const Verification& verification);

// "Epoch 3: 128 of 360 samples of each rank are trained, ..."; empty without ranks.
QString progressSentence(const RunProgress& progress, const ShardScene& scene);

}  // namespace ringside
