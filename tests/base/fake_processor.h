// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/processors/cpu_offers.h"

namespace ringside::testing {

// A clock that stands still but for what others take of the CPU when it is offered.
struct FakeProcessor {
    CpuOffers::TimePoint time{std::chrono::hours(1)};
    std::chrono::microseconds othersTake{0};
    int offers = 0;

    CpuOffers::System system() {
        return {[this] { return time; },
                [this] {
                    ++offers;
                    time += othersTake;
                }};
    }
};

}  // namespace ringside::testing
