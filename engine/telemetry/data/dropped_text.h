// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ringside {

// Returns a text such as "12 steps and 3 other events", for telemetry that ranks could not send; empty if there is
// none.
std::string droppedText(std::int64_t steps, std::int64_t events);

}  // namespace ringside
