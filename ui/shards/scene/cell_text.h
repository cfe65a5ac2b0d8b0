// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "shards/scene/shard_scene.h"

namespace ringside {

// Returns the name of a cell's sample: "88", "88 again", "278 dropped".
QString cellName(const CellContent& content);
// Returns the name of a sample's class, or "class 6" if the class is named by its number; empty without classes.
QString className(const ShardScene& scene, std::int64_t sample);

}  // namespace ringside
