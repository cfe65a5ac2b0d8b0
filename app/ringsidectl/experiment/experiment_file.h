// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/prepare/experiment_file.h"

namespace ringside {

// Prints one line per problem on standard error. Returns the exit code.
int reportProblems(const Problems& problems);

}  // namespace ringside
