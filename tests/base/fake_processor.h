// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/processors/cpu_yields.h"

namespace ringside::testing {

// Processor with a clock that only advances while the CPU is offered to other threads: by othersTake for each offer.
struct FakeProcessor {
    CpuYields::TimePoint time{std::chrono::hours(1)};
    std::chrono::microseconds othersTake{0};
    int yields = 0;

    CpuYields::System system() {
        return {[this] { return time; },
                [this] {
                    ++yields;
                    time += othersTake;
                }};
    }
};

}  // namespace ringside::testing
