// SPDX-License-Identifier: Apache-2.0
#include "telemetry/events/clock_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace ringside {
namespace {

// Formats a duration as "0.06 ms" or "12.50 s". If `sign` is true, positive values get a plus sign.
std::string durationText(std::int64_t us, bool sign) {
    const double ms = static_cast<double>(us) / 1000;
    const bool seconds = std::abs(ms) >= 10000;
    const double amount = seconds ? ms / 1000 : ms;
    const char* const unit = seconds ? "s" : "ms";
    return sign ? fmt::format("{:+.2f} {}", amount, unit) : fmt::format("{:.2f} {}", amount, unit);
}

}  // namespace

std::string clockText(const HostClock& clock) {
    return durationText(clock.movedUs, true) + ", uncertainty " + durationText(clock.errorUs, false) + ", round trip " +
           durationText(clock.roundTripUs, false);
}

std::string clockText(const std::string& host, const HostClock& clock) {
    return (host.empty() ? "rank " + std::to_string(clock.rank) : host) + " " + clockText(clock);
}

}  // namespace ringside
