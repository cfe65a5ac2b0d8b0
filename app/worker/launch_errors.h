// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ringside {

// Relation of an error to the failure of the run. The error of a rank that ends because another rank has failed is a
// consequence.
enum class ErrorRole { kCause, kConsequence };

// Writes the error to the file that TORCHELASTIC_ERROR_FILE names, if set. torchrun reports the failure with the
// earliest time as the root cause, so a consequence gets a time in the future, to be later than its cause.
void writeLauncherError(const std::string& text, ErrorRole role = ErrorRole::kCause);

}  // namespace ringside
