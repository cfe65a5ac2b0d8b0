// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sampling/findings/class_balance.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Return the number of samples of each class by rank and by step, with the range expected by chance. If the data set
// has no labels, the result has no classes. Soon after *stop is set, the functions return incomplete numbers.
ClassBalance classBalance(const ShardScene& scene, const std::atomic<bool>* stop = nullptr);
BatchBalance batchBalance(const ShardScene& scene, const std::atomic<bool>& stop);

}  // namespace ringside
