// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ringside {

// Writes the error to the file that TORCHELASTIC_ERROR_FILE names, if set. torchrun reports the earliest such error as
// the cause of a failure.
void writeLauncherError(const std::string& text);

}  // namespace ringside
