// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/text/named_choice.h"

namespace ringside {

// Condition under which a rank reports the samples that it trained on. The names are the values of the environment
// variable RINGSIDE_REPORT_SAMPLES.
enum class SampleReport : std::uint8_t { kAuto, kAlways, kNever };
constexpr std::array<std::string_view, 3> namesOf(SampleReport) {
    return {"auto", "always", "never"};
}

}  // namespace ringside
