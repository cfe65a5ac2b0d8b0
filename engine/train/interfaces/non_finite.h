// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "comm/communicator.h"

namespace ringside {

// Throws an error because a loss or a weight of this rank is not finite. If another rank is suspected to have sent
// invalid values, throws a CommError that names that rank. Otherwise throws a TrainingError with `text`.
[[noreturn]] void throwNonFinite(Communicator& communicator, const std::string& text);

}  // namespace ringside
