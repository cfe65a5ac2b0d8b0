// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/sentence_text.h"

namespace ringside {

// Explains how the order is made that is assigned to ranks. rank: for mistakes that give each rank its own order.
QString orderSentence(const ShardScene& scene, std::optional<int> rank = {});

// True if another epoch has another order.
bool changesByEpoch(const ShardScene& scene);
// Returns the reason if all epochs have the same order: "set_epoch is not called, ..."
QString sameOrderReason(const ShardScene& scene);

// Explains the position of a sample in an order with repeated draws or alternating classes; empty for other orders.
QString drawSentence(const ShardScene& scene, GridCell cell);

}  // namespace ringside
