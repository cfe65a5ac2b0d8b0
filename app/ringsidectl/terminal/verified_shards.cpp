// SPDX-License-Identifier: Apache-2.0
#include "terminal/verified_shards.h"

#include "base/text/number_text.h"

namespace ringside {

std::string verifiedShardsText(std::int64_t epochs, bool repeatsOrder) {
    if (repeatsOrder && epochs > 1)
        return "as planned in " + counted(epochs, "epoch") +
               ", but every epoch has the same order: set_epoch is never called";
    return "verified in " + counted(epochs, "epoch") + ": every rank trained on its planned samples";
}

}  // namespace ringside
