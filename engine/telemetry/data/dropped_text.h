// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ringside {

// Returns a text such as "12 steps and 3 other events" with the numbers of telemetry records that ranks dropped.
// Returns an empty text if both numbers are 0.
std::string droppedText(std::int64_t steps, std::int64_t events);

}  // namespace ringside
