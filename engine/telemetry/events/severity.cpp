// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "telemetry/events/events.h"

namespace ringside {
namespace {

constexpr std::array<std::string_view, 3> kSeverityNames{"mistake", "cost", "note"};  // names in the order of the
                                                                                      // values of Severity

}  // namespace

std::string_view severityName(Severity severity) {
    return kSeverityNames[static_cast<std::size_t>(severity)];
}

std::optional<Severity> severityNamed(std::string_view name) {
    const auto* const found = std::ranges::find(kSeverityNames, name);
    if (found == kSeverityNames.end()) return {};
    return static_cast<Severity>(found - kSeverityNames.begin());
}

}  // namespace ringside
