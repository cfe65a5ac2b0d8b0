// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json/json.h"

namespace ringside::testing {

// Queries a real PyTorch (oracle.py): returns one answer for each query, all from one Python process. Fails the test
// if PyTorch is missing; configure with RINGSIDE_WITHOUT_PYTORCH=ON to build without these tests.
Json queryPyTorch(const Json& queries);

// Returns the standard output of a command. Fails the test if its exit code is not 0.
std::string outputOf(const std::string& command);

}  // namespace ringside::testing
