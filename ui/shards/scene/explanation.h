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
    bool warning = false;               // true if the explained setting is probably a mistake
    std::vector<Identity> things = {};  // things that the text explains, the most specific first
};

Explanation explain(const ShardScene& scene, GridCell cell);
Explanation explainGrid(const ShardScene& scene);  // explains the rows and marks of the picture while no sample is
                                                   // selected
// Explains why no rank gets a sample although the sampler's drop_last does not drop it: because of a mistake, or
// because the sampler selects a subset or draws samples at random.
Explanation explainUnused(const ShardScene& scene, std::int64_t sample);
Explanation explainEmptyShard(const ShardScene& scene);  // explains why no rank gets any sample: the data set is empty
                                                         // or has fewer samples than ranks

// Returns the tooltip of a cell: the sample, its class, rank, slot, step and position, and the first values of a
// table's row or the text of the sample.
QString cellTip(const ShardScene& scene, GridCell cell);

}  // namespace ringside
