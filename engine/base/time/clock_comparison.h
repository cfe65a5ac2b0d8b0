// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace ringside {

// Reading of another host's clock. All times are in microseconds.
struct ClockReading {
    std::int64_t sentUs = 0;      // time of the query on the local clock
    std::int64_t remoteUs = 0;    // time on the remote clock
    std::int64_t receivedUs = 0;  // time of the answer on the local clock

    std::int64_t roundTripUs() const { return receivedUs - sentUs; }
};

struct ClockDifference {
    std::int64_t offsetUs = 0;     // remote clock minus local clock at present, in microseconds
    std::int64_t errorUs = 0;      // upper bound of the error of offsetUs, in microseconds
    std::int64_t roundTripUs = 0;  // shortest round trip in the window, in microseconds
    double drift = 0;              // seconds that the remote clock gains per second; 0 while unknown
};

// Estimates the difference between a remote clock and the local one from repeated readings (F. Cristian, Probabilistic
// clock synchronization, 1989). A reading with round trip r determines the difference to within r / 2, and its error
// grows with its age because the clocks drift. The drift is the change of the difference between the fastest reading of
// the window's older half and that of its newer half. If its error is not below kMaxDrift, the drift counts as 0 with
// the error kMaxDrift.
class ClockComparison {
  public:
    static constexpr std::int64_t kWindowUs = 120'000'000;
    static constexpr double kMaxDrift = 100e-6;  // largest drift between two quartz clocks, in seconds per second
    // Minimum time between the two readings from which the drift is computed.
    static constexpr std::int64_t kMinSpanUs = 20'000'000;

    // Adds a reading; call in the order of the responses. A reading that differs from the earlier ones by more than any
    // drift can cause (because the remote host was suspended) removes all earlier readings. A reading with a negative
    // round trip or one above kWindowUs is ignored.
    void add(const ClockReading& reading);
    // Returns the difference at the local time nowUs. Empty before the first reading.
    std::optional<ClockDifference> at(std::int64_t nowUs) const;

  private:
    struct Drift {
        double value = 0;
        double error = kMaxDrift;
    };
    Drift drift() const;
    bool contradicts(const ClockReading& reading) const;

    std::deque<ClockReading> m_readings;  // readings of the clocks, oldest first
};

}  // namespace ringside
