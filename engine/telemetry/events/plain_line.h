// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "telemetry/events/events.h"

namespace ringside {

// Reads a line exactly as encode() writes it, some five times faster than through a JSON tree. Nothing for any other
// line, valid or not, and for some that encode() writes now and then: the general way judges those.
std::optional<Event> readPlainLine(std::string_view line);

}  // namespace ringside
