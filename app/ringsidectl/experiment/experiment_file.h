// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/prepare/experiment_file.h"

namespace ringside {

// One line each on standard error; returns the exit code for them.
int reportProblems(const Problems& problems);

}  // namespace ringside
