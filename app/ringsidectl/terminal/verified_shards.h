// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ringside {

// Returns a text such as "verified in 3 epochs: every rank trained on its planned samples" for a run whose ranks
// trained as planned. repeatsOrder: true if set_epoch is never called, which is a mistake although the plan was kept.
std::string verifiedShardsText(std::int64_t epochs, bool repeatsOrder);

}  // namespace ringside
