// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <atomic>

namespace ringside {

class ShardPlan;

// Returns the first 64 bits of the SHA-256 hash of the order of all samples, such as "4c22 6c41 bdd6 5c9e". Soon after
// *stop is set, returns an invalid value.
QString orderHash(const ShardPlan& plan, const std::atomic<bool>* stop = nullptr);

}  // namespace ringside
