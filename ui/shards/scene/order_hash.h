// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <atomic>

namespace ringside {

class ShardPlan;

// Returns the first 64 bits of the SHA-256 of the order of all samples: "4c22 6c41 bdd6 5c9e". After *stop is set, soon
// returns an invalid value.
QString orderHash(const ShardPlan& plan, const std::atomic<bool>* stop = nullptr);

}  // namespace ringside
