// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <atomic>

namespace ringside {

class ShardPlan;

// First 64 bits of the SHA-256 over the order of all samples: "4c22 6c41 bdd6 5c9e".
// When *stop is set, what soon comes back is not it.
QString orderHash(const ShardPlan& plan, const std::atomic<bool>* stop = nullptr);

}  // namespace ringside
