// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "comm/communicator.h"

namespace ringside {

// Returns a collective as text, for example "all-reduce of 10,634 floats" or "barrier".
std::string describeCollective(CollectiveKind kind, CommType type, std::uint64_t count);

// Returns a count of elements as text, for example "10,634 floats" or "1 byte".
std::string describeValues(CommType type, std::uint64_t count);

// Returns a duration as text, for example "30 s" or "300 ms".
std::string describeDuration(std::chrono::milliseconds duration);

}  // namespace ringside
