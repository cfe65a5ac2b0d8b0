// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sampling/findings/class_balance.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Return the number of samples of each class by rank and by step, with the band expected by chance. The result has no
// classes if the data set has no labels. Soon after *stop is set, the functions return incomplete counts.
ClassBalance classBalance(const ShardScene& scene, const std::atomic<bool>* stop = nullptr);
BatchBalance batchBalance(const ShardScene& scene, const std::atomic<bool>& stop);

}  // namespace ringside
