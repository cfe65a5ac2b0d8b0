// SPDX-License-Identifier: Apache-2.0
#include "experiment/experiment_file.h"

#include <iostream>

#include "base/errors/exit_code.h"

namespace ringside {

int reportProblems(const Problems& problems) {
    for (const Problem& problem : problems) std::cerr << "ringsidectl: " << problem.text() << '\n';
    return static_cast<int>(ExitCode::kBadConfiguration);
}

}  // namespace ringside
