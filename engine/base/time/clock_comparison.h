// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace ringside {

// A question to another host for its clock, in microseconds: asked and answered on this one's, `thereUs` on its own.
struct ClockReading {
    std::int64_t askedUs = 0;
    std::int64_t thereUs = 0;
    std::int64_t answeredUs = 0;

    std::int64_t roundTripUs() const { return answeredUs - askedUs; }
};

struct ClockDifference {
    std::int64_t offsetUs = 0;     // the other clock less this one, now
    std::int64_t errorUs = 0;      // at most
    std::int64_t roundTripUs = 0;  // the shortest of the last minutes
    double drift = 0;              // the other clock gains so many seconds a second; 0 while it cannot be told
};

// How a clock elsewhere stands to the one here, from questions asked again and again. An answer that took a round trip
// of r tells the difference to r / 2 (F. Cristian, Probabilistic clock synchronization, 1989), and less as it ages: the
// drift between the best answer of the window's older half and that of its newer half is followed, and where that is
// less sure than what quartz is good for, nothing but that is believed.
class ClockComparison {
  public:
    static constexpr std::int64_t kWindowUs = 120'000'000;
    static constexpr double kMostDrift = 100e-6;               // between two computers' clocks
    static constexpr std::int64_t kLeastApartUs = 20'000'000;  // of two readings that tell the drift

    // In the order of their answers. One that contradicts what was known (a host that was suspended) makes that void;
    // one that is answered before it is asked, or minutes later, is ignored.
    void add(const ClockReading& reading);
    // Nothing before the first reading.
    std::optional<ClockDifference> at(std::int64_t nowUs) const;

  private:
    struct Drift {
        double value = 0;
        double error = kMostDrift;
    };
    Drift drift() const;
    bool contradicts(const ClockReading& reading) const;

    std::deque<ClockReading> m_readings;  // oldest first
};

}  // namespace ringside
