// SPDX-License-Identifier: Apache-2.0
#include "telemetry/events/clock_text.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace ringside {
namespace {

// Formats a duration as "0.06 ms" or "12.50 s". sign: also write the sign of a positive duration.
std::string durationText(std::int64_t us, bool sign) {
    char text[64];
    const double ms = static_cast<double>(us) / 1000;
    const bool seconds = std::abs(ms) >= 10000;
    std::snprintf(text, sizeof text, sign ? "%+.2f %s" : "%.2f %s", seconds ? ms / 1000 : ms, seconds ? "s" : "ms");
    return text;
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
