// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/sentence_text.h"

namespace ringside {

// Explains how the sampler makes the order that is assigned to ranks. rank: rank whose order is explained, if each rank
// has its own order because of a mistake.
QString orderSentence(const ShardScene& scene, std::optional<int> rank = {});

// True if the order of the samples differs from epoch to epoch.
bool changesByEpoch(const ShardScene& scene);
// Returns the reason for which all epochs have the same order: "set_epoch is not called, ...". Valid only if
// changesByEpoch() returns false.
QString sameOrderReason(const ShardScene& scene);

// Explains the position of a sample in an order with repeated draws or alternating classes; empty for other orders.
QString drawSentence(const ShardScene& scene, GridCell cell);

}  // namespace ringside
