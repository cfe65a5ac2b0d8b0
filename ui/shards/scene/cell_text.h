// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "shards/scene/shard_scene.h"

namespace ringside {

// Returns the name of a cell's sample: "88", "88 again", "278 dropped".
QString cellName(const CellContent& content);
// Returns "class 6", or the name of the class.
QString className(const ShardScene& scene, std::int64_t sample);

}  // namespace ringside
