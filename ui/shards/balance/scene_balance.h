// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sampling/findings/class_balance.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// The balances of a scene; empty (no classes) when it has no labels. When *stop is set, they soon come back half
// counted.
ClassBalance classBalance(const ShardScene& scene, const std::atomic<bool>* stop = nullptr);
BatchBalance batchBalance(const ShardScene& scene, const std::atomic<bool>& stop);

}  // namespace ringside
