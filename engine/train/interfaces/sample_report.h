// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/text/named_choice.h"

namespace ringside {

// Selects when a rank reports the samples that it has trained. The names are the values of the environment variable
// RINGSIDE_REPORT_SAMPLES.
enum class SampleReport : std::uint8_t { kAuto, kAlways, kNever };
constexpr std::array<std::string_view, 3> namesOf(SampleReport) {
    return {"auto", "always", "never"};
}

}  // namespace ringside
