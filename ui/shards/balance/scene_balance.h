// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sampling/findings/class_balance.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Return the balances of a scene; empty (no classes) without labels. After *stop is set they soon return incomplete
// counts.
ClassBalance classBalance(const ShardScene& scene, const std::atomic<bool>* stop = nullptr);
BatchBalance batchBalance(const ShardScene& scene, const std::atomic<bool>& stop);

}  // namespace ringside
