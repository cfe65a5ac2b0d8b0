// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace ringside {

using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

// Source of time that tests replace, so that they need not sleep.
class Clock {
  public:
    virtual ~Clock() = default;
    virtual TimePoint now() const = 0;
};

class SteadyClock final : public Clock {
  public:
    TimePoint now() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace ringside
