// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "base/errors/result.h"
#include "telemetry/events/events.h"

namespace ringside {

// Calls sink for the events of some kinds in telemetry.jsonl of a run directory, in order and in bounded memory. Lines
// of other kinds are not decoded. kinds: names of the kinds as in the file, such as "script". Returns the number of
// lines of these kinds that cannot be decoded; a problem if the file cannot be read. Blocks on the disk.
Result<std::int64_t> readRunEvents(const std::filesystem::path& run, std::span<const std::string_view> kinds,
                                   const std::function<void(const Event&)>& sink);

}  // namespace ringside
