// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "identity/identity.h"
#include "shards/scene/grid_cell.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Explanation of a sample's position: the sampler's formula with the user's own numbers.
struct Explanation {
    QString title;
    QStringList lines;
    bool warning = false;               // true if the setting is probably a mistake
    std::vector<Identity> things = {};  // things that the text explains, the most specific first
};

Explanation explain(const ShardScene& scene, GridCell cell);
Explanation explainNothing(const ShardScene& scene);  // explains the rows and marks while nothing is selected
// Explains why no rank gets a sample that drop_last does not drop: a mistake, a subset, or draws.
Explanation explainUnused(const ShardScene& scene, std::int64_t sample);
Explanation explainEmptyShard(const ShardScene& scene);  // explains why no rank gets a sample

// Returns a tooltip: sample, class, rank, slot, step, position, and the first values of a table.
QString cellTip(const ShardScene& scene, GridCell cell);

}  // namespace ringside
