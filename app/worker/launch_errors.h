// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ringside {

// torchrun reports as the cause of a failure what the first rank wrote to TORCHELASTIC_ERROR_FILE; nothing is written
// where it is not set.
void writeLauncherError(const std::string& text);

}  // namespace ringside
