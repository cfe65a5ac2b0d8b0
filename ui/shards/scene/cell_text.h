// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "shards/scene/shard_scene.h"

namespace ringside {

// "88", "88 again", "278 dropped": how a cell names its sample.
QString cellName(const CellContent& content);
// "class 6", or the class's own name.
QString className(const ShardScene& scene, std::int64_t sample);

}  // namespace ringside
