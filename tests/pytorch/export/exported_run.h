// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ringside {

// Runs PyTorch's Python with these arguments; fails the test, with the output, unless it ends with 0.
void runPython(const std::vector<std::string>& arguments);

// The same by several ranks at once, with the environment that torchrun gives them (Debian's torchrun does not work
// with Debian's Python).
void runRanksAsTorchrun(const std::vector<std::string>& arguments, int ranks);

}  // namespace ringside
