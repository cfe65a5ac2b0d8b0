// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include "shards/scene/loom_cell.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Why a sample is where it is: the sampler's formula with the user's own numbers.
struct Explanation {
    QString title;
    QStringList lines;
    bool warning = false;  // something that is hardly meant
};

Explanation explain(const ShardScene& scene, LoomCell cell);
Explanation explainNothing(const ShardScene& scene);     // nothing is selected: what the rows and marks mean
Explanation explainEmptyShard(const ShardScene& scene);  // fewer samples than ranks, all dropped

// One paragraph for the pointer: sample, class, rank, slot, step, position, and a table's first values.
QString cellTip(const ShardScene& scene, LoomCell cell);

}  // namespace ringside
