// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "comm/communicator.h"

namespace ringside {

// Ends this rank because a loss or a weight is not a finite number. Throws a CommError that names a rank if this rank
// is suspected to have sent invalid values; otherwise a TrainingError with `text`.
[[noreturn]] void throwNonFinite(Communicator& communicator, const std::string& text);

}  // namespace ringside
