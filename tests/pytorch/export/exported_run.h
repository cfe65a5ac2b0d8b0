// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ringside {

// Runs the Python that has PyTorch with these arguments. Fails the test and prints the output if the exit code is not
// 0.
void runPython(const std::vector<std::string>& arguments);

// Runs the Python that has PyTorch as several ranks at once, with the environment variables of torchrun. (Debian's
// torchrun does not work with Debian's Python.)
void runRanksAsTorchrun(const std::vector<std::string>& arguments, int ranks);

}  // namespace ringside
