// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "telemetry/events.h"

namespace ringside {

// Reads a steps line exactly as encode() writes it, some five times faster than through a JSON tree: these lines are
// nearly all of a stream. Nothing for any other line, valid or not: the general way judges those.
std::optional<StepsFrame> parseStepsLine(std::string_view line);

}  // namespace ringside
