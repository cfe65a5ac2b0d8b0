// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json/json.h"

namespace ringside::testing {

// Asks a real PyTorch (oracle.py): one answer for each question, in one Python process. Fails the test when PyTorch
// is missing; configure with RINGSIDE_WITHOUT_PYTORCH=ON to do without.
Json askPyTorch(const Json& questions);

// Standard output of a command; fails the test when its exit code is not 0.
std::string outputOf(const std::string& command);

}  // namespace ringside::testing
