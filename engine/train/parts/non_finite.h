// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "comm/communicator.h"

namespace ringside {

// Ends this rank because a loss or a weight is not a finite number. Throws CommError naming the rank that sent invalid
// values if one is suspected, and TrainingError with `text` in all other cases.
[[noreturn]] void throwNonFinite(Communicator& communicator, const std::string& text);

}  // namespace ringside
