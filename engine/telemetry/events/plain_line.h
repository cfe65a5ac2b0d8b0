// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "telemetry/events/events.h"

namespace ringside {

// Decodes a line that has exactly the form that encode() writes, about five times faster than the JSON parser. Returns
// an empty value for all other lines, valid or not, and for lines with rare fields (flags, lists of lines, JSON
// objects). decodeLine() then uses the JSON parser.
std::optional<Event> readPlainLine(std::string_view line);

}  // namespace ringside
