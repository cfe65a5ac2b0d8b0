// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "comm/communicator.h"

namespace ringside {

// "all-reduce of 10,634 floats", "barrier"
std::string describeCollective(CollectiveKind kind, CommType type, std::uint64_t count);

// "10,634 floats", "1 byte"
std::string describeValues(CommType type, std::uint64_t count);

// "30 s", "300 ms"
std::string describeDuration(std::chrono::milliseconds duration);

}  // namespace ringside
