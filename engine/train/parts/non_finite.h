// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "comm/communicator.h"

namespace ringside {

// Ends this rank because a loss or a weight is no finite number. Throws CommError naming the rank that sent garbage, if
// one did, and otherwise TrainingError with `text`.
[[noreturn]] void throwNonFinite(Communicator& communicator, const std::string& text);

}  // namespace ringside
