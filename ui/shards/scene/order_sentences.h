// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/sentence_text.h"

namespace ringside {

// How the order comes about that the ranks deal from; of one rank where a mistake gives each its own.
QString orderSentence(const ShardScene& scene, std::optional<int> rank = {});

// Whether another epoch deals another order.
bool changesByEpoch(const ShardScene& scene);
// Why it does not: "set_epoch is not called, ..."
QString sameOrderReason(const ShardScene& scene);

// Why the sample stands where it does in an order that draws again or lets classes take turns; else empty.
QString drawSentence(const ShardScene& scene, LoomCell cell);

}  // namespace ringside
