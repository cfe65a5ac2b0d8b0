// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "watch/evidence/evidence.h"
#include "watch/findings/checks.h"

namespace ringside {

// Returns the result of a check in view of the hooks that have switched themselves off after an error on some rank
// (facts "hook_failed" of docs/watch-protocol.md). A check that reads the observations of such a hook cannot judge if
// it has passed or was skipped, or if its finding concludes something from observations that are missing.
Judgement withFailedHooks(const Evidence& evidence, const Check& check, Judgement judgement);

}  // namespace ringside
