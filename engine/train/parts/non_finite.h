// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "comm/communicator.h"

namespace ringside {

// Throws an error because a loss or a weight of this rank is not finite: a CommError that names a rank if that rank is
// suspected to have sent invalid values; otherwise a TrainingError with `text`.
[[noreturn]] void throwNonFinite(Communicator& communicator, const std::string& text);

}  // namespace ringside
