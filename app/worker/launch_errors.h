// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ringside {

// Relation of an error of a rank to the failure of the run. If a rank ends because another rank has failed, its error
// is only a consequence.
enum class ErrorRole { kCause, kConsequence };

// Writes the error to the file whose path is in the variable TORCHELASTIC_ERROR_FILE, if it is set. torchrun reports
// the error with the earliest time as the root cause. A consequence therefore gets a time in the future, which is later
// than that of its cause.
void writeErrorForLauncher(const std::string& text, ErrorRole role = ErrorRole::kCause);

}  // namespace ringside
